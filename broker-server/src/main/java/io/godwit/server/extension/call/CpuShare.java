package io.godwit.server.extension.call;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Measures the CPU time of an extension's platform threads, and says whether they have used more
 * than their share within the last second. One thread looks, any thread asks.
 */
final class CpuShare {
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final double share;
    private final Clock clock;

    /** Those that may be alive. */
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    /** CPU time of each at the last look; only {@link #look} touches it, as the rest. */
    private final Map<Thread, Long> seen = new HashMap<>();

    private final ArrayDeque<Look> looks = new ArrayDeque<>();
    private volatile long totalNanos;
    private volatile boolean isExceeded;

    private record Look(long atNanos, long totalNanos) {}

    /** Says how much CPU time a thread has used. */
    interface Clock {
        /** Returns nanoseconds; -1: the thread has ended, or nobody can say. */
        long cpuNanos(Thread thread);
    }

    /**
     * @param share processors; 0: any number
     */
    CpuShare(double share, Clock clock) {
        this.share = share;
        this.clock = clock;
    }

    /** Counts a thread from its begin on. */
    void add(Thread thread) {
        threads.add(thread);
    }

    /** Looks at all threads; what one has used since the last look is lost when it ends. */
    void look(long nowNanos) {
        long total = totalNanos;
        for (Thread each : threads) {
            long used = clock.cpuNanos(each);
            if (used >= 0) {
                Long before = seen.put(each, used);
                total += used - (before == null ? 0 : before);
            } else if (each.getState() == Thread.State.TERMINATED) {
                threads.remove(each);
                seen.remove(each);
            }
        }
        totalNanos = total;
        looks.add(new Look(nowNanos, total));
        // One look that is a second old, or older, stays.
        while (looks.size() > 2 && nowNanos - second().atNanos() >= WINDOW_NANOS) {
            looks.remove();
        }
        Look first = looks.getFirst();
        long passed = nowNanos - first.atNanos();
        isExceeded =
                share > 0 && passed >= WINDOW_NANOS && total - first.totalNanos() > share * passed;
    }

    private Look second() {
        var all = looks.iterator();
        all.next();
        return all.next();
    }

    /** Whether more than the share was used within the last second. */
    boolean isExceeded() {
        return isExceeded;
    }

    double share() {
        return share;
    }

    /** Returns the CPU time of all threads so far. */
    double seconds() {
        return totalNanos / 1e9;
    }
}
