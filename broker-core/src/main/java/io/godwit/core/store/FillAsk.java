package io.godwit.core.store;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Digest;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Names what a piece of another node's copy is to hold: as many of the queues as fit into the
 * bounds, or a page of the first one.
 *
 * @param queueIds 1 to {@link #QUEUES_MAX}, rising by {@link Long#compareUnsigned}
 * @param above entries of the first queue up to this id were read by an earlier ask; {@link
 *     HybridId#NONE}: nothing of it was
 * @param messagesMax entries, and ids remembered, of all queues after which the piece ends, above 0
 * @param bytesMax bytes of bodies after which the piece ends
 * @param copied what the copy has already: a queue that is the same there is left out
 * @param endsOthers the slots that this node leads: the copies of sessions of these that other
 *     nodes lead are ended, and those of groups' queues; not to be changed. Null: a queue that
 *     another node leads can't be read
 */
public record FillAsk(
        long[] queueIds,
        HybridId above,
        int messagesMax,
        long bytesMax,
        Copied copied,
        @Nullable BitSet endsOthers) {
    /** Tells which queues are the same in the copy. Any thread. */
    public interface Copied {
        /** Knows of no copy: nothing is left out. */
        Copied NOTHING = (queueId, digest) -> false;

        /**
         * Tells whether the copy of a queue has this digest, as {@link CopyStore#describeCopies}
         * makes it.
         */
        boolean isSame(long queueId, Digest digest);
    }

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

    /** Asks for queues of which nothing was read yet, and of which nothing is left out. */
    public FillAsk(long[] queueIds, int messagesMax, long bytesMax) {
        this(queueIds, HybridId.NONE, messagesMax, bytesMax, Copied.NOTHING);
    }

    /** Asks for queues that this node leads, or that have ended. */
    public FillAsk(long[] queueIds, HybridId above, int messagesMax, long bytesMax, Copied copied) {
        this(queueIds, above, messagesMax, bytesMax, copied, null);
    }

    /** Asks for some of the queues within the same bounds, of the first one above an id. */
    public FillAsk rest(long[] of, HybridId aboveId) {
        return new FillAsk(of, aboveId, messagesMax, bytesMax, copied, endsOthers);
    }
}
