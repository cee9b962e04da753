package io.godwit.cluster.broker;

import io.godwit.cluster.stream.StreamRule;
import io.godwit.cluster.stream.StreamRules;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each rule of streams is needed: without it, seeds of {@link BrokerClusterSimulationTest} fail.
 */
class NeededStreamRulesTest {
    /**
     * Hardly any seed needs {@code ASKS_AFTER_PAUSE}: {@link PausedNodeTest} shows what it does.
     * Those of take-overs are needed in {@link SwitchOverSimulationTest}: here nobody takes over.
     */
    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {
                "ASKS_AFTER_PAUSE",
                "GATE_CLOSED",
                "REDIRECT",
                "ENTER_BEFORE_REDIRECTS",
                "LOADED_BEHIND_FILTERS",
                "CLOSED_IN_NEW_STREAMS"
            })
    void without_a_rule_seeds_fail(StreamRule rule) {
        // Hardly any seed needs this rule: the search begins where one was found.
        long first = rule == StreamRule.ROUTES_BEFORE_PUBLISHES ? 287 : 1;
        BrokerClusterSimulationTest.seeds(StreamRules.without(rule)).notice(rule, first, 200);
    }
}
