package io.godwit.core.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PauseWatchTest {
    private final PauseWatch watch = new PauseWatch(0, 500);
    private final List<Long> pauses = new ArrayList<>();
    private final List<Long> lengths = new ArrayList<>();

    private void begin(long nowMs) {
        watch.begin(
                nowMs,
                (pause, lengthMs) -> {
                    pauses.add(pause);
                    lengths.add(lengthMs);
                });
    }

    @Test
    void nothing_is_noticed_before_it_begins() {
        watch.ran(0, 0);
        watch.ran(0, 10_000);
        begin(20_000);
        watch.ran(0, 20_400);
        assertThat(watch.isBehind()).isFalse();
        assertThat(pauses).isEmpty();
    }

    @Test
    void whichever_shard_runs_first_notices_and_no_other_does_again() {
        begin(0);
        watch.ran(1, 600);
        assertThat(watch.isBehind()).isTrue();
        watch.ran(1, 700);
        watch.ran(0, 700);
        watch.ran(1, 701);
        assertThat(lengths).containsExactly(600L);
        watch.caughtUp(pauses.getFirst());
        assertThat(watch.isBehind()).isFalse();
    }

    @Test
    void a_shard_that_others_do_not_hear_of_may_rest() {
        begin(0);
        for (long ms = 100; ms < 5_000; ms += 100) {
            watch.ran(0, ms);
        }
        watch.ran(1, 5_000);
        assertThat(pauses).isEmpty();
    }

    @Test
    void the_node_is_behind_while_others_do_not_hear_of_it_though_another_shard_runs() {
        begin(0);
        for (long ms = 100; ms < 1_000; ms += 100) {
            watch.ran(1, ms);
            assertThat(watch.isBehind()).isEqualTo(ms > 500);
        }
    }

    @Test
    void to_catch_up_with_an_earlier_pause_is_not_enough() {
        begin(0);
        watch.ran(0, 1_000);
        watch.ran(0, 2_000);
        assertThat(pauses).hasSize(2);
        watch.caughtUp(pauses.getFirst());
        assertThat(watch.isBehind()).isTrue();
        watch.caughtUp(pauses.getLast());
        assertThat(watch.isBehind()).isFalse();
        watch.caughtUp(pauses.getFirst());
        assertThat(watch.isBehind()).isFalse();
    }
}
