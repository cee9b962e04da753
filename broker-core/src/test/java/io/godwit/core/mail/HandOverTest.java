package io.godwit.core.mail;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * When a hand-over is complete. A thousand seeds of the simulation do not tell one that ends at the
 * first marker from one that ends at the last.
 */
class HandOverTest {
    @Test
    void it_is_complete_at_the_marker_of_the_last_other_shard() {
        HandOver handOver = new HandOver(4, 1);
        for (int from : new int[] {3, 0}) {
            assertThat(handOver.markerPassed(from)).as("after the marker of %s", from).isFalse();
        }
        assertThat(handOver.markerPassed(2)).isTrue();
    }

    @Test
    void a_marker_that_comes_twice_stands_for_its_own_shard_alone() {
        HandOver handOver = new HandOver(3, 0);
        assertThat(handOver.markerPassed(1)).isFalse();
        assertThat(handOver.markerPassed(1)).isFalse();
        assertThat(handOver.markerPassed(0)).isFalse();
        assertThat(handOver.markerPassed(2)).isTrue();
    }
}
