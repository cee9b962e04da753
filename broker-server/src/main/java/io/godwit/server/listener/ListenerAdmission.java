package io.godwit.server.listener;

import io.godwit.server.config.ListenerConfig;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Counts one listener's connections against {@code listeners.<name>.connections} and {@code
 * .connect-rate}, and, with those of all listeners, against what the node admits. Any thread.
 */
final class ListenerAdmission {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** Connections of so many seconds may come at once. */
    private static final int BURST_SECONDS = 2;

    private final Admission node;
    private final int connectionsMax;
    private final long nanosEach;
    private final LongSupplier nanoTime;
    private final AtomicInteger admitted = new AtomicInteger();

    /** The time until which the connections that came are paid for at the rate. */
    private final AtomicLong paidUntil;

    ListenerAdmission(Admission node, ListenerConfig config) {
        this(node, config.connections(), config.connectRate(), System::nanoTime);
    }

    /**
     * @param connectionsMax 0: any number
     * @param connectRate connections a second; 0: any number
     */
    ListenerAdmission(Admission node, int connectionsMax, int connectRate, LongSupplier nanoTime) {
        this.node = node;
        this.connectionsMax = connectionsMax == 0 ? Integer.MAX_VALUE : connectionsMax;
        this.nanosEach = connectRate == 0 ? 0 : SECOND / connectRate;
        this.nanoTime = nanoTime;
        this.paidUntil = new AtomicLong(nanoTime.getAsLong() - BURST_SECONDS * SECOND);
    }

    Admission node() {
        return node;
    }

    /** The verdict is given back by {@link #release}, once. */
    Admission.Verdict admit() {
        if (admitted.incrementAndGet() > connectionsMax) {
            admitted.decrementAndGet();
            return node.refuse(Admission.Verdict.REFUSED);
        }
        Admission.Verdict verdict =
                isInRate() ? node.admit() : node.refuse(Admission.Verdict.TOO_MANY_AT_ONCE);
        if (verdict != Admission.Verdict.ADMITTED) {
            admitted.decrementAndGet();
        }
        return verdict;
    }

    private boolean isInRate() {
        if (nanosEach == 0) {
            return true;
        }
        long now = nanoTime.getAsLong();
        while (true) {
            long before = paidUntil.get();
            long next = Math.max(before - now, -BURST_SECONDS * SECOND) + nanosEach;
            if (next > 0) {
                return false;
            }
            if (paidUntil.compareAndSet(before, now + next)) {
                return true;
            }
        }
    }

    void release(Admission.Verdict verdict) {
        if (verdict == Admission.Verdict.ADMITTED) {
            admitted.decrementAndGet();
        }
        node.release(verdict);
    }
}
