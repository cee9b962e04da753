package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.stream.StreamRule;
import io.godwit.cluster.stream.StreamRules;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sources switch over to nodes that take over slots of a leader that is gone. */
class SwitchOverSimulationTest {
    private static final int SEEDS = Integer.getInteger("switchover.seeds", 1_000);
    private static final int FROM = Integer.getInteger("switchover.from", 1);

    @Test
    void nothing_acknowledged_is_lost_when_slots_are_taken_over() {
        Map<String, Integer> counts = new TreeMap<>();
        for (int seed = FROM; seed < FROM + SEEDS; seed++) {
            SwitchOverSimulation.run(seed, StreamRules.ALL)
                    .forEach((what, count) -> counts.merge(what, count, Integer::sum));
        }
        assertThat(counts.keySet())
                .as("%s", counts)
                .contains("loaded", "restarts", "second deaths", "acknowledged", "cuts");
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "GATE_CLOSED",
                "REDIRECT",
                "ENTER_BEFORE_REDIRECTS",
                "LOADED_BEHIND_FILTERS",
                "CLOSED_IN_NEW_STREAMS"
            })
    void without_a_rule_some_seed_fails(StreamRule rule) {
        for (int seed = 1; seed <= 1_000; seed++) {
            try {
                SwitchOverSimulation.run(seed, StreamRules.without(rule));
            } catch (AssertionError e) {
                return;
            }
        }
        throw new AssertionError("no seed needs " + rule);
    }
}
