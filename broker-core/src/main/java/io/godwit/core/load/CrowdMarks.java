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
    private final AtomicLongArray marks;
    private final long least;
    private final long most;

    /**
     * @param least messages of large fan-outs that may be under way to one shard, however slow it
     *     is
     * @param most however fast it is
     */
    public CrowdMarks(int shards, long least, long most) {
        this.underWay = new AtomicLongArray(shards);
        this.crowded = new AtomicIntegerArray(shards);
        this.marks = new AtomicLongArray(shards);
        this.least = Math.min(least, most);
        this.most = most;
        for (int i = 0; i < shards; i++) {
            marks.set(i, most);
        }
    }

    /** For one shard, which tells {@link #mark} what comes of it. */
    CrowdPace newPace() {
        return new CrowdPace(least, most);
    }

    /** Called by the shard itself. */
    void mark(int shard, long messages) {
        marks.setOpaque(shard, messages);
    }

    /**
     * Notes messages before they are posted to a shard, so that it can't have handled them yet.
     *
     * @return whether the shard is crowded
     */
    boolean add(int shard, int messages) {
        if (underWay.addAndGet(shard, messages) <= marks.getOpaque(shard)) {
            return false;
        }
        crowded.set(shard, 1);
        return true;
    }

    /**
     * Notes that the shard has handled messages.
     *
     * @return how many are still under way to it
     */
    long handled(int shard, int messages) {
        return underWay.addAndGet(shard, -messages);
    }

    /** Whether the shard was crowded and is not any more; true once for each time. */
    boolean hasCaughtUp(int shard, long left) {
        return left < marks.getOpaque(shard) / 2
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
