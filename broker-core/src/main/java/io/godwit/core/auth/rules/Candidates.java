package io.godwit.core.auth.rules;

import java.util.Arrays;
import java.util.function.IntPredicate;

/** Rules that may match, each with the number of its {@link Who}. */
final class Candidates {
    /** Stands for a rule behind all others: there is none. */
    static final int NONE = Integer.MAX_VALUE;

    private static final int ALL_LOOKED_AT = 8;
    private static final int WHO_SHIFT = 32;

    private long[] entries = new long[1];
    private int length;
    private int lowest = NONE;

    /** Adds a rule, while the list is made; {@link #seal} comes last. */
    void add(int rule, int who) {
        if (length == entries.length) {
            entries = Arrays.copyOf(entries, length * 2);
        }
        entries[length++] = (long) who << WHO_SHIFT | rule;
        lowest = Math.min(lowest, rule);
    }

    /** Ends the making, and returns the first rule. */
    int seal() {
        entries = Arrays.copyOf(entries, length);
        Arrays.sort(entries);
        return lowest;
    }

    boolean isEmpty() {
        return length == 0;
    }

    /**
     * Finds the first rule that passes a test.
     *
     * @param whos what the client meets ({@link WhoIndex#matching})
     * @param below only rules before that one are looked at
     * @return {@code below}: there is none
     */
    int lowest(int[] whos, IntPredicate test, int below) {
        if (lowest >= below) {
            return below;
        }
        int best = below;
        if (entries.length <= ALL_LOOKED_AT || entries.length < whos.length) {
            for (long each : entries) {
                int rule = (int) each;
                if (rule < best && contains(whos, (int) (each >>> WHO_SHIFT)) && test.test(rule)) {
                    best = rule;
                }
            }
            return best;
        }
        for (int who : whos) {
            best = lowestOf(who, test, best);
        }
        return best;
    }

    private int lowestOf(int who, IntPredicate test, int below) {
        int found = Arrays.binarySearch(entries, (long) who << WHO_SHIFT);
        for (int i = found < 0 ? -found - 1 : found; i < entries.length; i++) {
            int rule = (int) entries[i];
            if ((int) (entries[i] >>> WHO_SHIFT) != who || rule >= below) {
                return below;
            }
            if (test.test(rule)) {
                return rule;
            }
        }
        return below;
    }

    private static boolean contains(int[] whos, int who) {
        if (whos.length > ALL_LOOKED_AT) {
            return Arrays.binarySearch(whos, who) >= 0;
        }
        for (int each : whos) {
            if (each == who) {
                return true;
            }
        }
        return false;
    }
}
