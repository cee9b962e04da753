package io.godwit.core.time;

/** Where a shard gets the time from, once per loop turn. */
public interface TimeSource {
    /** Monotonic, in milliseconds from an arbitrary origin: what timers run on. */
    long monotonicMs();

    /** Monotonic, in nanoseconds: what durations of turns are measured with. */
    long nanos();

    /** Wall clock, epoch milliseconds: what message expiry and ids are made of. */
    long wallMs();
}
