package io.godwit.core.id;

/** Queue ids: server id in the upper 24 bits, a counter in the lower 40; never given twice. */
public final class QueueId {
    /** The highest counter. */
    public static final long COUNTER_MAX = 0xFF_FFFF_FFFFL;

    private QueueId() {}

    public static long of(int serverId, long counter) {
        return (long) serverId << 40 | counter & COUNTER_MAX;
    }
}
