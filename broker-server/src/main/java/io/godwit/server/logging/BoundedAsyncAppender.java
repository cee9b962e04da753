package io.godwit.server.logging;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.spi.ILoggingEvent;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes on a thread of its own, so that a terminal or a pipe that nobody reads never holds up a
 * shard. What doesn't fit is dropped and counted.
 */
final class BoundedAsyncAppender extends AsyncAppender {
    private static final int LINES_MAX = 8_192;
    private static final AtomicLong DROPPED = new AtomicLong();

    BoundedAsyncAppender() {
        setName("async");
        setQueueSize(LINES_MAX);
        setDiscardingThreshold(0);
        setNeverBlock(true);
    }

    /** Lines dropped since the start. */
    static long dropped() {
        return DROPPED.get();
    }

    @Override
    protected void append(ILoggingEvent event) {
        if (getRemainingCapacity() == 0) {
            DROPPED.incrementAndGet();
        } else {
            super.append(event);
        }
    }
}
