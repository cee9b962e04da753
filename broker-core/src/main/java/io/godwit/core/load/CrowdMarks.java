package io.godwit.core.load;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How much of large fan-outs is under way to each shard of a node: above the mark a shard is
 * crowded, until half of it.
 */
public final class CrowdMarks {
    private final AtomicLongArray underWay;
    private final AtomicIntegerArray crowded;
    private final long mark;

    /**
     * @param mark messages of large fan-outs that are under way to one shard
     */
    public CrowdMarks(int shards, long mark) {
        this.underWay = new AtomicLongArray(shards);
        this.crowded = new AtomicIntegerArray(shards);
        this.mark = mark;
    }

    /**
     * Notes messages before they are posted to a shard, so that it can't have handled them yet.
     *
     * @return whether the shard is crowded
     */
    boolean add(int shard, int messages) {
        if (underWay.addAndGet(shard, messages) <= mark) {
            return false;
        }
        crowded.set(shard, 1);
        return true;
    }

    /** Whether the shard was crowded and is not any more; true once for each time. */
    boolean hasCaughtUp(int shard, int messages) {
        return underWay.addAndGet(shard, -messages) < mark / 2
                && crowded.get(shard) == 1
                && crowded.compareAndSet(shard, 1, 0);
    }

    boolean isAnyCrowded() {
        for (int i = 0; i < crowded.length(); i++) {
            if (crowded.get(i) == 1) {
                return true;
            }
        }
        return false;
    }
}
