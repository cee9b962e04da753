package io.godwit.server.listener;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the node's connections against {@code limits.connections} and the open files. Those beyond
 * are refused in order: with a CONNACK while a small number of such refusals is under way, else by
 * closing at once. Browsers whose page may not come in are counted here too.
 */
public final class Admission {
    /** What happens to a connection that was accepted from the kernel. */
    enum Verdict {
        ADMITTED,
        /** Tell the client why, then close. */
        REFUSED,
        /** Tell the client that connections come faster than they may, then close. */
        TOO_MANY_AT_ONCE,
        /** Close at once: too many refusals are under way. */
        DROPPED,
        /** Close at once what would be TOO_MANY_AT_ONCE. */
        DROPPED_AT_ONCE;

        boolean isDropped() {
            return this == DROPPED || this == DROPPED_AT_ONCE;
        }

        /** Whether a rate refuses it, and no limit on connections at the same time. */
        boolean isTooFast() {
            return this == TOO_MANY_AT_ONCE || this == DROPPED_AT_ONCE;
        }
    }

    private final AtomicInteger admitted = new AtomicInteger();
    private final AtomicInteger refusing = new AtomicInteger();
    private final LongAdder foreignPages = new LongAdder();
    private final int connectionsMax;
    private final int refusingMax;

    /**
     * @param connectionsMax connections at the same time
     * @param refusingMax refusals under way at the same time; each holds an open file for a moment
     */
    public Admission(int connectionsMax, int refusingMax) {
        this.connectionsMax = connectionsMax;
        this.refusingMax = refusingMax;
    }

    /** The verdict is given back by {@link #release}, once. */
    Verdict admit() {
        if (take(admitted, connectionsMax)) {
            return Verdict.ADMITTED;
        }
        return refuse(Verdict.REFUSED);
    }

    /**
     * Counts a connection that is to be refused, for a reason of its own.
     *
     * @return the verdict, or that it is dropped when too many refusals are under way
     */
    Verdict refuse(Verdict why) {
        if (take(refusing, refusingMax)) {
            return why;
        }
        return why.isTooFast() ? Verdict.DROPPED_AT_ONCE : Verdict.DROPPED;
    }

    private static boolean take(AtomicInteger count, int max) {
        if (count.incrementAndGet() <= max) {
            return true;
        }
        count.decrementAndGet();
        return false;
    }

    void release(Verdict verdict) {
        switch (verdict) {
            case ADMITTED -> admitted.decrementAndGet();
            case REFUSED, TOO_MANY_AT_ONCE -> refusing.decrementAndGet();
            case DROPPED, DROPPED_AT_ONCE -> {}
        }
    }

    /** Connections now, those being refused not counted. */
    public int connections() {
        return admitted.get();
    }

    /** A WebSocket was refused for its Origin. */
    void refuseForeignPage() {
        foreignPages.increment();
    }

    public long foreignPages() {
        return foreignPages.sum();
    }

    public int connectionsMax() {
        return connectionsMax;
    }
}
