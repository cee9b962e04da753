package io.godwit.server.extension.call;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Stops calls that keep failing. Any thread; while it is closed {@link #admit} takes no lock.
 *
 * <pre>
 * state    trigger                                                   next
 * CLOSED   of at least 20 calls within 10 s half or more failed      OPEN
 * CLOSED   trip                                                      OPEN
 * OPEN     five trial calls in a row succeeded                       CLOSED
 * </pre>
 *
 * While it is open one call a second is let through, on trial; only these count then.
 */
final class Breaker {
    static final int CALLS_MIN = 20;
    static final int SUCCESSES_TO_CLOSE = 5;
    static final long TRIAL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int BUCKETS = 10;
    private static final long BUCKET_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final int[] calls = new int[BUCKETS];
    private final int[] failures = new int[BUCKETS];
    private final long startNanos;

    /** Number of the bucket that is counted in, from the start on. */
    private long bucket;

    private volatile boolean isOpen;
    private long triedNanos;
    private int successes;

    Breaker(long nowNanos) {
        startNanos = nowNanos;
    }

    /** Says what becomes of a call. */
    enum Admission {
        ADMITTED,
        /** Its result decides whether the breaker stays open. */
        ON_TRIAL,
        REFUSED
    }

    /** Says whether a result has changed the state. */
    enum Change {
        NONE,
        OPENED,
        CLOSED
    }

    Admission admit(long nowNanos) {
        return isOpen ? admitOnTrial(nowNanos) : Admission.ADMITTED;
    }

    private synchronized Admission admitOnTrial(long nowNanos) {
        if (!isOpen) {
            return Admission.ADMITTED;
        }
        if (nowNanos - triedNanos < TRIAL_NANOS) {
            return Admission.REFUSED;
        }
        triedNanos = nowNanos;
        return Admission.ON_TRIAL;
    }

    /** Counts the result of a call that was let through. */
    synchronized Change count(Admission admission, boolean isFailure, long nowNanos) {
        if (isOpen) {
            if (admission != Admission.ON_TRIAL) {
                return Change.NONE; // It began before.
            }
            successes = isFailure ? 0 : successes + 1;
            if (successes < SUCCESSES_TO_CLOSE) {
                return Change.NONE;
            }
            isOpen = false;
            forget();
            return Change.CLOSED;
        }
        moveTo((nowNanos - startNanos) / BUCKET_NANOS);
        int place = (int) (bucket % BUCKETS);
        calls[place]++;
        if (!isFailure) {
            return Change.NONE;
        }
        failures[place]++;
        int all = Arrays.stream(calls).sum();
        int failed = Arrays.stream(failures).sum();
        return all >= CALLS_MIN && 2 * failed >= all ? open(nowNanos) : Change.NONE;
    }

    /** Opens it, whatever was counted. */
    synchronized Change trip(long nowNanos) {
        return isOpen ? Change.NONE : open(nowNanos);
    }

    boolean isOpen() {
        return isOpen;
    }

    private Change open(long nowNanos) {
        successes = 0;
        triedNanos = nowNanos;
        isOpen = true;
        return Change.OPENED;
    }

    private void moveTo(long current) {
        if (current - bucket >= BUCKETS) {
            forget();
            bucket = current;
        }
        while (bucket < current) {
            bucket++;
            calls[(int) (bucket % BUCKETS)] = 0;
            failures[(int) (bucket % BUCKETS)] = 0;
        }
    }

    private void forget() {
        Arrays.fill(calls, 0);
        Arrays.fill(failures, 0);
    }
}
