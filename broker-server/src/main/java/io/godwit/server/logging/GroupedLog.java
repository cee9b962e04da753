package io.godwit.server.logging;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Lets an event that repeats be logged once in a while, with how often it happened. Any thread. */
public final class GroupedLog {
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final LongSupplier nanoTime;
    private final AtomicLong quietUntil;
    private final AtomicLong count = new AtomicLong();

    public GroupedLog() {
        this(System::nanoTime);
    }

    GroupedLog(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.quietUntil = new AtomicLong(nanoTime.getAsLong());
    }

    /**
     * Call for each event.
     *
     * @return how many there were since the last that was logged, this one included; 0 = don't log
     */
    public long due() {
        count.incrementAndGet();
        long now = nanoTime.getAsLong();
        long until = quietUntil.get();
        return now - until >= 0 && quietUntil.compareAndSet(until, now + QUIET_NANOS)
                ? count.getAndSet(0)
                : 0;
    }
}
