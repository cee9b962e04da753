package io.godwit.cluster.leadership;

import io.godwit.cluster.leadership.LeadershipSimulation.Trouble;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * {@code -Dsimulation.seed=1}, or {@code -Dsimulation.from=1 -Dsimulation.seeds=1000}; {@code
 * -Dsimulation.trouble=FOUNDERS} and {@code -Dsimulation.without=DISK_BEFORE_ACTING}.
 */
public final class LeadershipSimulationMain {
    private LeadershipSimulationMain() {}

    public static void main(String[] arguments) {
        Long one = Long.getLong("simulation.seed");
        long from = one != null ? one : Long.getLong("simulation.from", 1);
        long seeds = one != null ? 1 : Long.getLong("simulation.seeds", 1_000);
        String missing = System.getProperty("simulation.without");
        Set<LeadershipRule> rules =
                missing == null
                        ? LeadershipRule.ALL
                        : EnumSet.complementOf(EnumSet.of(LeadershipRule.valueOf(missing)));
        String trouble = System.getProperty("simulation.trouble");
        Map<String, Integer> counts = new TreeMap<>();
        int failed = 0;
        long began = System.nanoTime();
        for (long seed = from; seed < from + seeds; seed++) {
            try {
                LeadershipSimulation.run(
                                seed,
                                trouble == null ? Trouble.of(seed) : Trouble.valueOf(trouble),
                                rules)
                        .forEach((what, n) -> counts.merge(what, n, Integer::sum));
            } catch (AssertionError failure) {
                failed++;
                String story = String.valueOf(failure.getMessage());
                System.out.println(one == null ? story.lines().findFirst().orElse("") : story);
            }
        }
        System.out.println(counts);
        System.out.printf(
                "%d seeds, %d failed, %.1f s%n", seeds, failed, (System.nanoTime() - began) / 1e9);
    }
}
