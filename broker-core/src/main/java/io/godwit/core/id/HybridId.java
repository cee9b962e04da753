package io.godwit.core.id;

/**
 * A value of a node's hybrid clock with the node's server id: a message id, a generation or a
 * stamp. Two nodes that cannot see each other do give the same clock, so it is never cut to the
 * clock.
 *
 * @param clock of {@link HybridClock}
 * @param server 0..2^24-1
 */
public record HybridId(long clock, int server) implements Comparable<HybridId> {
    /** The highest server id. */
    public static final int SERVER_MAX = (1 << 24) - 1;

    /** The id below every other. */
    public static final HybridId NONE = new HybridId(0, 0);

    /** Not below any other. */
    public static final HybridId MAX = new HybridId(-1, SERVER_MAX);

    /** The highest of all with this clock. */
    public static HybridId lastOf(long clock) {
        return new HybridId(clock, SERVER_MAX);
    }

    /** The highest below it. */
    public HybridId before() {
        return server > 0 ? new HybridId(clock, server - 1) : lastOf(clock - 1);
    }

    @Override
    public int compareTo(HybridId other) {
        return compare(clock, server, other.clock, other.server);
    }

    /** Compares two ids that stand in fields, as {@link #compareTo} does. */
    public static int compare(long clockA, int serverA, long clockB, int serverB) {
        int byClock = Long.compareUnsigned(clockA, clockB);
        return byClock != 0 ? byClock : Integer.compare(serverA, serverB);
    }
}
