package io.godwit.server.admin;

import io.godwit.core.load.GroupedLine;
import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts refusals by cause, and tells the log of those that are no client's doing. */
final class AdminRefusals {
    private static final Logger log = LoggerFactory.getLogger(AdminRefusals.class);

    private final AtomicLongArray counts = new AtomicLongArray(AdminRefusal.values().length);
    private final GroupedLine failures =
            new GroupedLine(log, "Closing the admin connection of {} without an answer{}");

    /** Any thread. */
    void count(AdminRefusal cause) {
        counts.incrementAndGet(cause.ordinal());
    }

    /**
     * A connection ends without an answer. On the admin thread.
     *
     * @param client its address
     */
    void failed(Object client, Throwable cause) {
        if (cause instanceof OutOfMemoryError) {
            count(AdminRefusal.MEMORY);
        } else if (cause instanceof IOException || cause instanceof DecoderException) {
            log.debug("Closing the admin connection of {}", client, cause);
            return;
        }
        failures.warn(TimeUnit.NANOSECONDS.toMillis(System.nanoTime()), client, cause);
    }

    /** Any thread. */
    long get(AdminRefusal cause) {
        return counts.get(cause.ordinal());
    }
}
