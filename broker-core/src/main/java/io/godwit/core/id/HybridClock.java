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

    public HybridClock(int shard, int shards) {
        this.shard = shard;
        this.shards = shards;
    }

    /** The next value: above every value given and every value {@linkplain #observe observed}. */
    public long next(long wallMs) {
        long least = Math.max(last + 1, wallMs << 16);
        last = least + Math.floorMod(shard - least, shards);
        return last;
    }

    /** Lifts the clock to a value that came from elsewhere. */
    public void observe(long value) {
        last = Math.max(last, value);
    }
}
