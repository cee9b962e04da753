package io.godwit.persistence.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.godwit.core.settings.Rules;
import io.godwit.core.simulation.Happening;
import io.godwit.core.simulation.Simulation;
import io.godwit.core.simulation.SimulationFailure;
import io.godwit.core.simulation.Storage;
import io.godwit.persistence.StoreRule;
import io.godwit.persistence.StoreRules;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A thousand seeds of {@link Simulation} on the production store; {@code -Dsimulation.seed=N}
 * replays one, {@code -Dsimulation.seeds=100000} runs more.
 */
class StoreSimulationTest {
    private static final int SEEDS = Integer.getInteger("simulation.seeds", 1_000);

    /** How often a thousand seeds have to meet each thing, at least. */
    private static final Map<Happening, Integer> LEAST =
            new EnumMap<>(
                    Map.ofEntries(
                            Map.entry(Happening.CRASH, 800),
                            Map.entry(Happening.CRASH_WITH_UNSYNCED, 500),
                            Map.entry(Happening.RESTART, 400),
                            Map.entry(Happening.STORE_FAILURE, 200),
                            Map.entry(Happening.POWER_CUT_IN_A_WRITE, 350),
                            Map.entry(Happening.UNSYNCED_COMMITS_LOST, 250),
                            Map.entry(Happening.UNFLUSHED_ROWS_LOST, 600),
                            Map.entry(Happening.COMMITS_REPLAYED, 700),
                            Map.entry(Happening.SESSION_RECOVERED, 2_500),
                            Map.entry(Happening.QOS2_RESUMED_INBOUND, 4_000),
                            Map.entry(Happening.QOS2_RESUMED_OUTBOUND, 1_000),
                            Map.entry(Happening.ACKED_BEFORE_CRASH_DELIVERED_AFTER, 5_000),
                            Map.entry(Happening.ACKNOWLEDGED_BEFORE_COMMIT, 500),
                            Map.entry(Happening.WILL_AFTER_RESTART, 500),
                            Map.entry(Happening.WILL_CANCELLED, 300),
                            Map.entry(Happening.ROWS_READ, 40_000),
                            Map.entry(Happening.DELIVERED_FROM_ROWS, 20_000),
                            Map.entry(Happening.HAND_OVER, 4_000),
                            Map.entry(Happening.TAKEOVER, 10_000),
                            Map.entry(Happening.SESSION_EXPIRED, 300),
                            Map.entry(Happening.SHARED_DELIVERED, 80_000),
                            Map.entry(Happening.DELIVERED_QOS1, 80_000),
                            Map.entry(Happening.DELIVERED_QOS2, 25_000)));

    private static Storage.Maker storage(StoreRules rules) {
        return node -> new DiskStorage(node, rules);
    }

    @Test
    void a_thousand_seeds_lose_nothing_and_meet_everything() {
        Long one = Long.getLong("simulation.seed");
        if (one != null) {
            int nodes = Integer.getInteger("simulation.nodes", 1);
            Simulation.run(one, nodes, Rules.ALL, storage(StoreRules.ALL));
            return;
        }
        EnumMap<Happening, Long> counts = new EnumMap<>(Happening.class);
        for (long seed = 1; seed <= SEEDS; seed++) {
            Simulation.run(seed, Rules.ALL, storage(StoreRules.ALL))
                    .forEach((what, n) -> counts.merge(what, n, Long::sum));
        }
        LEAST.forEach((what, least) ->
                assertThat(counts.getOrDefault(what, 0L))
                        .as("%s in %s seeds", what, SEEDS)
                        .isGreaterThanOrEqualTo((long) least * SEEDS / 1_000));
    }

    /** Each loses its power while the others work, on a schedule that they share. */
    @Test
    void two_or_three_nodes_side_by_side_each_lose_nothing() {
        EnumMap<Happening, Long> counts = new EnumMap<>(Happening.class);
        int seeds = SEEDS / 50;
        for (long seed = 1; seed <= seeds; seed++) {
            int nodes = 2 + (int) (seed % 2);
            Simulation.run(seed, nodes, Rules.ALL, storage(StoreRules.ALL))
                    .forEach((what, n) -> counts.merge(what, n, Long::sum));
        }
        LEAST.forEach((what, least) ->
                assertThat(counts.getOrDefault(what, 0L))
                        .as("%s in %s seeds of several nodes", what, seeds)
                        .isGreaterThanOrEqualTo((long) least * seeds / 1_000));
    }

    @Test
    void a_seed_tells_the_same_story_twice() {
        for (long seed = 1; seed <= 10; seed++) {
            assertThat(Simulation.run(seed, Rules.ALL, storage(StoreRules.ALL)))
                    .as("seed %s", seed)
                    .isEqualTo(Simulation.run(seed, Rules.ALL, storage(StoreRules.ALL)));
        }
    }

    @ParameterizedTest
    @EnumSource
    void without_a_rule_the_thousand_seeds_fail(StoreRule rule) {
        StoreRules rules = StoreRules.without(rule);
        for (long seed = 1; seed <= 1_000; seed++) {
            try {
                Simulation.run(seed, Rules.ALL, storage(rules));
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
