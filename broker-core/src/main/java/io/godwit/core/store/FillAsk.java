package io.godwit.core.store;

import io.godwit.core.id.HybridId;

/**
 * Names what a piece of another node's copy is to hold: as many of the queues as fit into the
 * bounds, or a page of the first one.
 *
 * @param queueIds each once, in the order in which they are read; at least one
 * @param above entries of the first queue up to this id were read by an earlier ask; {@link
 *     HybridId#NONE}: nothing of it was
 * @param messagesMax entries of all queues after which the piece ends, above 0
 * @param bytesMax bytes of bodies after which the piece ends
 */
public record FillAsk(long[] queueIds, HybridId above, int messagesMax, long bytesMax) {
    public FillAsk {
        if (queueIds.length == 0 || messagesMax < 1) {
            throw new IllegalArgumentException(
                    queueIds.length + " queues, " + messagesMax + " messages at most");
        }
    }

    /** Asks for queues of which nothing was read yet. */
    public FillAsk(long[] queueIds, int messagesMax, long bytesMax) {
        this(queueIds, HybridId.NONE, messagesMax, bytesMax);
    }
}
