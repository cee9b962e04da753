package io.godwit.core.time;

/** The clocks that a shard reads, once per loop turn. */
public interface TimeSource {
    /** Monotonic milliseconds from an arbitrary origin, which timers run on. */
    long monotonicMs();

    /** Monotonic nanoseconds, by which durations of turns are measured. */
    long nanos();

    /** Epoch milliseconds of the wall clock, which message expiry and ids are made of. */
    long wallMs();
}
