package io.godwit.core.store;

import io.godwit.core.message.Digest;
import io.godwit.core.packet.ClientId;
import org.jspecify.annotations.Nullable;

/** Takes the digests of queues at one moment of the journal. */
public interface DigestReader {
    /**
     * Tells whether a queue is wanted. Any thread of the store.
     *
     * @param isCopy another node leads it
     */
    default boolean wants(long queueId, boolean isCopy) {
        return true;
    }

    /**
     * Marks the moment: every part that was applied or told of before counts, no later one does. On
     * the commit thread, which must not wait.
     */
    default void onMoment() {}

    /**
     * Takes one queue, in the order of {@link Long#compareUnsigned}; on a thread of the store.
     *
     * @param clientId of the session whose queue it is; null of a group's part, or of a queue
     *     without a record
     * @param isCopy another node leads it
     * @param digest of the queue's entries, of what it remembers, and of its record, subscriptions
     *     and inbound ids; two copies with equal ones hold the same
     */
    void onQueue(long queueId, @Nullable ClientId clientId, boolean isCopy, Digest digest);

    /** Ends the answer; on a thread of the store. */
    void onEnd();

    /** Called when the store has failed, or was closed: what was told so far does not count. */
    void onFailed(Throwable cause);
}
