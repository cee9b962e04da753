package io.godwit.core.store;

/**
 * Takes the digests of queues at one moment of the journal.
 *
 * <p>An entry that this node leads may count as released from PUBREC on, a moment before the
 * journal says so, when its row was made in between. Who compares copies therefore asks again where
 * they differ.
 */
public interface DigestReader {
    /**
     * Tells whether a queue is wanted. Any thread of the store.
     *
     * @param leader server id of the node that led it at that moment; {@link
     *     QueueDigest#THIS_NODE}: this node did
     */
    default boolean wants(long queueId, int leader) {
        return true;
    }

    /**
     * Marks the moment: every part that was applied or told of before counts, no later one does. On
     * the commit thread, which must not wait.
     */
    default void onMoment() {}

    /** Takes one queue, in the order of {@link Long#compareUnsigned}; on a thread of the store. */
    void onQueue(QueueDigest queue);

    /** Ends the answer; on a thread of the store. */
    void onEnd();

    /** Called when the store has failed, or was closed: what was told so far does not count. */
    void onFailed(Throwable cause);
}
