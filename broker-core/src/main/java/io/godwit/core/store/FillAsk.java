package io.godwit.core.store;

import io.godwit.core.id.HybridId;

/**
 * Names what a piece of another node's copy is to hold: as many of the queues as fit into the
 * bounds, or a page of the first one.
 *
 * @param queueIds 1 to {@link #QUEUES_MAX}, rising by {@link Long#compareUnsigned}
 * @param above entries of the first queue up to this id were read by an earlier ask; {@link
 *     HybridId#NONE}: nothing of it was
 * @param messagesMax entries, and ids remembered, of all queues after which the piece ends, above 0
 * @param bytesMax bytes of bodies after which the piece ends
 */
public record FillAsk(long[] queueIds, HybridId above, int messagesMax, long bytesMax) {
    /** More queues are asked for one after the other. */
    public static final int QUEUES_MAX = 256;

    public FillAsk {
        if (queueIds.length == 0 || queueIds.length > QUEUES_MAX || messagesMax < 1) {
            throw new IllegalArgumentException(
                    queueIds.length + " queues, " + messagesMax + " messages at most");
        }
        for (int i = 1; i < queueIds.length; i++) {
            if (Long.compareUnsigned(queueIds[i - 1], queueIds[i]) >= 0) {
                throw new IllegalArgumentException("queue ids do not rise at " + i);
            }
        }
    }

    /** Asks for queues of which nothing was read yet. */
    public FillAsk(long[] queueIds, int messagesMax, long bytesMax) {
        this(queueIds, HybridId.NONE, messagesMax, bytesMax);
    }
}
