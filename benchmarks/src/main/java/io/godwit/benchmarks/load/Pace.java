package io.godwit.benchmarks.load;

/**
 * When the messages of one publisher are due: at even distances from {@code startNanos}, put off to
 * the next full tick of 1 ms, since the loop wakes up by ticks. Times are {@link System#nanoTime}
 * values.
 *
 * @param messages how many are due in all
 */
record Pace(long originNanos, long startNanos, double intervalNanos, long messages) {
    static final long TICK_NANOS = 1_000_000;

    /** How many messages are due at {@code nowNanos}. */
    long dueAt(long nowNanos) {
        long tick = (nowNanos - originNanos) / TICK_NANOS * TICK_NANOS + originNanos;
        if (tick < startNanos) return 0;
        return Math.min(messages, (long) ((tick - startNanos) / intervalNanos) + 1);
    }

    /** The tick at which the message with this index (from 0) is due. */
    long dueNanos(long index) {
        long due = startNanos + (long) (index * intervalNanos) - originNanos;
        return (due + TICK_NANOS - 1) / TICK_NANOS * TICK_NANOS + originNanos;
    }
}
