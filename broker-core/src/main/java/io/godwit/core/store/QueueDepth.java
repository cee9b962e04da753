package io.godwit.core.store;

/**
 * The rows of a queue, counted.
 *
 * @param idle rows without a packet id
 * @param idleBytes {@link io.godwit.core.message.QueuedMessage#bytes} of the idle rows
 * @param inFlight rows and markers with one
 * @param first a message id below that of every idle row, as close as is known
 * @param last the highest message id that the queue ever had
 */
public record QueueDepth(
        long queueId, long idle, long idleBytes, int inFlight, long first, long last) {}
