package io.godwit.core.metrics;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts durations in fixed buckets: one thread adds, anyone reads. A plain read and an opaque
 * write per bucket, no atomic addition, no allocation.
 */
public final class TimeHistogram {
    private static final long NANOS_PER_MICRO = 1_000;

    /** Upper bounds of the buckets, included, in microseconds; the last bucket has none. */
    private static final long[] BOUNDS_MICROS = {
        100,
        250,
        500,
        1_000,
        2_500,
        5_000,
        10_000,
        25_000,
        50_000,
        100_000,
        250_000,
        500_000,
        1_000_000,
        2_500_000,
        5_000_000,
        10_000_000
    };

    private static final int SUM = BOUNDS_MICROS.length + 1;

    /** A count for each bucket, then the sum in nanoseconds. */
    private final AtomicLongArray values = new AtomicLongArray(SUM + 1);

    /** Number of buckets that have an upper bound; one more has none. */
    public static int bounds() {
        return BOUNDS_MICROS.length;
    }

    /** Upper bound of a bucket in seconds. */
    public static double boundSeconds(int bucket) {
        return BOUNDS_MICROS[bucket] / 1e6;
    }

    /** Counts durations of one length. */
    public void add(long nanos, int count) {
        long micros = Math.ceilDiv(nanos, NANOS_PER_MICRO);
        int bucket = 0;
        while (bucket < BOUNDS_MICROS.length && micros > BOUNDS_MICROS[bucket]) {
            bucket++;
        }
        values.setOpaque(bucket, values.getPlain(bucket) + count);
        values.setOpaque(SUM, values.getPlain(SUM) + nanos * count);
    }

    /** Durations counted in a bucket alone, not in those below. */
    public long count(int bucket) {
        return values.getOpaque(bucket);
    }

    /** The sum of all durations. */
    public double sumSeconds() {
        return values.getOpaque(SUM) / 1e9;
    }
}
