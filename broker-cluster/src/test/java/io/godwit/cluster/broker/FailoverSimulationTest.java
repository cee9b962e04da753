package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.stream.StreamRules;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Seeds in which whole brokers take over from each other, and which have found faults: {@link
 * FailoverSimulationMain} runs more, of which some fail still.
 */
class FailoverSimulationTest {
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {6, 7, 42})
    void clients_get_what_was_acknowledged_when_others_take_over(long seed) {
        Map<String, Long> counts = FailoverSimulation.run(seed, StreamRules.ALL);
        assertThat(counts.get("take-overs")).isPositive();
        assertThat(counts.get("acknowledged")).isGreaterThan(300);
        assertThat(counts.get("QoS 2 interrupted")).isGreaterThan(3);
        assertThat(counts.get("equal copies")).isPositive();
    }
}
