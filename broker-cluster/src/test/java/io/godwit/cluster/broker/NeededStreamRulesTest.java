package io.godwit.cluster.broker;

import io.godwit.cluster.stream.StreamRule;
import io.godwit.cluster.stream.StreamRules;
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
        BrokerClusterSimulationTest.seeds(StreamRules.without(rule)).notice(rule, first, 200);
    }
}
