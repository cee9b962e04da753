package io.godwit.core.queue;

import io.godwit.core.id.HybridId;
import io.godwit.core.store.CopyPage;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.KeptQueue;
import io.godwit.core.store.QueueDepth;
import io.godwit.core.store.SessionMoves;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A session's queue with its {@link Predecessor}: another queue of the same client, or the part of
 * this one that comes in pages from the session's former home. It is given up, and its store told
 * so, when its last entry is acknowledged.
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

    /** Whether another queue of this client goes before this one: the two are drained here. */
    public boolean hasFrozenPredecessor() {
        return predecessor != null && !predecessor.isQueueItself();
    }

    /** Gives the predecessor up when nothing of it is left: the store need not know it any more. */
    void leavePredecessor() {
        Predecessor before = predecessor;
        if (before != null && before.isDone() && isInFlightRead()) {
            predecessor = null;
            forgetPredecessor();
            if (!before.isQueueItself()) {
                owner.forgetQueue(before.queueId());
            }
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

    // ---------------------------------------------------------------- pages of a former home

    /** A part of this queue itself goes before the rest of it. */
    void precededBy(Predecessor part) {
        if (predecessor != null) {
            throw new IllegalStateException("a queue of two parts has not moved");
        }
        predecessor = part;
        precede(part);
    }

    /** How far the pages have come; null when all of it is here. */
    public SessionMoves.@Nullable Filling progress() {
        Predecessor part = predecessor;
        return part == null ? null : part.progress();
    }

    /**
     * The page that is to be asked for now; it counts as asked for.
     *
     * @return behind which id it begins; null when none is to be asked for
     */
    public @Nullable HybridId nextPage() {
        Predecessor part = predecessor;
        return part == null ? null : part.nextPage();
    }

    /** The page that was asked for may never come. */
    public void askAgain() {
        if (predecessor != null) {
            predecessor.askAgain();
        }
    }

    /**
     * A page has come; it is kept with what the store is told next.
     *
     * @return false when it is not the next one
     */
    public boolean onPage(CopyPage page) {
        boolean isNext = predecessor != null && predecessor.onPage(page);
        if (isNext) {
            owner.pump();
        }
        return isNext;
    }
}
