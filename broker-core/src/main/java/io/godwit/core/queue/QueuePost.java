package io.godwit.core.queue;

import io.godwit.core.id.HybridId;

/**
 * Reaches the queue of a session that may have moved to another shard since. On the shard that has
 * appended.
 */
public interface QueuePost {
    /** Calls {@link QueueEntry#appendDone} where the session is. */
    void appendDone(QueueOwner to, QueueEntry entry, boolean isKept);

    /** Calls {@link DurableQueue#onRows} where the session is. */
    void rowsWritten(QueueOwner to, HybridId upTo);
}
