package io.godwit.cluster.replication;

/**
 * How many copies there are, and what they may cost.
 *
 * @param copies of each durable queue, the leader's included: {@code cluster.copies}; 1: there are
 *     no others
 * @param copiesToGive of each durable queue while a node gives all that it has to others: at least
 *     as many; 1: it gives nothing
 * @param confirm when a follower confirms: {@code cluster.confirm}
 * @param fillBytesPerSecond how fast new followers are filled: {@code cluster.copy-rate}
 * @param goneMs a follower that is away, or confirms nothing, for so long is one no more
 * @param retainedBytes that a follower may not have confirmed before it is one no more
 */
public record CopySettings(
        int copies,
        int copiesToGive,
        Confirm confirm,
        long fillBytesPerSecond,
        long goneMs,
        long retainedBytes) {
    /** When a follower confirms a part. */
    public enum Confirm {
        /** When the part is on its disk. */
        COMMITTED,
        /**
         * When the part is in its memory: it may be lost when all copies' machines fail at once.
         */
        RECEIVED
    }

    /**
     * A follower that is known to have ended, while all other members are heard, is one no more
     * after so long: it might be back at once, and those that take over from it are to be done.
     */
    static final long ENDED_MS = 2_000;

    private static final long GONE_MS = 5_000;
    private static final long RETAINED_BYTES = 64 << 20;

    /** Of a cluster whose queues have no copies. */
    public static final CopySettings NONE = of(1, Confirm.COMMITTED, 0);

    /** Returns settings with the usual bounds. */
    public static CopySettings of(int copies, Confirm confirm, long fillBytesPerSecond) {
        return new CopySettings(
                copies, copies, confirm, fillBytesPerSecond, GONE_MS, RETAINED_BYTES);
    }

    /** Returns the same for nodes that may give all that they have, also without other copies. */
    public CopySettings giving() {
        return new CopySettings(
                copies, Math.max(2, copies), confirm, fillBytesPerSecond, goneMs, retainedBytes);
    }

    /** Whether queues have copies at other nodes. */
    public boolean hasCopies() {
        return copies > 1;
    }

    /** Whether a node may give what it has to others. */
    public boolean mayGive() {
        return copiesToGive > 1;
    }
}
