package io.godwit.server.listener;

import io.godwit.server.loop.EventLoops;
import java.util.concurrent.TimeUnit;

/** The {@link OutboundBacklog} of each shard. */
public final class OutboundBacklogs {
    private static final long RECOUNT_MS = 100;

    private final OutboundBacklog[] backlogs;

    public OutboundBacklogs(EventLoops loops) {
        backlogs = new OutboundBacklog[loops.count()];
        for (int i = 0; i < backlogs.length; i++) {
            OutboundBacklog backlog = new OutboundBacklog();
            backlogs[i] = backlog;
            loops.get(i)
                    .scheduleWithFixedDelay(
                            backlog::recount, RECOUNT_MS, RECOUNT_MS, TimeUnit.MILLISECONDS);
        }
    }

    OutboundBacklog of(int shard) {
        return backlogs[shard];
    }

    /** Bytes that wait for sockets which take them slowly; as of the last tenth of a second. */
    public long bytes() {
        long sum = 0;
        for (OutboundBacklog backlog : backlogs) {
            sum += backlog.bytes();
        }
        return sum;
    }
}
