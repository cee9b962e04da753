package io.godwit.cluster.broker;

import io.godwit.core.settings.Rule;
import io.godwit.core.settings.Rules;
import java.util.Map;
import java.util.TreeMap;

/**
 * Runs seeds of {@link RoamingClients}: {@code from count breaks drains groups crowded without
 * roving slow}.
 */
final class RoamingClientsMain {
    private RoamingClientsMain() {}

    public static void main(String[] args) {
        long from = Long.parseLong(args[0]);
        int count = Integer.parseInt(args[1]);
        boolean breaks = Boolean.parseBoolean(args[2]);
        boolean drains = args.length > 3 && Boolean.parseBoolean(args[3]);
        boolean groups = args.length > 4 && Boolean.parseBoolean(args[4]);
        boolean crowded = args.length > 5 && Boolean.parseBoolean(args[5]);
        boolean isWhole = args.length < 7 || args[6].equals("NONE");
        Rules rules = isWhole ? Rules.ALL : Rules.without(Rule.valueOf(args[6]));
        boolean roving = args.length > 7 && Boolean.parseBoolean(args[7]);
        boolean slow = args.length > 8 && Boolean.parseBoolean(args[8]);
        Map<String, Integer> counts = new TreeMap<>();
        int failed = 0;
        for (long seed = from; seed < from + count; seed++) {
            try {
                RoamingClients.run(seed, breaks, drains, groups, crowded, roving, slow, rules)
                        .forEach((what, n) -> counts.merge(what, n, Integer::sum));
            } catch (AssertionError e) {
                failed++;
                String text = String.valueOf(e.getMessage());
                System.out.println(count == 1 ? text : text.lines().findFirst().orElse(""));
                if (count == 1) {
                    e.printStackTrace();
                }
            }
        }
        System.out.println(counts + ", failed " + failed);
    }
}
