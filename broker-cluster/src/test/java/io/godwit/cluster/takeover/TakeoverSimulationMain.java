package io.godwit.cluster.takeover;

import io.godwit.cluster.takeover.TakeoverSimulation.Trouble;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/**
 * {@code -Dsimulation.seed=1}, or {@code -Dsimulation.from=1 -Dsimulation.seeds=1000}; {@code
 * -Dsimulation.trouble=DEATHS} and {@code -Dsimulation.without=TWO_ANCHORS}.
 */
public final class TakeoverSimulationMain {
    private TakeoverSimulationMain() {}

    public static void main(String[] arguments) {
        Long one = Long.getLong("simulation.seed");
        long from = one != null ? one : Long.getLong("simulation.from", 1);
        long seeds = one != null ? 1 : Long.getLong("simulation.seeds", 1_000);
        int lines = Integer.getInteger("simulation.story", 80);
        Map<String, Integer> counts = new TreeMap<>();
        int failed = 0;
        long began = System.nanoTime();
        for (long seed = from; seed < from + seeds; seed++) {
            try {
                TakeoverSimulation.run(seed, trouble(seed), rules())
                        .forEach((what, n) -> counts.merge(what, n, Integer::sum));
            } catch (AssertionError failure) {
                failed++;
                String[] story = String.valueOf(failure.getMessage()).split("\n", -1);
                System.out.println(story[0]);
                for (int i = Math.max(1, story.length - lines);
                        one != null && i < story.length;
                        i++) {
                    System.out.println(story[i]);
                }
                if (one != null) {
                    Objects.requireNonNull(failure.getCause()).printStackTrace(System.out);
                }
            }
        }
        System.out.println(counts);
        System.out.printf(
                "%d seeds, %d failed, %.1f s%n", seeds, failed, (System.nanoTime() - began) / 1e9);
    }

    private static Trouble trouble(long seed) {
        String named = System.getProperty("simulation.trouble");
        return named == null ? Trouble.of(seed) : Trouble.valueOf(named);
    }

    private static Set<TakeoverRule> rules() {
        String missing = System.getProperty("simulation.without");
        return missing == null
                ? TakeoverRule.ALL
                : EnumSet.complementOf(EnumSet.of(TakeoverRule.valueOf(missing)));
    }
}
