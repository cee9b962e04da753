package io.godwit.core.id;

/**
 * A hybrid logical clock: epoch milliseconds in the upper 48 bits, a counter in the lower 16, never
 * twice the same and never backwards, whatever the wall clock does. One per shard: the shards of a
 * node take turns, so that no two of them give the same value.
 */
public final class HybridClock {
    private final int shard;
    private final int shards;
    private long last;

    /** Whether the last value is this shard's own: then the one {@code shards} above it is, too. */
    private boolean isOwn;

    public HybridClock(int shard, int shards) {
        this.shard = shard;
        this.shards = shards;
    }

    /** The next value: above every value given and every value {@linkplain #observe observed}. */
    public long next(long wallMs) {
        long wall = wallMs << 16;
        if (isOwn && wall <= last) {
            last += shards; // Most come in the millisecond of one before, and a division is long.
        } else {
            long least = Math.max(last + 1, wall);
            last = least + Math.floorMod(shard - least, shards);
            isOwn = true;
        }
        return last;
    }

    /** Lifts the clock to a value that came from elsewhere. */
    public void observe(long value) {
        if (value > last) {
            last = value;
            isOwn = false;
        }
    }
}
