package io.godwit.core.queue;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.store.CommitWaiter;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.QueueDepth;
import io.godwit.core.store.Receiver;
import io.godwit.core.store.Recovery.KeptGroupPart;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One part of a shared group's queue. What waits is as in any other queue; an entry that goes to a
 * member {@linkplain #take leaves} what waits, and ends ({@link #end}) or {@linkplain #putBack
 * comes back}, below what was taken since.
 *
 * <p>It can become durable while it holds messages: they are then kept piece by piece ({@link
 * #keepSome}), and what comes meanwhile stands behind them, its publishers unacknowledged. When it
 * is not durable any more nothing new is kept, and it leaves the store when all that was kept is
 * gone.
 *
 * <p>A part can have another queue of the same part before it. That one is a part queue too, which
 * nothing is added to; its entries end and come back there. It is given up, and its store told so,
 * when its last entry has ended.
 */
public final class PartQueue extends GroupPart {
    private final DurableUpgrade upgrade = new DurableUpgrade(this);

    private final PartInFlight inFlight = new PartInFlight(this);

    private final UnkeptIngress unkept;

    /** Holds messages that have come again and whose senders wait for an answer. */
    private List<CameAgain> cameAgain = List.of();

    /** Another node leads it now: nothing of it is dropped. */
    private boolean isGivenUp;

    /** What goes before this one, while anything of it is left. */
    private @Nullable PartQueue predecessor;

    /** What this one goes before; null for the part's own queue. */
    private final @Nullable PartQueue successor;

    /**
     * @param number of the part, 0..15
     */
    public PartQueue(int number, PartOwner owner, ShardQueues shard) {
        super(number, owner, shard);
        this.successor = null;
        this.unkept = new UnkeptIngress(shard);
    }

    /** Goes before another queue of the same part. */
    private PartQueue(QueueDepth depth, PartQueue successor) {
        super(depth.queueId(), successor);
        this.successor = successor;
        this.unkept = new UnkeptIngress(successor.shard());
        restoreWaiting(depth);
    }

    // ---------------------------------------------------------------- in and out

    /** Whether it has, or had, a message that comes again: who waits is answered in time. */
    public boolean isAgain(Message message, @Nullable Receipt waiting) {
        if (waiting == null || !owner.isDurable() || !isAmong(message, waiting)) {
            return false;
        }
        if (cameAgain.isEmpty()) {
            cameAgain = new ArrayList<>(1);
        }
        kept().whenKept(new CameAgain(message, waiting, cameAgain));
        return true;
    }

    /** Returns what has come again and is not answered, and is not to be answered here. */
    public List<CameAgain> takeCameAgain() {
        List<CameAgain> taken = cameAgain;
        cameAgain = List.of();
        return taken;
    }

    /** Whether a message may wait here; else it is counted, and its publisher answered. */
    public boolean admits(Message message, @Nullable Receipt waiting) {
        dropExpiredHead();
        if (limits.admits(message)) {
            return true;
        }
        limits.refuse(message, waiting);
        return false;
    }

    /**
     * A new entry, which its caller lets wait or sends.
     *
     * @param keep whether the store is to have it, if it has this part
     * @param waiting told when that is so, or at once
     */
    public PartEntry add(Message message, boolean keep, @Nullable Receipt waiting) {
        PartEntry entry = new PartEntry(this, nextMessageId(), message);
        boolean keeps = keep && owner.isDurable() && queueId() != 0;
        if (!keeps) {
            unkept.add(entry, keep ? waiting : null);
            Receipt.done(waiting);
        } else {
            entry.waiting = waiting;
            if (isKeeping()) {
                return entry; // Its turn comes: see await.
            }
            keep(entry);
        }
        return entry;
    }

    void keep(PartEntry entry) {
        entry.queueId = queueId();
        entry.kept = true;
        inFlight.onKept(entry);
        kept().append(entry);
        Receipt waiting = entry.waiting;
        if (waiting != null) {
            remember(entry, entry.content(), waiting);
        } else if (unkept.remove(entry)) {
            remember(entry, entry.content());
        }
        Receiver receiver = entry.receiver;
        if (receiver != null) {
            kept().inFlightTo(entry, receiver);
        }
        awaitAppend(entry);
    }

    /** The entry waits for a member. */
    public void await(PartEntry entry) {
        inFlight.remove(entry);
        backlog.add(entry);
        limits.trim();
    }

    /** A member gets an entry that has not waited. */
    public void sentAtOnce(PartEntry entry) {
        if (isKeeping() && !entry.kept) {
            upgrade.onTaken(entry);
        }
    }

    /** The next that waits, or null: nothing does, or it must be read first. */
    public @Nullable PartEntry peek() {
        return (PartEntry) front().peek();
    }

    /** Whether this one has the oldest of two parts in which something waits. */
    public boolean isBefore(PartQueue other) {
        return front().isBefore(other.front());
    }

    /** Takes what {@link #peek} has shown. */
    public PartEntry take() {
        boolean wasKeeping = isKeeping();
        PartEntry entry = (PartEntry) front().remove();
        entry.part.inFlight.add(entry);
        if (wasKeeping && !entry.kept) {
            upgrade.onTaken(entry);
        }
        return entry;
    }

    /** One that was taken to look past it still waits, though not here; or does not any more. */
    public void accountHeld(PartEntry entry, int sign) {
        entry.isLookedPast = sign > 0;
        long bytes = (long) sign * entry.bytes;
        shard().accounts.queued(bytes, sign);
        entry.countAgain(shard().accounts, sign);
        if (entry.kept) {
            shard().accounts.kept(bytes, sign);
        }
    }

    @Override
    public void forget(int ingressServer, long ingressCounter) {
        super.forget(ingressServer, ingressCounter);
        unkept.forget(ingressServer, ingressCounter);
    }

    /** It is not in flight any more and waits again. */
    public void putBack(PartEntry entry) {
        inFlight.unmark(entry);
        inFlight.remove(entry);
        backlog.addInOrder(entry);
    }

    /** What is a row need not stay in memory while nobody takes anything. */
    public void onNobodyOnline() {
        putBackRead();
    }

    /** Keeps who alone gets an entry at QoS 2. */
    public void inFlight(PartEntry entry, int packetId, Receiver to) {
        inFlight.mark(entry, packetId, to);
    }

    /** Everything that was told so far is kept, or there is nothing to keep. */
    public void whenKept(CommitWaiter waiter) {
        if (queueId() == 0) {
            waiter.onCommit(true); // The store has nothing of it.
            return;
        }
        kept().whenKept(waiter);
    }

    /** It was delivered, has expired or was discarded. */
    public void end(PartEntry entry) {
        unkept.remove(entry);
        if (entry.kept) {
            inFlight.onEnd(entry);
            kept().remove(entry);
            shard().onEnd(entry);
            entry.kept = false;
        }
        entry.isEnded = true;
        entry.settle(true);
        (successor == null ? this : successor).leavePredecessor();
    }

    /** Nobody gets it: who waits for it is answered when that is kept. */
    public void giveUp(PartEntry entry) {
        entry.settleWhenKept(kept());
        end(entry);
    }

    /** Drops what has expired at the head. Costs nothing for what has not. */
    public void dropExpiredHead() {
        long nowMs = shard().clock.sureMs();
        PartEntry head;
        while ((head = peek()) != null && head.content().isExpired(nowMs)) {
            PartEntry expired = take();
            expired.part.expire(expired);
        }
    }

    /** An entry that was taken has expired. */
    public void expire(PartEntry entry) {
        limits.onExpired(entry.content());
        end(entry);
    }

    public void readAhead() {
        front().readAhead();
    }

    /** Discards its oldest. False when none can go now: a page must come first. */
    public boolean discardOldestHere() {
        boolean isDiscarded = front().discardOldest();
        leavePredecessor();
        return isDiscarded;
    }

    /** Nobody is left who could get what waits; the store forgets the queue as a whole. */
    public void drop() {
        PartQueue before = predecessor;
        if (before != null) {
            before.drop();
            giveUp(before);
        }
        forgetKept(List.of());
        unkept.clear();
        backlog.clear();
    }

    /**
     * Another node has adopted its copy of this queue, and has everything of it that was
     * acknowledged. It is served here no more; what the store has of it stays there.
     *
     * @param sent of this part, what members have in flight
     * @return the entries that nobody else need have: their publishers wait for them, or the store
     *     does not have them
     */
    public List<PartEntry> giveUp(Collection<PartEntry> sent) {
        isGivenUp = true;
        List<PartEntry> left = new ArrayList<>();
        PartQueue before = predecessor;
        if (before != null) {
            left.addAll(before.giveUp(sent));
        }
        List<PartEntry> all = new ArrayList<>();
        sent.stream().filter(each -> each.part == this).forEach(all::add);
        backlog.forEach(each -> all.add((PartEntry) each));
        for (PartEntry each : all) {
            if (each.waiting != null || !each.kept) {
                left.add(each);
            }
            each.kept = false;
        }
        forgetIngress();
        unkept.clear();
        backlog.clear();
        return left;
    }

    /** Whether another node has adopted its copy of this queue. */
    public boolean isGivenUp() {
        return isGivenUp;
    }

    // ---------------------------------------------------------------- what goes before it

    /**
     * Another queue of this part goes before this one from now on, and the store keeps that. To be
     * called at most once, of a part that the store has.
     *
     * @param depth of that queue, which has rows only
     * @param remembered ingress ids of QoS 2 messages that it has, or had, and that may come again
     */
    public void precededBy(QueueDepth depth, List<KeptIngress> remembered) {
        kept().precededBy(depth.queueId());
        restorePredecessor(depth, remembered).enter(shard());
    }

    private PartQueue restorePredecessor(QueueDepth depth, List<KeptIngress> remembered) {
        PartQueue before = new PartQueue(depth, this);
        before.restoreRemembered(remembered);
        predecessor = before;
        precede(before);
        return before;
    }

    /**
     * When nothing of it is left the store need not know it any more. While publishers may send one
     * of its messages again it is its memory that recognises that.
     */
    private void leavePredecessor() {
        PartQueue before = predecessor;
        if (before != null
                && before.isEmpty()
                && !before.inFlight.hasKept()
                && before.rememberedBytes() == 0
                && owner.isInFlightRead()) {
            giveUp(before);
        }
    }

    private void giveUp(PartQueue before) {
        predecessor = null;
        forgetPredecessor();
        before.leave();
        owner.forgetQueue(before.queueId());
    }

    // ---------------------------------------------------------------- durable, or not any more

    /**
     * What it holds is kept from now on.
     *
     * @param newQueueId its id, when the store has nothing of it; not 0
     * @param sent of this part, what members have in flight
     */
    public void beginKeeping(long newQueueId, Collection<PartEntry> sent) {
        if (queueId() == 0) {
            queueId(newQueueId);
        }
        upgrade.begin(sent);
    }

    /** Whether {@link #keepSome} has something to do. */
    public boolean isKeeping() {
        return upgrade.isUnderWay();
    }

    /**
     * Keeps at most so many: what is in flight, then what waits, in order.
     *
     * @return how many it has looked at
     */
    public int keepSome(int max) {
        return upgrade.keepSome(max);
    }

    /** Whether the store has an entry of it. */
    public boolean isInStore() {
        return predecessor != null
                || inFlight.hasKept()
                || backlog.keptMessages() > 0
                || backlog.hasRows();
    }

    /** The store has forgotten the queue. */
    public void leaveStore() {
        forgetIngress();
        queueId(0);
    }

    // ---------------------------------------------------------------- at start

    /** Takes up what an earlier start has left. */
    public void restore(KeptGroupPart kept) {
        queueId(kept.queue().queueId());
        restoreRemembered(kept.remembered());
        restoreWaiting(kept.queue());
        KeptGroupPart before = kept.predecessor();
        if (before != null) {
            restorePredecessor(before.queue(), before.remembered());
        }
        enter(shard());
    }

    /**
     * Reads a page of what was in flight; the taker gets it on the shard's thread.
     *
     * @param ofQueue this one, or what goes before it
     */
    public void readInFlight(long ofQueue, HybridId after, InFlightTaker taker) {
        PartQueue before = predecessor;
        PartQueue of = before != null && before.queueId() == ofQueue ? before : this;
        of.inFlight.read(after, taker);
    }

    /** Who has asked for what was in flight. */
    public interface InFlightTaker {
        void take(List<PartEntry> entries, boolean isLast, @Nullable Throwable failure);
    }

    // ---------------------------------------------------------------- what the base asks

    @Override
    QueueEntry ofRow(
            long messageId, @Nullable Message message, int qos, boolean retain, int[] ids) {
        return new PartEntry(this, messageId, message, qos, retain, ids);
    }

    @Override
    public void tellAppendDone(QueuePost appendedAt, QueueEntry entry, boolean isKept) {
        entry.appendDone(isKept, true);
    }

    @Override
    public void tellRowsWritten(QueuePost appendedAt, HybridId upTo) {
        onRows(upTo);
    }

    @Override
    void countCleared() {
        if (isGivenUp) {
            return;
        }
        backlog.forEach(entry -> {
            PartEntry each = (PartEntry) entry;
            each.isEnded = true;
            owner.onDropped(Metric.DROPPED_SESSION_GONE, each.message, 1);
        });
        if (backlog.onDisk() > 0) {
            owner.onDropped(Metric.DROPPED_SESSION_GONE, null, (int) backlog.onDisk());
        }
    }

    @Override
    void onDiscarded(QueueEntry entry) {
        limits.onDiscarded();
        giveUp((PartEntry) entry);
    }

    @Override
    void onPage() {
        limits.trim();
        (successor == null ? this : successor).leavePredecessor();
        owner.onPage();
    }
}
