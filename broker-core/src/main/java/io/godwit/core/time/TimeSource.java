package io.godwit.core.time;

/** The clocks that a shard reads, once per loop turn. */
public interface TimeSource {
    /** A start further ahead of what an earlier one has seen is a long stop, or a wrong clock. */
    long LONG_STOP_MS = 24 * 3_600_000L;

    /** Monotonic milliseconds from an arbitrary origin, which timers run on. */
    long monotonicMs();

    /** Monotonic nanoseconds, by which durations of turns are measured. */
    long nanos();

    /**
     * Nanoseconds that the calling thread has had a processor, from an arbitrary origin; always 0
     * unless somebody wants to know, since asking takes longer than the other clocks.
     */
    default long cpuNanos() {
        return 0;
    }

    /** Epoch milliseconds of the wall clock: when what comes now will expire. */
    long wallMs();

    /**
     * The wall clock as far as it is believed for what can't be taken back: by it sessions and
     * messages expire, and ids are given. After a start that is more than a day ahead of what the
     * store has seen it goes on from there, until the new time has held.
     *
     * @return epoch milliseconds, never above {@link #wallMs}
     */
    default long sureMs() {
        return wallMs();
    }
}
