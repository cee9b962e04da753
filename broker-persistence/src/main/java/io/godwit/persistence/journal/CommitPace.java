package io.godwit.persistence.journal;

/**
 * How far apart commits start. Under load, while most of what they take is acknowledged before it
 * is written, or soon after, they start further apart, so that less has to be written; else as near
 * to each other as configured.
 */
final class CommitPace {
    /** A message that is acknowledged within this time would not be written at the slowest pace. */
    static final long SOON_MS = 16;

    /** Times what is configured, while acknowledgements come before the write already. */
    private static final int SLOW = 4;

    /** Beyond it they grow no further apart: who waits for a commit would notice. */
    private static final long SLOW_NANOS = 4_000_000;

    /** The same while many acknowledgements come just after the write, as from other nodes. */
    private static final long SLOWEST_NANOS = 8_000_000;

    private final long least;
    private final long slow;
    private final long slowest;
    private final int opsMin;
    private long gatherNanos;

    /**
     * @param leastNanos from the start of a commit to the next one's; 0 = always at once
     * @param recordOps operations that fill a record; commits with less than a quarter of it are
     *     not worth a delay
     */
    CommitPace(long leastNanos, int recordOps) {
        least = leastNanos;
        slow = Math.max(leastNanos, Math.min(leastNanos * SLOW, SLOW_NANOS));
        slowest = leastNanos == 0 ? 0 : Math.max(leastNanos, SLOWEST_NANOS);
        opsMin = recordOps / 4;
        gatherNanos = leastNanos;
    }

    /** From the start of the commit before to that of the next one. */
    long gatherNanos() {
        return gatherNanos;
    }

    /**
     * @param told operations that the shards told of in the commit that was made
     * @param cancelled how many of them were not written any more
     * @param soon how many of them remove what was appended less than {@link #SOON_MS} before, and
     *     was written: each of these is one of two that a later commit would have saved
     */
    void committed(long told, long cancelled, long soon) {
        if (told < opsMin || cancelled + 2 * soon < told / 6) {
            gatherNanos = Math.max(least, gatherNanos / 2);
        } else if (2 * soon > told / 3) {
            grow(slowest);
        } else if (cancelled > told / 3) {
            grow(slow);
        }
    }

    private void grow(long mostNanos) {
        if (gatherNanos < mostNanos) {
            gatherNanos = Math.min(mostNanos, gatherNanos + gatherNanos / 2);
        }
    }
}
