package io.godwit.cluster.registration;

/** Ways to the shards of this node. */
public interface ShardMail {
    int shards();

    /** Runs a task on a shard's thread, behind what was sent there before. Any thread calls. */
    void execute(int shard, Runnable task);
}
