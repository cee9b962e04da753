package io.godwit.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PaceTest {
    private static final long ORIGIN = 7_000;
    private static final long MS = Pace.TICK_NANOS;

    @Test
    void messages_are_due_at_the_tick_after_their_time() {
        Pace pace =
                new Pace(ORIGIN, ORIGIN + MS / 4, 0.5 * MS, 5); // 0.25, 0.75, 1.25, 1.75, 2.25 ms
        assertThat(pace.dueAt(ORIGIN)).isZero();
        assertThat(pace.dueAt(ORIGIN + MS - 1)).isZero();
        assertThat(pace.dueAt(ORIGIN + MS)).isEqualTo(2);
        assertThat(pace.dueAt(ORIGIN + 2 * MS)).isEqualTo(4);
        assertThat(pace.dueAt(ORIGIN + 100 * MS)).isEqualTo(5);
        assertThat(pace.dueNanos(1)).isEqualTo(ORIGIN + MS);
        assertThat(pace.dueNanos(2)).isEqualTo(ORIGIN + 2 * MS);
    }

    @Test
    void a_message_is_never_due_before_the_time_it_carries() {
        Pace pace = new Pace(ORIGIN, ORIGIN + 123_456, 33_333.3, 10_000);
        for (long now = ORIGIN; now < ORIGIN + 400 * MS; now += 77_777) {
            long due = pace.dueAt(now);
            if (due > 0) assertThat(pace.dueNanos(due - 1)).isLessThanOrEqualTo(now);
            if (due < 10_000) assertThat(pace.dueNanos(due)).isGreaterThan(now - MS);
        }
    }
}
