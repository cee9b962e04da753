package io.godwit.server.logging;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GroupedLogTest {
    private long nanos = Long.MAX_VALUE - 1; // the clock may begin anywhere and wrap

    private final GroupedLog log = new GroupedLog(() -> nanos);

    @Test
    void the_first_is_logged_and_then_one_in_ten_seconds_with_the_count() {
        assertThat(log.due()).isEqualTo(1);
        for (int i = 0; i < 9; i++) {
            nanos += 1_000_000_000L;
            assertThat(log.due()).isZero();
        }
        nanos += 1_000_000_000L;

        assertThat(log.due()).isEqualTo(10);
        assertThat(log.due()).isZero();
    }
}
