package io.godwit.core.shard;

/**
 * How long the turns of one shard were, and what they were made of. Written on the shard's thread,
 * read by any.
 */
final class TurnMeter {
    private long startNanos;
    private volatile long longestNanos;
    private volatile int endsMost;

    void begin(long nanos) {
        startNanos = nanos;
    }

    /**
     * @param ends connections that the end of the turn attended to
     */
    void end(long nanos, int ends) {
        long took = nanos - startNanos;
        if (took > longestNanos) {
            longestNanos = took;
        }
        if (ends > endsMost) {
            endsMost = ends;
        }
    }

    long longestNanos() {
        return longestNanos;
    }

    int endsMost() {
        return endsMost;
    }
}
