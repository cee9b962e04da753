package io.godwit.core.store;

/** Gives the shard that has a queue its hold on it. */
public interface KeptQueues {
    /**
     * @param queueId 0 for a queue that is never kept: only {@link KeptQueue#whenKept} and removals
     *     without effect are asked of it
     */
    KeptQueue keptQueue(long queueId);
}
