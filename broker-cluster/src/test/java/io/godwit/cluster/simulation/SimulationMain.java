package io.godwit.cluster.simulation;

import io.godwit.cluster.ClusterRule;
import io.godwit.cluster.ClusterRules;
import java.util.EnumMap;
import java.util.Map;

/**
 * More seeds than a test run takes: {@code -Dsimulation.seeds=10000 -Dsimulation.from=1}, {@code
 * -Dsimulation.without=CREDITS} to see what notices that a rule is missing.
 */
public final class SimulationMain {
    private SimulationMain() {}

    public static void main(String[] arguments) {
        Long one = Long.getLong("simulation.seed");
        long from = one != null ? one : Long.getLong("simulation.from", 1);
        long seeds = one != null ? 1 : Long.getLong("simulation.seeds", 100);
        String without = System.getProperty("simulation.without");
        boolean goOn = Boolean.getBoolean("simulation.all");
        ClusterRules rules =
                without == null
                        ? ClusterRules.ALL
                        : ClusterRules.without(ClusterRule.valueOf(without));
        EnumMap<Happening, Long> counts = new EnumMap<>(Happening.class);
        int failed = 0;
        long began = System.nanoTime();
        for (long seed = from; seed < from + seeds; seed++) {
            try {
                for (Map.Entry<Happening, Long> each : Simulation.run(seed, rules).entrySet()) {
                    counts.merge(each.getKey(), each.getValue(), Long::sum);
                }
            } catch (AssertionError failure) {
                failed++;
                String[] lines = failure.getMessage().split("\n");
                System.out.println(lines[0]);
                if (!goOn) {
                    int story = Integer.getInteger("simulation.story", 60);
                    for (int i = Math.max(1, lines.length - story); i < lines.length; i++) {
                        System.out.println(lines[i]);
                    }
                    failure.getCause().printStackTrace(System.out);
                    break;
                }
            }
        }
        System.out.println(counts);
        System.out.printf(
                "%d seeds, %d failed, %.1f s%n", seeds, failed, (System.nanoTime() - began) / 1e9);
    }
}
