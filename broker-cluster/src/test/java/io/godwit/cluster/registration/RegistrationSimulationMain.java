package io.godwit.cluster.registration;

import io.godwit.cluster.registration.RegistrationSimulation.Trouble;
import java.util.Map;
import java.util.TreeMap;

/** Runs seeds of {@link RegistrationSimulation}: first and last one. */
final class RegistrationSimulationMain {
    private RegistrationSimulationMain() {}

    public static void main(String[] args) {
        long first = Long.parseLong(args[0]);
        long last = Long.parseLong(args[1]);
        int failed = 0;
        Map<String, Integer> counts = new TreeMap<>();
        for (long seed = first; seed <= last; seed++) {
            for (Trouble trouble : Trouble.values()) {
                try {
                    RegistrationSimulation.run(seed, trouble)
                            .forEach((what, n) -> counts.merge(what, n, Integer::sum));
                } catch (AssertionError e) {
                    failed++;
                    System.out.println(args.length > 2 ? e.getMessage() : firstLine(e));
                }
            }
        }
        System.out.println(failed + " failed; " + counts);
    }

    private static String firstLine(AssertionError e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }
}
