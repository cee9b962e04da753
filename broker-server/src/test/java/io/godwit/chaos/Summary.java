package io.godwit.chaos;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;

/**
 * Says in one sentence what a run has shown: how much happened, and which promises were broken.
 *
 * @param faults kills, stops, pauses, cuts, nodes that are lost, and faults of the disk
 * @param broken other promises that were broken
 */
record Summary(
        int rounds,
        long faults,
        long acknowledged,
        int lost,
        int doubled,
        int reordered,
        int broken) {
    /** A power cut is counted as the kill that it begins with. */
    private static final Happening[] FAULTS = {
        Happening.KILLS,
        Happening.KILLS_WHILE_STARTING,
        Happening.STOPS,
        Happening.NODES_LOST,
        Happening.DISKS_LOST,
        Happening.CONNECTION_CUTS,
        Happening.PAUSES,
        Happening.CUTS,
        Happening.CUTS_ONE_WAY,
        Happening.SHORT_DISKS,
        Happening.FULL_DISKS,
        Happening.SLOW_DISKS,
        Happening.FAULTS
    };

    static Summary of(int rounds, Tally tally, Map<Violation.Kind, Integer> violations) {
        int all = violations.values().stream().mapToInt(each -> each).sum();
        int lost = count(violations, Violation.Kind.LOST);
        int doubled = count(violations, Violation.Kind.DOUBLE);
        int reordered =
                count(violations, Violation.Kind.DISORDER)
                        + count(violations, Violation.Kind.WILL_DISORDER);
        return new Summary(
                rounds,
                Arrays.stream(FAULTS).mapToLong(tally::of).sum(),
                tally.of(Happening.ACKNOWLEDGED),
                lost,
                doubled,
                reordered,
                all - lost - doubled - reordered);
    }

    private static int count(Map<Violation.Kind, Integer> violations, Violation.Kind kind) {
        return violations.getOrDefault(kind, 0);
    }

    @Override
    public String toString() {
        String others =
                broken == 0
                        ? ""
                        : String.format(Locale.ROOT, ", %,d other promises broken", broken);
        return String.format(
                Locale.ROOT,
                "%s, %s, %,d messages acknowledged: %,d lost, %,d doubled, %,d reordered%s.",
                many(rounds, "round"),
                many(faults, "fault"),
                acknowledged,
                lost,
                doubled,
                reordered,
                others);
    }

    private static String many(long count, String noun) {
        return String.format(Locale.ROOT, "%,d %s%s", count, noun, count == 1 ? "" : "s");
    }
}
