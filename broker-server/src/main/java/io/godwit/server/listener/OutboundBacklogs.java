package io.godwit.server.listener;

import io.godwit.server.loop.EventLoops;
import java.util.concurrent.TimeUnit;

/** The {@link OutboundBacklog} of each shard. */
public final class OutboundBacklogs {
    private static final long RECOUNT_MS = 100;

    private final OutboundBacklog[] backlogs;
    private final long bytesMax;

    /**
     * @param bytesMax of all connections together
     */
    public OutboundBacklogs(EventLoops loops, long bytesMax) {
        this.bytesMax = bytesMax;
        backlogs = new OutboundBacklog[loops.count()];
        for (int i = 0; i < backlogs.length; i++) {
            backlogs[i] = new OutboundBacklog(this, loops.get(i));
        }
        for (int i = 0; i < backlogs.length; i++) {
            loops.get(i)
                    .scheduleWithFixedDelay(
                            backlogs[i]::recount, RECOUNT_MS, RECOUNT_MS, TimeUnit.MILLISECONDS);
        }
    }

    OutboundBacklog of(int shard) {
        return backlogs[shard];
    }

    /** What outgoing buffers take, a little aside. */
    public long bytes() {
        long sum = 0;
        for (OutboundBacklog backlog : backlogs) {
            sum += backlog.bytes();
        }
        return sum;
    }

    OutboundBacklog.Level level() {
        long sum = bytes();
        if (sum < bytesMax / 2) {
            return OutboundBacklog.Level.ROOM;
        }
        if (sum < bytesMax / 4 * 3) {
            return OutboundBacklog.Level.TIGHT;
        }
        return sum < bytesMax ? OutboundBacklog.Level.SHORT : OutboundBacklog.Level.FULL;
    }
}
