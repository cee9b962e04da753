package io.godwit.cluster.simulation;

import io.godwit.cluster.ClusterRule;
import io.godwit.cluster.ClusterRules;
import io.godwit.core.simulation.SimulationMain;
import io.godwit.core.simulation.Storage;

/**
 * Seeds of nodes that are one cluster: {@code -Dsimulation.seeds=1000 -Dsimulation.from=1
 * -Dsimulation.nodes=3}; {@code -Dsimulation.without=SUBACK_WAITS_FOR_ROUTES} switches a rule off.
 */
public final class ClusterSimulationMain {
    private ClusterSimulationMain() {}

    public static void main(String[] arguments) {
        String without = System.getProperty("simulation.without");
        ClusterRules rules =
                without == null
                        ? ClusterRules.ALL
                        : ClusterRules.without(ClusterRule.valueOf(without));
        SimulationMain.run(Storage.simulated(), SimulatedLinks.maker(rules), 3);
    }
}
