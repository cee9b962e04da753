package io.godwit.cluster.broker;

import io.godwit.cluster.stream.StreamRules;
import io.godwit.core.settings.Rules;
import io.godwit.core.simulation.Happening;
import io.godwit.core.simulation.Seeds;
import io.godwit.core.simulation.Simulation;
import io.godwit.core.simulation.Storage;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Clients subscribe at one node and publish at another while links break and nodes die: {@link
 * ClusterSimulationMain} runs more seeds.
 */
class BrokerClusterSimulationTest {
    private static final int SEEDS = Integer.getInteger("simulation.seeds", 50);
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

    static Seeds<Happening> seeds(StreamRules rules) {
        return new Seeds<>(seed ->
                Simulation.run(
                        seed, NODES, Rules.ALL, Storage.simulated(), SimulatedLinks.maker(rules)));
    }

    @Test
    void nothing_acknowledged_is_lost_between_nodes_and_qos_2_comes_once() {
        seeds(StreamRules.ALL).meet(SEEDS, LEAST, 60);
    }

    @Test
    void a_seed_tells_the_same_story_twice() {
        seeds(StreamRules.ALL).sameTwice(2);
    }
}
