package io.godwit.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SystemTimeTest {
    private static final long DAY_MS = 24 * 3600 * 1000L;

    private long nanos = 5_000_000_000L;
    private long wall = 1_700_000_000_000L;
    private final List<Long> jumps = new ArrayList<>();
    private final SystemTime time = new SystemTime(() -> nanos, () -> wall, 60_000);

    private void pass(long ms) {
        for (long left = ms; left > 0; left -= 1_000) {
            nanos += 1_000_000_000L;
            wall += 1_000;
            time.adjust(jumps::add);
        }
    }

    @Test
    void both_clocks_run() {
        pass(10_000);

        assertThat(time.wallMs()).isEqualTo(1_700_000_010_000L);
        assertThat(time.monotonicMs()).isEqualTo(15_000);
        assertThat(jumps).isEmpty();
    }

    @Test
    void a_small_correction_is_followed_at_once() {
        wall += 1_500;
        pass(1_000);

        assertThat(time.wallMs()).isEqualTo(wall);
        assertThat(jumps).isEmpty();
    }

    @Test
    void a_jump_is_told_once_and_believed_only_after_it_has_held() {
        wall += DAY_MS;
        pass(50_000);

        assertThat(jumps).containsExactly(DAY_MS);
        assertThat(time.wallMs()).isEqualTo(wall - DAY_MS);

        pass(15_000);
        assertThat(time.wallMs()).isEqualTo(wall);
        assertThat(jumps).hasSize(1);
    }

    @Test
    void a_jump_that_is_taken_back_changes_nothing() {
        wall += DAY_MS;
        pass(30_000);
        wall -= DAY_MS;
        pass(120_000);

        assertThat(time.wallMs()).isEqualTo(wall);
        assertThat(jumps).containsExactly(DAY_MS);
    }

    @Test
    void a_clock_that_starts_years_back_is_not_believed_and_expires_nothing_when_it_is_corrected() {
        long real = wall;
        wall -= 20 * 365 * DAY_MS;
        SystemTime back = new SystemTime(() -> nanos, () -> wall, 60_000);
        assertThat(back.startAbove(real - 3_000)).isEqualTo(3_000 - 20 * 365 * DAY_MS);
        assertThat(back.wallMs()).isEqualTo(real - 3_000);
        for (int second = 0; second < 600; second++) {
            nanos += 1_000_000_000L;
            wall += 1_000;
            back.adjust(jumps::add);
        }
        assertThat(back.wallMs()).isEqualTo(real - 3_000 + 300_000);
        assertThat(jumps).as("it has not jumped").isEmpty();

        wall += 20 * 365 * DAY_MS; // corrected: 600 s after the start
        long before = back.wallMs();
        for (int second = 0; second < 70; second++) {
            nanos += 1_000_000_000L;
            wall += 1_000;
            back.adjust(jumps::add);
        }
        assertThat(back.wallMs()).isEqualTo(real + 670_000);
        assertThat(back.wallMs() - before).as("minutes, not years").isLessThan(400_000);
    }

    @Test
    void a_clock_that_goes_years_back_later_does_not_go_below_the_start() {
        time.startAbove(wall - 10_000);
        long start = wall;
        pass(100_000);
        wall -= 20 * 365 * DAY_MS;
        pass(200_000);
        assertThat(time.wallMs()).isEqualTo(start - 10_000 + 150_000);
    }

    @Test
    void what_the_store_has_seen_and_the_clock_has_passed_does_not_matter() {
        assertThat(time.startAbove(wall - DAY_MS)).isEqualTo(DAY_MS);
        assertThat(time.wallMs()).isEqualTo(wall);
        pass(10_000);
        assertThat(time.wallMs()).isEqualTo(wall);
    }

    @Test
    void ids_that_were_reserved_ahead_are_caught_up_with() {
        assertThat(time.startAbove(wall + 90_000)).isEqualTo(-90_000);
        assertThat(time.wallMs()).isEqualTo(wall + 90_000);
        pass(100_000);
        assertThat(time.wallMs()).isEqualTo(wall + 40_000);
        pass(100_000);
        assertThat(time.wallMs()).isEqualTo(wall);
    }

    @Test
    void a_clock_that_starts_years_ahead_expires_nothing_before_it_has_held() {
        long seen = wall - 20 * 365 * DAY_MS;
        assertThat(time.startAbove(seen)).isEqualTo(20 * 365 * DAY_MS);
        pass(59_000);
        assertThat(time.wallMs()).as("what comes now").isEqualTo(wall);
        assertThat(time.sureMs()).as("what expires, and ids").isEqualTo(seen + 59_000);
        pass(2_000);
        assertThat(time.sureMs()).isEqualTo(wall);
        assertThat(jumps).isEmpty();
    }

    @Test
    void a_clock_that_starts_years_ahead_and_is_corrected_has_expired_nothing() {
        long real = wall - 20 * 365 * DAY_MS;
        time.startAbove(real - 600_000); // it was stopped for ten minutes
        pass(30_000);
        wall -= 20 * 365 * DAY_MS;
        pass(50_000); // longer than the hold since the start, shorter than since the correction
        assertThat(time.sureMs()).isEqualTo(real - 600_000 + 80_000);
        pass(20_000);
        assertThat(time.wallMs()).isEqualTo(wall).isEqualTo(real + 100_000);
        assertThat(time.sureMs()).isEqualTo(wall);
        assertThat(jumps).containsExactly(-20 * 365 * DAY_MS);
    }

    @Test
    void a_stop_of_a_day_is_believed_at_once() {
        time.startAbove(wall - DAY_MS);
        assertThat(time.sureMs()).isEqualTo(wall);
    }

    @Test
    void a_store_that_has_seen_nothing_holds_nothing_off() {
        time.startAbove(0);
        assertThat(time.sureMs()).isEqualTo(wall);
    }

    @Test
    void a_jump_back_is_held_off_as_well() {
        wall -= DAY_MS;
        pass(30_000);

        assertThat(time.wallMs()).isEqualTo(wall + DAY_MS);
        assertThat(jumps).containsExactly(-DAY_MS);
    }
}
