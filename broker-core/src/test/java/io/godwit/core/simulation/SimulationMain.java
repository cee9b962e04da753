package io.godwit.core.simulation;

import io.godwit.core.settings.Rule;
import io.godwit.core.settings.Rules;

/** More seeds than a test run takes: {@code -Dsimulation.seeds=100000 -Dsimulation.from=1}. */
public final class SimulationMain {
    private SimulationMain() {}

    public static void main(String[] arguments) {
        run(SimulatedStore::new, null, 1);
    }

    /** Runs the seeds on a storage of another kind, whose rules its caller has looked at. */
    public static void run(Storage.Maker storages) {
        run(storages, null, 1, Rules.ALL);
    }

    /**
     * Runs the seeds with nodes that are one cluster.
     *
     * @param nodesElse how many when {@code -Dsimulation.nodes} does not say
     */
    public static void run(Storage.Maker storages, SimulatedCluster.Maker clusters, int nodesElse) {
        String without = System.getProperty("simulation.without");
        Rules rules = without == null ? Rules.ALL : Rules.without(Rule.valueOf(without));
        run(storages, clusters, nodesElse, rules);
    }

    private static void run(
            Storage.Maker storages, SimulatedCluster.Maker clusters, int nodesElse, Rules rules) {
        int nodes = Integer.getInteger("simulation.nodes", nodesElse);
        new Seeds<>(seed -> Simulation.run(seed, nodes, rules, storages, clusters)).run(1_000);
    }
}
