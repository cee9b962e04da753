package io.godwit.cluster.broker;

import io.godwit.cluster.stream.StreamRule;
import io.godwit.cluster.stream.StreamRules;
import io.godwit.core.simulation.SimulationMain;
import io.godwit.core.simulation.Storage;
import io.godwit.persistence.simulation.DiskStorage;

/**
 * Seeds of nodes that are one cluster: {@code -Dsimulation.seeds=1000 -Dsimulation.from=1
 * -Dsimulation.nodes=3}; {@code -Dsimulation.without-stream-rule=SUBACK_WAITS_FOR_ROUTES} switches
 * a rule off, {@code -Dsimulation.disk=true} takes the production store.
 */
public final class ClusterSimulationMain {
    private ClusterSimulationMain() {}

    public static void main(String[] arguments) {
        String without = System.getProperty("simulation.without-stream-rule");
        StreamRules rules =
                without == null
                        ? StreamRules.ALL
                        : StreamRules.without(StreamRule.valueOf(without));
        if (Boolean.getBoolean("simulation.disk")) {
            SimulationMain.run(DiskStorage::ofCluster, SimulatedLinks.onDisks(rules), 3);
        } else {
            SimulationMain.run(Storage.simulated(), SimulatedLinks.maker(rules), 3);
        }
    }
}
