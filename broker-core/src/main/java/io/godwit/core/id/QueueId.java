package io.godwit.core.id;

import java.util.stream.LongStream;

/** Queue ids: server id in the upper 24 bits, a counter in the lower 40; never given twice. */
public final class QueueId {
    /** The highest counter. */
    public static final long COUNTER_MAX = 0xFF_FFFF_FFFFL;

    private QueueId() {}

    public static long of(int serverId, long counter) {
        return (long) serverId << 40 | counter & COUNTER_MAX;
    }

    /** Server id of the node that gave a queue id. */
    public static int server(long queueId) {
        return (int) (queueId >>> 40);
    }

    /** Sorts queue ids as their bytes are sorted: without a sign. */
    public static long[] sorted(LongStream queueIds) {
        return queueIds.map(each -> each ^ Long.MIN_VALUE)
                .sorted()
                .map(each -> each ^ Long.MIN_VALUE)
                .toArray();
    }
}
