package io.godwit.server;

import io.godwit.core.time.TimeSource;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The machine's clocks. The wall clock that shards see runs with the monotonic one; when the
 * machine's wall clock jumps (an operator, a bad time server), the jump is told at once and
 * followed only after it has held: so a message doesn't expire since somebody set the year wrong
 * for a minute.
 *
 * <p>It is never before what the store has seen: a machine that starts with the year 2006 and is
 * corrected a minute later would end every session by that. Until the wall clock has passed that
 * time, shards see one that goes on from it, at half the pace, so that one that was ahead is caught
 * up with.
 *
 * <p>A start that is more than {@link TimeSource#LONG_STOP_MS} ahead of what the store has seen may
 * be one with a wrong clock, too. What comes then is stamped with the wall clock, but what expires,
 * and ids, go by a time that runs on from what the store has seen until the wall clock has held.
 */
public final class SystemTime implements TimeSource {
    /** More than this between two looks is a jump; less is followed at once. */
    static final long JUMP_MS = 2_000;

    /**
     * The system property that has the processor time of turns taken beside their length, which
     * tells work from collections and from waiting for a processor: a system call for each turn.
     */
    public static final String TURN_CPU = "godwit.turn.cpu";

    private static final long NANOS_PER_MS = 1_000_000;

    private final @Nullable ThreadMXBean threads =
            Boolean.getBoolean(TURN_CPU) ? ManagementFactory.getThreadMXBean() : null;
    private final LongSupplier nanoTime;
    private final LongSupplier wallClock;

    /** How long a jump must hold until it is believed. */
    private final long holdMs;

    /** The store has seen this time. */
    private volatile long floorMs = Long.MIN_VALUE;

    private volatile long floorSinceMs;

    /** What expires goes by a clock that runs on from {@link #floorMs}. */
    private volatile boolean isAhead;

    /** Wall clock minus monotonic clock, as shards see it. */
    private volatile long offsetMs;

    // Below: only the thread that calls adjust().
    private long suspectOffsetMs;
    private long suspectSinceMs;
    private boolean suspicious;

    SystemTime(LongSupplier nanoTime, LongSupplier wallClock, long holdMs) {
        this.holdMs = holdMs;
        this.nanoTime = nanoTime;
        this.wallClock = wallClock;
        this.offsetMs = wallClock.getAsLong() - monotonicMs();
    }

    /**
     * Compares the clocks; call about once a second, from one thread.
     *
     * @param onJump told the milliseconds of a jump when it is seen
     */
    void adjust(LongConsumer onJump) {
        long now = monotonicMs();
        long offset = wallClock.getAsLong() - now;
        if (Math.abs(offset - offsetMs) <= JUMP_MS) {
            offsetMs = offset;
            suspicious = false;
            if (now - floorSinceMs >= holdMs) {
                isAhead = false;
            }
        } else if (!suspicious || Math.abs(offset - suspectOffsetMs) > JUMP_MS) {
            suspicious = true;
            suspectOffsetMs = offset;
            suspectSinceMs = now;
            onJump.accept(offset - offsetMs);
        } else if (now - suspectSinceMs >= holdMs) {
            offsetMs = offset;
            suspicious = false;
        }
    }

    @Override
    public long monotonicMs() {
        return nanoTime.getAsLong() / NANOS_PER_MS;
    }

    @Override
    public long nanos() {
        return nanoTime.getAsLong();
    }

    @Override
    public long wallMs() {
        long now = monotonicMs();
        return Math.max(now + offsetMs, lowest(now));
    }

    @Override
    public long sureMs() {
        if (!isAhead) {
            return wallMs();
        }
        return Math.min(wallMs(), floorMs + (monotonicMs() - floorSinceMs));
    }

    @Override
    public long cpuNanos() {
        return threads == null ? 0 : threads.getCurrentThreadCpuTime();
    }

    /** Half the pace, from what the store has seen. */
    private long lowest(long now) {
        return floorMs == Long.MIN_VALUE ? floorMs : floorMs + (now - floorSinceMs) / 2;
    }

    /**
     * Before anything is decided by the time.
     *
     * @param seenMs epoch milliseconds that an earlier start has seen; 0 when there was none
     * @return how far the wall clock is ahead of that; below 0: behind
     */
    long startAbove(long seenMs) {
        floorSinceMs = monotonicMs();
        floorMs = seenMs;
        long aheadMs = floorSinceMs + offsetMs - seenMs;
        isAhead = seenMs > 0 && aheadMs > LONG_STOP_MS;
        return aheadMs;
    }
}
