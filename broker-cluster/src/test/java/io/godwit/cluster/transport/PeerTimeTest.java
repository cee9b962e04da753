package io.godwit.cluster.transport;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PeerTimeTest {
    /** The clock of the peer is ahead by so much. */
    private static final long AHEAD_MS = 7_000_000;

    private final PeerTime time = new PeerTime();
    private long nowMs = 1_000;

    private void frame(long sentMs, long passedMs) {
        nowMs = sentMs + passedMs;
        time.read(sentMs + AHEAD_MS, nowMs);
    }

    private long local(long sentMs) {
        return time.localMs(sentMs + AHEAD_MS);
    }

    @Test
    void time_of_the_peer_is_later_by_the_shortest_way_of_a_frame() {
        frame(1_000, 20);
        assertThat(local(1_000)).isEqualTo(1_020);
        frame(1_100, 3);
        frame(1_200, 50);
        assertThat(local(1_200)).isEqualTo(1_203);
    }

    @Test
    void message_that_a_link_has_held_back_shows_its_age() {
        frame(1_000, 2);
        frame(1_500, 4_000);
        assertThat(nowMs - local(1_500)).isEqualTo(3_998);
    }

    @Test
    void link_that_stands_still_over_the_end_of_a_window_does_not_hide_it() {
        frame(1_000, 2);
        frame(40_000, 9_000);
        assertThat(local(40_000)).isEqualTo(40_002);
    }

    @Test
    void clock_that_has_stood_still_is_taken_up_after_two_windows() {
        frame(1_000, 2);
        for (long sentMs = 2_000; sentMs < 2_000 + 2 * PeerTime.WINDOW_MS + 1_000; sentMs += 500) {
            frame(sentMs, 602); // Its machine was suspended for 600 ms.
        }
        assertThat(local(90_000)).isEqualTo(90_602);
    }
}
