package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.godwit.cluster.stream.StreamRule;
import io.godwit.cluster.stream.StreamRules;
import io.godwit.core.simulation.SimulationFailure;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each rule of streams is needed: without it, seeds of {@link BrokerClusterSimulationTest} fail.
 */
class NeededStreamRulesTest {
    @ParameterizedTest
    @EnumSource
    void without_a_rule_seeds_fail(StreamRule rule) {
        // One seed in hundreds needs these rules: the search begins where one was found.
        long first =
                switch (rule) {
                    case ROUTES_BEFORE_PUBLISHES -> 1_181;
                    case ASKS_AFTER_PAUSE -> 901;
                    default -> 1;
                };
        for (long seed = first; seed < first + 200; seed++) {
            try {
                BrokerClusterSimulationTest.run(seed, StreamRules.without(rule));
            } catch (SimulationFailure failure) {
                assertThat(failure.getMessage())
                        .contains("seed " + seed)
                        .doesNotContain("not when run again");
                return;
            }
        }
        fail("nothing notices that %s is missing", rule);
    }
}
