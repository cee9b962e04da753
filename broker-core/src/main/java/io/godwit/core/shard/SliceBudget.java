package io.godwit.core.shard;

import io.godwit.core.time.TimeSource;

/**
 * Says when one slice of long work has to end: after a time, and after so much work, since the time
 * of a unit is known only when it is over. The first unit is always done.
 */
public final class SliceBudget {
    /** How long a slice takes, beside its last unit of work. */
    private static final long NANOS = 2_000_000;

    private final TimeSource time;
    private final long endNanos;
    private int left;

    /**
     * @param most units of work in the slice, 1 and more
     */
    public SliceBudget(TimeSource time, int most) {
        this.time = time;
        endNanos = time.nanos() + NANOS;
        left = most;
    }

    /** Notes that a unit of work was done. Returns whether there may be one more. */
    public boolean spend() {
        return --left > 0 && time.nanos() < endNanos;
    }
}
