package io.godwit.core.load;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Which shards of a node are behind with their mail: above the high-water mark of messages or of
 * bytes, until half of it.
 */
public final class MailboxMarks {
    /** So few are the account's to judge, however large they are: they are handled in no time. */
    private static final int FEW = 64;

    private final AtomicIntegerArray behind;
    private final long highWater;
    private final long bytesMax;

    /**
     * @param highWater messages under way to one shard
     * @param bytesMax bytes of these
     */
    public MailboxMarks(int shards, long highWater, long bytesMax) {
        this.behind = new AtomicIntegerArray(shards);
        this.highWater = highWater;
        this.bytesMax = bytesMax;
    }

    /**
     * Notes that mail was posted to a shard.
     *
     * @param depth messages that are under way to that shard now
     * @param bytes their bytes
     * @return whether the shard is behind
     */
    public boolean onPosted(int shard, long depth, long bytes) {
        if (depth <= highWater && (bytes <= bytesMax || depth <= FEW)) {
            return false;
        }
        behind.set(shard, 1);
        return true;
    }

    /** Whether the shard was behind and is not any more; true once for each time. */
    public boolean hasCaughtUp(int shard, long depth, long bytes) {
        return behind.get(shard) == 1
                && depth < highWater / 2
                && (bytes < bytesMax / 2 || depth <= FEW / 2)
                && behind.compareAndSet(shard, 1, 0);
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
