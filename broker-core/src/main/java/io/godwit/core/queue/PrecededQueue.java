package io.godwit.core.queue;

import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.KeptQueue;
import io.godwit.core.store.QueueDepth;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A session's queue with its {@link Predecessor}: another queue of the same client. It is given up,
 * and its store told so, when its last entry is acknowledged.
 */
public abstract class PrecededQueue extends DurableQueue {
    private final QueueOwner owner;

    /** What goes before the queue's own entries, while anything of it is left. */
    private @Nullable Predecessor predecessor;

    PrecededQueue(long queueId, QueueOwner owner, ShardQueues shard) {
        super(queueId, shard);
        this.owner = owner;
    }

    /**
     * The predecessor's rows in flight go into the one window, too.
     *
     * @param rows how many there are
     */
    abstract void onPrecededBy(Predecessor before, int rows);

    @Nullable Predecessor predecessor() {
        return predecessor;
    }

    /**
     * Another queue of this client goes before this one from now on, and the store keeps that:
     * nothing comes into it any more. To be called while this queue does not {@linkplain #enter
     * count}, at most once.
     *
     * @param depth of that queue, which has rows only
     * @param remembered ingress ids of QoS 2 messages that it has, or had, and that may come again
     */
    public void precededBy(QueueDepth depth, List<KeptIngress> remembered) {
        kept().precededBy(depth.queueId());
        restorePredecessor(depth, remembered);
    }

    /** What an earlier start has been told by {@link #precededBy}. */
    public void restorePredecessor(QueueDepth depth, List<KeptIngress> remembered) {
        Predecessor before = new Predecessor(depth, this);
        before.restoreRemembered(remembered);
        predecessor = before;
        precede(before);
        onPrecededBy(before, depth.inFlight());
    }

    /** Gives the predecessor up when nothing of it is left: the store need not know it any more. */
    void leavePredecessor() {
        Predecessor before = predecessor;
        if (before != null && before.isDone() && isInFlightRead()) {
            predecessor = null;
            forgetPredecessor();
            owner.forgetQueue(before.queueId());
        }
    }

    /** The queue has ended, and the store was told so. */
    void dropPredecessor() {
        Predecessor before = predecessor;
        if (before != null) {
            before.backlog.clear();
            predecessor = null;
            forgetPredecessor();
        }
    }

    /** The store's hold on the queue that an entry stands in. */
    KeptQueue keptOf(QueueEntry entry) {
        Predecessor before = predecessor;
        return before != null && before.has(entry) ? before.kept() : kept();
    }
}
