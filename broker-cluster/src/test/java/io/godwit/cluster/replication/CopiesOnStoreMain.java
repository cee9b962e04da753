package io.godwit.cluster.replication;

import java.util.Map;
import java.util.TreeMap;

/**
 * Runs ranges of seeds: first, count, the rule to leave out, or NONE, and anything for take-overs,
 * GIVE for those that leaders ask for, too.
 */
final class CopiesOnStoreMain {
    private CopiesOnStoreMain() {}

    public static void main(String[] arguments) {
        long first = Long.parseLong(arguments[0]);
        long count = Long.parseLong(arguments[1]);
        String off = arguments.length > 2 ? arguments[2] : "NONE";
        CopyRules rules =
                off.equals("NONE") ? CopyRules.ALL : CopyRules.without(CopyRule.valueOf(off));
        Map<String, Integer> counts = new TreeMap<>();
        long began = System.nanoTime();
        int failed = 0;
        for (long seed = first; seed < first + count; seed++) {
            try {
                boolean gives = arguments.length > 3 && arguments[3].equals("GIVE");
                Map<String, Integer> of =
                        gives
                                ? CopiesOnStore.runGiving(seed, rules)
                                : CopiesOnStore.run(seed, rules, arguments.length > 3);
                of.forEach((what, n) -> counts.merge(what, n, Integer::sum));
            } catch (AssertionError e) {
                failed++;
                String text = String.valueOf(e.getMessage());
                System.out.println(count == 1 ? text : text.lines().findFirst().orElse(""));
                if (count == 1) {
                    e.printStackTrace(System.out);
                }
            }
        }
        System.out.printf(
                "%s of %s failed, %s ms, %s%n",
                failed, count, (System.nanoTime() - began) / 1_000_000, counts);
    }
}
