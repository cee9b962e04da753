package io.godwit.core.store;

import io.godwit.core.id.HybridId;

/**
 * The rows of a queue, counted.
 *
 * @param idle rows without a packet id
 * @param idleBytes {@link io.godwit.core.message.QueuedMessage#bytes} of the idle rows
 * @param inFlight rows and markers with one
 * @param first no idle row is at or below it; as close to them as is known
 * @param last the highest message id that the queue ever had
 */
public record QueueDepth(
        long queueId, long idle, long idleBytes, int inFlight, HybridId first, HybridId last) {
    /** Of a queue that never had a row. */
    public static QueueDepth none(long queueId) {
        return new QueueDepth(queueId, 0, 0, 0, HybridId.NONE, HybridId.NONE);
    }
}
