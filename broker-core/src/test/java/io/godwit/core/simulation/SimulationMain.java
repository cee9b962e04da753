package io.godwit.core.simulation;

import io.godwit.core.settings.Rule;
import io.godwit.core.settings.Rules;
import java.util.EnumMap;
import java.util.Map;

/** More seeds than a test run takes: {@code -Dsimulation.seeds=100000 -Dsimulation.from=1}. */
public final class SimulationMain {
    private SimulationMain() {}

    public static void main(String[] arguments) {
        run(SimulatedStore::new);
    }

    /** The same on a storage of another kind. */
    public static void run(Storage.Maker storages) {
        run(storages, null, 1);
    }

    /**
     * The same with nodes that are one cluster.
     *
     * @param nodesElse how many when {@code -Dsimulation.nodes} does not say
     */
    public static void run(Storage.Maker storages, SimulatedCluster.Maker clusters, int nodesElse) {
        long from = Long.getLong("simulation.seed", Long.getLong("simulation.from", 1));
        long seeds =
                Long.getLong("simulation.seed") != null
                        ? 1
                        : Long.getLong("simulation.seeds", 1_000);
        int nodes = Integer.getInteger("simulation.nodes", nodesElse);
        String without = System.getProperty("simulation.without");
        Rules rules = without == null ? Rules.ALL : Rules.without(Rule.valueOf(without));
        boolean goOn = Boolean.getBoolean("simulation.all");
        int storyLines = Integer.getInteger("simulation.story", 60);
        EnumMap<Happening, Long> counts = new EnumMap<>(Happening.class);
        int failed = 0;
        long began = System.nanoTime();
        for (long seed = from; seed < from + seeds; seed++) {
            try {
                for (Map.Entry<Happening, Long> each :
                        Simulation.run(seed, nodes, rules, storages, clusters).entrySet()) {
                    counts.merge(each.getKey(), each.getValue(), Long::sum);
                }
            } catch (SimulationFailure failure) {
                failed++;
                String[] lines = failure.getMessage().split("\n");
                System.out.println(lines[0]);
                if (!goOn) {
                    for (int i = Math.max(1, lines.length - storyLines); i < lines.length; i++) {
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
