package io.godwit.core.load;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Which shards of a node are behind with their mail: above the high-water mark, until half of it.
 */
public final class MailboxMarks {
    private final AtomicIntegerArray behind;
    private final long highWater;

    /**
     * @param highWater messages under way to one shard
     */
    public MailboxMarks(int shards, long highWater) {
        this.behind = new AtomicIntegerArray(shards);
        this.highWater = highWater;
    }

    /**
     * Notes that mail was posted to a shard.
     *
     * @param depth messages that are under way to that shard now
     * @return whether the shard is behind
     */
    public boolean onPosted(int shard, long depth) {
        if (depth <= highWater) {
            return false;
        }
        behind.set(shard, 1);
        return true;
    }

    /** Whether the shard was behind and is not any more; true once for each time. */
    public boolean hasCaughtUp(int shard, long depth) {
        return behind.get(shard) == 1 && depth < highWater / 2 && behind.compareAndSet(shard, 1, 0);
    }

    public boolean isAnyBehind() {
        for (int i = 0; i < behind.length(); i++) {
            if (behind.get(i) == 1) {
                return true;
            }
        }
        return false;
    }
}
