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
    private final SystemTime time = new SystemTime(() -> nanos, () -> wall);

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
    void a_jump_back_is_held_off_as_well() {
        wall -= DAY_MS;
        pass(30_000);

        assertThat(time.wallMs()).isEqualTo(wall + DAY_MS);
        assertThat(jumps).containsExactly(-DAY_MS);
    }
}
