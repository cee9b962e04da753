package io.godwit.cluster.simulation;

import io.godwit.cluster.ClusterRule;
import io.godwit.cluster.ClusterRules;
import io.godwit.core.simulation.Seeds;

/**
 * More seeds than a test run takes: {@code -Dsimulation.seeds=10000 -Dsimulation.from=1}, {@code
 * -Dsimulation.without=CREDITS} to see what notices that a rule is missing.
 */
public final class SimulationMain {
    private SimulationMain() {}

    public static void main(String[] arguments) {
        String without = System.getProperty("simulation.without");
        ClusterRules rules =
                without == null
                        ? ClusterRules.ALL
                        : ClusterRules.without(ClusterRule.valueOf(without));
        new Seeds<>(seed -> Simulation.run(seed, rules)).run(100);
    }
}
