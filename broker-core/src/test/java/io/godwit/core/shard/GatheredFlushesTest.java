package io.godwit.core.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.node.SettableTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GatheredFlushesTest {
    private static final int SLICE = 64;

    private final SettableTime time = new SettableTime();
    private final GatheredFlushes flushes = new GatheredFlushes(time);
    private final List<Integer> flushed = new ArrayList<>();

    private void add(int from, int to) {
        for (int i = from; i < to; i++) {
            int channel = i;
            flushes.add(() -> flushed.add(channel));
        }
    }

    @Test
    void what_comes_after_a_pause_is_flushed_at_once() {
        assertThat(flushes.run(1_000)).isEqualTo(GatheredFlushes.NOTHING);
        add(0, 3);
        assertThat(flushes.run(1_000)).isEqualTo(GatheredFlushes.NOTHING);
        assertThat(flushed).containsExactly(0, 1, 2);
    }

    @Test
    void what_follows_gathers_until_its_time_is_over() {
        add(0, 1);
        flushes.run(1_000);
        add(1, 3);
        assertThat(flushes.run(1_004)).isEqualTo(6);
        assertThat(flushed).containsExactly(0);
        add(3, 4);
        assertThat(flushes.run(1_010)).isEqualTo(GatheredFlushes.NOTHING);
        assertThat(flushed).containsExactly(0, 1, 2, 3);
    }

    @Test
    void it_is_flushed_when_the_loop_says_that_time_is_over_whatever_the_clock() {
        add(0, 1);
        flushes.run(1_000);
        add(1, 2);
        assertThat(flushes.run(1_001)).isEqualTo(9);
        flushes.due();
        assertThat(flushes.run(1_001)).isEqualTo(GatheredFlushes.NOTHING);
        assertThat(flushed).containsExactly(0, 1);
    }

    @Test
    void many_are_spread_over_turns_and_what_comes_meanwhile_waits_for_the_next_time() {
        add(0, 2 * SLICE + 1);
        assertThat(flushes.run(1_000)).isZero();
        assertThat(flushed).hasSize(SLICE);
        add(5_000, 5_001);
        assertThat(flushes.run(1_001)).isZero();
        assertThat(flushes.run(1_002)).isEqualTo(GatheredFlushes.GATHER_MS);
        assertThat(flushed).hasSize(2 * SLICE + 1).doesNotContain(5_000);
        assertThat(flushes.run(1_009)).isEqualTo(1);
        assertThat(flushes.run(1_010)).isEqualTo(GatheredFlushes.NOTHING);
        assertThat(flushed).endsWith(5_000);
    }

    @Test
    void no_more_are_flushed_in_a_turn_when_each_takes_long() {
        for (int i = 0; i < 6; i++) {
            int channel = i;
            flushes.add(() -> {
                time.advance(1);
                flushed.add(channel);
            });
        }
        assertThat(flushes.run(1_000)).isZero();
        assertThat(flushed).containsExactly(0, 1, 2);
        assertThat(flushes.run(1_000)).isEqualTo(GatheredFlushes.NOTHING);
        assertThat(flushed).containsExactly(0, 1, 2, 3, 4, 5);
    }

    @Test
    void much_that_waits_is_flushed_before_its_time() {
        add(0, 1);
        flushes.run(1_000);
        add(1, 2);
        flushes.charge(8 << 20);
        assertThat(flushes.run(1_001)).isEqualTo(GatheredFlushes.NOTHING);
        assertThat(flushed).containsExactly(0, 1);
        add(2, 3);
        assertThat(flushes.run(1_002)).as("the count begins anew").isEqualTo(9);
    }

    @Test
    void the_loop_that_comes_late_does_not_shorten_the_next_time() {
        add(0, 1);
        flushes.run(1_000);
        add(1, 2);
        flushes.charge(8 << 20);
        flushes.run(1_001);
        flushes.due();
        assertThat(flushes.run(1_002)).isEqualTo(GatheredFlushes.NOTHING);
        add(2, 3);
        assertThat(flushes.run(1_003)).isEqualTo(8);
        assertThat(flushed).containsExactly(0, 1);
    }
}
