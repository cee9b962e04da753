package io.godwit.cluster.registration;

import io.godwit.cluster.registration.RegistrationSimulation.Trouble;
import java.util.Map;
import java.util.TreeMap;

/** Runs seeds of {@link RegistrationSimulation}, with users and without: first and last one. */
final class RegistrationSimulationMain {
    private RegistrationSimulationMain() {}

    public static void main(String[] args) {
        long first = Long.parseLong(args[0]);
        long last = Long.parseLong(args[1]);
        int failed = 0;
        Map<String, Integer> counts = new TreeMap<>();
        for (long seed = first; seed <= last; seed++) {
            for (Trouble trouble : Trouble.values()) {
                for (boolean hasUsers : new boolean[] {false, true}) {
                    try {
                        run(seed, trouble, hasUsers)
                                .forEach((what, n) -> counts.merge(what, n, Integer::sum));
                    } catch (AssertionError e) {
                        failed++;
                        String text = args.length > 2 ? e.getMessage() : firstLine(e);
                        System.out.println((hasUsers ? "with users: " : "") + text);
                    }
                }
            }
        }
        System.out.println(failed + " failed; " + counts);
    }

    private static Map<String, Integer> run(long seed, Trouble trouble, boolean hasUsers) {
        return hasUsers
                ? RegistrationSimulation.runWithUsers(seed, trouble)
                : RegistrationSimulation.run(seed, trouble);
    }

    private static String firstLine(AssertionError e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }
}
