package io.godwit.core.id;

/**
 * A hybrid logical clock: epoch milliseconds in the upper 48 bits, a counter in the lower 16, never
 * twice the same and never backwards, whatever the wall clock does. One per shard.
 */
public final class HybridClock {
    private long last;

    /** The next value: above every value given and every value {@linkplain #observe observed}. */
    public long next(long wallMs) {
        last = Math.max(last + 1, wallMs << 16);
        return last;
    }

    /** Lifts the clock to a value that came from elsewhere. */
    public void observe(long value) {
        last = Math.max(last, value);
    }
}
