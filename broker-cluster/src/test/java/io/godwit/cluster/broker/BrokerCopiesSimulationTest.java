package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.replication.CopySettings;
import io.godwit.cluster.stream.StreamRules;
import io.godwit.core.settings.Rules;
import io.godwit.core.simulation.Happening;
import io.godwit.core.simulation.Seeds;
import io.godwit.core.simulation.Simulation;
import io.godwit.persistence.simulation.DiskStorage;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two or three whole brokers on the production store, each with copies of all queues that the
 * others lead; {@code -Dsimulation.seed=N} runs another seed.
 */
class BrokerCopiesSimulationTest {
    private static final long[] SEEDS = {1, 5, 9, 17, 19, 23, 24, 29, 31, 60};

    /** How often ten seeds have to meet each thing, at least: a third of what happens there. */
    private static final Map<Happening, Integer> LEAST =
            Map.of(
                    Happening.CRASH, 13,
                    Happening.POWER_CUT_IN_A_WRITE, 3,
                    Happening.UNSYNCED_COMMITS_LOST, 2,
                    Happening.UNFLUSHED_ROWS_LOST, 10,
                    Happening.NODE_LINK_CUT, 25,
                    Happening.SESSION_RECOVERED, 9,
                    Happening.DELIVERED_FROM_ANOTHER_NODE, 900,
                    Happening.DELIVERED_QOS2, 250);

    private static final Seeds<Happening> ALL = new Seeds<>(BrokerCopiesSimulationTest::run);

    static Map<Happening, Long> run(long seed) {
        int nodes = 2 + (int) (seed % 2);
        return Simulation.run(
                seed,
                nodes,
                Rules.ALL,
                DiskStorage::ofCluster,
                SimulatedLinks.maker(
                        StreamRules.ALL,
                        CopySettings.of(nodes, CopySettings.Confirm.COMMITTED, 0)));
    }

    @Test
    void brokers_with_copies_on_production_stores_lose_nothing_and_copies_end_equal() {
        if (!ALL.replay()) {
            ALL.meet(SEEDS, LEAST, 10);
        }
    }

    /**
     * Nodes that end soon after their starts had two records of a Will, and published both: at QoS
     * 1 with each start.
     */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {3, 9, 16, 17, 21, 23, 31, 32, 33, 40, 41, 43, 50, 55})
    void seeds_in_which_a_will_came_twice(long seed) {
        assertThat(run(seed)).containsKey(Happening.CRASH);
    }
}
