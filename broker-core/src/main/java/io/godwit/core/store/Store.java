package io.godwit.core.store;

/**
 * The port of the store: what a node keeps through a restart. Asynchronous and batched: each shard
 * gathers operations into its open commit and closes it once per loop turn.
 */
public interface Store extends AutoCloseable {
    /**
     * Opens the part that one shard writes.
     *
     * @param outcome told about every commit, in the order of their numbers, from any thread
     */
    ShardStore open(int shard, CommitOutcome outcome);

    @Override
    void close();
}
