package io.godwit.persistence.journal;

/**
 * How far apart commits start. Under load, while most of what they take is acknowledged before it
 * is written, they start further apart, so that even less has to be written; else as near to each
 * other as configured.
 */
final class CommitPace {
    /** Times what is configured. */
    private static final int SLOWEST = 4;

    /** Beyond it they grow no further apart: who waits for a commit would notice. */
    private static final long MOST_NANOS = 4_000_000;

    private final long least;
    private final long most;
    private final int opsMin;
    private long gatherNanos;

    /**
     * @param leastNanos from the start of a commit to the next one's; 0 = always at once
     * @param recordOps operations that fill a record; commits with less than a quarter of it are
     *     not worth a delay
     */
    CommitPace(long leastNanos, int recordOps) {
        least = leastNanos;
        most = Math.max(leastNanos, Math.min(leastNanos * SLOWEST, MOST_NANOS));
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
     */
    void committed(long told, long cancelled) {
        if (told < opsMin || cancelled < told / 6) {
            gatherNanos = Math.max(least, gatherNanos / 2);
        } else if (cancelled > told / 3) {
            gatherNanos = Math.min(most, gatherNanos + gatherNanos / 2);
        }
    }
}
