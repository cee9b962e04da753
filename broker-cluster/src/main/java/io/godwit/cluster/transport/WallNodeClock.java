package io.godwit.cluster.transport;

import io.godwit.core.time.TimeSource;
import java.util.concurrent.atomic.AtomicLong;

/** The wall clock, lifted to what other nodes have sent, as a hybrid clock's value. */
public final class WallNodeClock implements NodeClock {
    private static final int COUNTER_BITS = 16;

    private final TimeSource time;
    private final long offsetMaxMs;
    private final AtomicLong highest = new AtomicLong();

    /**
     * @param offsetMaxMs how far another clock may be ahead of the own wall clock
     */
    public WallNodeClock(TimeSource time, long offsetMaxMs) {
        this.time = time;
        this.offsetMaxMs = offsetMaxMs;
    }

    @Override
    public long now() {
        return Math.max(time.wallMs() << COUNTER_BITS, highest.get());
    }

    @Override
    public long monotonicMs() {
        return time.monotonicMs();
    }

    /** Returns the highest value that another node has sent; 0: none. */
    public long observed() {
        return highest.get();
    }

    @Override
    public boolean observe(long other) {
        if ((other >>> COUNTER_BITS) - time.wallMs() > offsetMaxMs) {
            return false;
        }
        long known = highest.get();
        while (Long.compareUnsigned(other, known) > 0 && !highest.compareAndSet(known, other)) {
            known = highest.get();
        }
        return true;
    }
}
