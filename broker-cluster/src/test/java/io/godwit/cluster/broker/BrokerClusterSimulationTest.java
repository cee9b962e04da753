package io.godwit.cluster.broker;

import io.godwit.cluster.stream.StreamRules;
import io.godwit.core.settings.Rules;
import io.godwit.core.simulation.Happening;
import io.godwit.core.simulation.Seeds;
import io.godwit.core.simulation.SimulatedCluster;
import io.godwit.core.simulation.Simulation;
import io.godwit.core.simulation.Storage;
import io.godwit.persistence.simulation.DiskStorage;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Clients subscribe at one node and publish at another while links break and nodes die: {@link
 * ClusterSimulationMain} runs more seeds.
 */
class BrokerClusterSimulationTest {
    private static final int SEEDS = Integer.getInteger("simulation.seeds", 50);
    private static final int STORE_SEEDS = Integer.getInteger("simulation.store.seeds", 10);
    private static final int NODES = 3;

    /** In 60 seeds: a third of what happens there. */
    private static final Map<Happening, Integer> LEAST =
            Map.ofEntries(
                    Map.entry(Happening.DELIVERED_FROM_ANOTHER_NODE, 3_000),
                    Map.entry(Happening.NODE_LINK_CUT, 80),
                    Map.entry(Happening.NODE_PAUSED, 8),
                    Map.entry(Happening.CRASH, 100),
                    Map.entry(Happening.RESTART, 40),
                    Map.entry(Happening.STORE_FAILURE, 25),
                    Map.entry(Happening.HAND_OVER, 250),
                    Map.entry(Happening.DROPPED_FOR_TRANSIENT, 1),
                    Map.entry(Happening.WILL_FIRED, 170),
                    Map.entry(Happening.RETAINED_CONTENDED, 80),
                    Map.entry(Happening.QOS2_RESUMED_INBOUND, 250),
                    Map.entry(Happening.DELIVERED_QOS2, 1_000));

    /** In 10 seeds on the production store: a third of what happens there. */
    private static final Map<Happening, Integer> LEAST_ON_STORE =
            Map.of(
                    Happening.CRASH, 25,
                    Happening.STORE_FAILURE, 6,
                    Happening.POWER_CUT_IN_A_WRITE, 11,
                    Happening.UNSYNCED_COMMITS_LOST, 8,
                    Happening.UNFLUSHED_ROWS_LOST, 16,
                    Happening.SESSION_RECOVERED, 33,
                    Happening.DELIVERED_FROM_ROWS, 130,
                    Happening.DELIVERED_FROM_ANOTHER_NODE, 540,
                    Happening.NODE_LINK_CUT, 18,
                    Happening.DELIVERED_QOS2, 209);

    static Seeds<Happening> seeds(StreamRules rules) {
        return seeds(Storage.simulated(), SimulatedLinks.maker(rules));
    }

    private static Seeds<Happening> seeds(Storage.Maker storage, SimulatedCluster.Maker cluster) {
        return new Seeds<>(seed -> Simulation.run(seed, NODES, Rules.ALL, storage, cluster));
    }

    @Test
    void nothing_acknowledged_is_lost_between_nodes_and_qos_2_comes_once() {
        seeds(StreamRules.ALL).meet(SEEDS, LEAST, 60);
    }

    @Test
    void nothing_acknowledged_is_lost_between_nodes_on_production_stores() {
        seeds(DiskStorage::ofCluster, SimulatedLinks.onDisks(StreamRules.ALL))
                .meet(STORE_SEEDS, LEAST_ON_STORE, 10);
    }

    @Test
    void a_seed_tells_the_same_story_twice() {
        seeds(StreamRules.ALL).sameTwice(2);
    }
}
