package io.godwit.core.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** As many messages as are handled in 40 ms. */
class CrowdPaceTest {
    private final CrowdPace pace = new CrowdPace(4_000, 40_000);

    private void took(long nanosEach, int times) {
        for (int i = 0; i < times; i++) {
            assertThat(pace.took(nanosEach * 500, 500)).isEqualTo(i % 4 == 3);
        }
    }

    @Test
    void until_it_is_known_it_is_the_most() {
        assertThat(pace.mark()).isEqualTo(40_000);
    }

    @Test
    void it_is_what_fits_into_the_time_that_others_may_wait() {
        took(4_000, 100);
        assertThat(pace.mark()).isBetween(9_900L, 10_100L);
    }

    @Test
    void it_stays_within_its_bounds() {
        took(100_000, 100);
        assertThat(pace.mark()).isEqualTo(4_000);
        took(1, 200);
        assertThat(pace.mark()).isEqualTo(40_000);
        took(0, 200);
        assertThat(pace.mark()).isEqualTo(40_000);
    }

    /** A pause of the collector, say. */
    @Test
    void what_took_ten_times_as_long_once_does_not_count_for_all() {
        took(1_000, 100);
        took(10_000, 4);
        assertThat(pace.mark()).isBetween(10_000L, 20_000L);
    }
}
