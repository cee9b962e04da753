package io.godwit.benchmarks.load;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What one part of a round gave.
 *
 * @param expected messages that should have come: those sent, times the subscribers of each
 * @param delivered distinct messages, each in the order of its publisher
 * @param repeated messages that came twice or after a later one
 * @param elapsedNanos from the start to the last delivery
 * @param loadBusy CPU time of the load's thread per elapsed time; 1 = the load could not do more
 * @param latency nanoseconds from sending (or from when sending was due) to reading
 * @param fault why the part ended early, such as a connection that the broker closed
 */
public record PartResult(
        long expected,
        long delivered,
        long repeated,
        long elapsedNanos,
        double loadBusy,
        Histogram latency,
        @Nullable String fault) {
    /** The share that did not come, 0 to 1. */
    public double loss() {
        return 1 - (double) delivered / Math.max(1, expected);
    }

    /** Delivered messages a second. */
    public double perSecond() {
        return delivered * 1e9 / Math.max(1, elapsedNanos);
    }
}
