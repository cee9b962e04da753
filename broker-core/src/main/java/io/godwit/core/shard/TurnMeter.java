package io.godwit.core.shard;

import io.godwit.core.time.TimeSource;

/**
 * How long the turns of one shard were, and what they were made of. Written on the shard's thread,
 * read by any.
 */
public final class TurnMeter {
    /** Others wait longer than they should. */
    private static final long LONG_NANOS = 5_000_000;

    /** A turn that has taken so long begins nothing more that may take long. */
    private static final long ENOUGH_NANOS = 2_000_000;

    /** How long the longest turn of late is told, twice that at most. */
    private static final long RECENT_NANOS = 30_000_000_000L;

    private final TimeSource time;
    private long startNanos;
    private long startCpuNanos;
    private long recentSinceNanos;
    private volatile long longestNanos;
    private volatile long longestCpuNanos;
    private volatile long recentNanos;
    private volatile long recentBeforeNanos;
    private volatile long longTurns;
    private volatile long longCpuTurns;
    private volatile int endsMost;

    TurnMeter(TimeSource time) {
        this.time = time;
        recentSinceNanos = time.nanos();
    }

    /** Begins a turn, and tells when: {@link TimeSource#nanos}. */
    long begin() {
        startNanos = time.nanos();
        startCpuNanos = time.cpuNanos();
        return startNanos;
    }

    /** Whether the turn has taken so long that what else may take long is for the next one. */
    boolean isLong() {
        return time.nanos() - startNanos >= ENOUGH_NANOS;
    }

    /**
     * Ends the turn, and tells when: {@link TimeSource#nanos}.
     *
     * @param ends connections that the end of the turn attended to
     */
    long end(int ends) {
        long now = time.nanos();
        long took = now - startNanos;
        if (now - recentSinceNanos > RECENT_NANOS) {
            recentSinceNanos = now;
            recentBeforeNanos = recentNanos;
            recentNanos = took;
        } else if (took > recentNanos) {
            recentNanos = took;
        }
        if (took > LONG_NANOS) {
            onLong(took);
        } else if (took > longestNanos) {
            longestNanos = took;
        }
        if (ends > endsMost) {
            endsMost = ends;
        }
        return now;
    }

    private void onLong(long took) {
        longTurns++;
        longestNanos = Math.max(longestNanos, took);
        long cpu = time.cpuNanos() - startCpuNanos;
        longestCpuNanos = Math.max(longestCpuNanos, cpu);
        if (cpu > LONG_NANOS) {
            longCpuTurns++;
        }
    }

    /** The longest turn so far, in nanoseconds. */
    public long longestNanos() {
        return longestNanos;
    }

    /** The longest of the last 30 to 60 seconds. */
    public long recentNanos() {
        return Math.max(recentNanos, recentBeforeNanos);
    }

    /** Turns of more than 5 ms so far. */
    public long longTurns() {
        return longTurns;
    }

    /**
     * Those of them in which the thread had a processor for more than 5 ms; see {@link
     * TimeSource#cpuNanos}.
     */
    public long longCpuTurns() {
        return longCpuTurns;
    }

    /** The most that the thread had a processor in one of {@link #longTurns}. */
    public long longestCpuNanos() {
        return longestCpuNanos;
    }

    /** The most connections that the end of one turn attended to. */
    public int endsMost() {
        return endsMost;
    }
}
