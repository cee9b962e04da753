package io.godwit.core.queue;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.store.CommitWaiter;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.QueueDepth;
import io.godwit.core.store.Receiver;
import io.godwit.core.store.RowRead;
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
 */
public final class PartQueue extends DurableQueue {
    private final int number;
    private final PartOwner owner;

    private final DurableUpgrade upgrade = new DurableUpgrade(this);

    /** Entries in flight that the store has. */
    private int keptInFlight;

    /**
     * @param number of the part, 0..15
     */
    public PartQueue(int number, PartOwner owner, ShardQueues shard) {
        super(0, shard);
        this.number = number;
        this.owner = owner;
    }

    public int number() {
        return number;
    }

    /** The group. */
    public PartOwner owner() {
        return owner;
    }

    // ---------------------------------------------------------------- in and out

    /** Whether it has, or had, a message that comes again: who waits is answered in time. */
    public boolean isAgain(Message message, @Nullable Receipt waiting) {
        return owner.isDurable() && recognises(message, waiting);
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
        lastMessageId = shard().ids.nextMessageId(lastMessageId);
        PartEntry entry = new PartEntry(this, lastMessageId, message);
        boolean keeps = keep && owner.isDurable() && queueId() != 0;
        if (!keeps) {
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
        keptInFlight += entry.isOut ? 1 : 0;
        kept().append(entry);
        Receipt waiting = entry.waiting;
        if (waiting != null) {
            remember(entry, entry.content(), waiting);
        }
        Receiver receiver = entry.receiver;
        if (receiver != null) {
            kept().inFlightTo(entry, receiver);
        }
        awaitAppend(entry);
    }

    /** The entry waits for a member. */
    public void await(PartEntry entry) {
        backIn(entry);
        backlog.add(entry);
        limits.trim();
    }

    private void backIn(PartEntry entry) {
        entry.isOut = false;
        keptInFlight -= entry.kept ? 1 : 0;
    }

    /** A member gets an entry that has not waited. */
    public void sentAtOnce(PartEntry entry) {
        if (entry.waiting != null && !entry.kept) {
            upgrade.onSent(entry);
        }
    }

    /** The next that waits, or null: nothing does, or it must be read first. */
    public @Nullable PartEntry peek() {
        return (PartEntry) backlog.peek();
    }

    /** The id of the next, or of a moment before it; {@link Long#MAX_VALUE} when nothing waits. */
    public long nextId() {
        return backlog.isEmpty() ? Long.MAX_VALUE : backlog.oldestId();
    }

    /** Takes what {@link #peek} has shown. */
    public PartEntry take() {
        PartEntry entry = (PartEntry) backlog.remove();
        entry.isOut = true;
        keptInFlight += entry.kept ? 1 : 0;
        sentAtOnce(entry);
        return entry;
    }

    /** One that was taken to look past it still waits, though not here; or does not any more. */
    public void accountHeld(PartEntry entry, int sign) {
        long bytes = (long) sign * entry.bytes;
        shard().accounts.queued(bytes, sign);
        if (entry.kept) {
            shard().accounts.kept(bytes, sign);
        }
    }

    /** It is not in flight any more and waits again. */
    public void putBack(PartEntry entry) {
        if (entry.receiver != null) {
            entry.receiver = null;
            entry.packetId = 0;
            if (entry.kept) {
                kept().idleAgain(entry);
                entry.wasMarked = true;
            }
        }
        backIn(entry);
        backlog.addInOrder(entry);
    }

    /** What is a row need not stay in memory while nobody takes anything. */
    public void onNobodyOnline() {
        backlog.onConnectionLost();
    }

    /** A member has it in flight at QoS 2. */
    public void inFlight(PartEntry entry, int packetId, Receiver to) {
        entry.packetId = packetId;
        entry.receiver = to;
        if (entry.kept) {
            kept().inFlightTo(entry, to);
        } else if (entry.waiting != null) {
            keep(entry); // Its publisher would send it again, and not know who has it.
        }
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
        if (entry.kept) {
            keptInFlight -= entry.isOut ? 1 : 0;
            kept().remove(entry);
            entry.kept = false;
        }
        entry.isEnded = true;
        entry.settle(true);
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
            expire(take());
        }
    }

    /** An entry that was taken has expired. */
    public void expire(PartEntry entry) {
        limits.onExpired(entry.content());
        end(entry);
    }

    public void readAhead() {
        backlog.readAhead();
    }

    /** Discards its oldest. False when none can go now: a page must come first. */
    public boolean discardOldestHere() {
        return backlog.discardOldest();
    }

    /** Nobody is left who could get what waits; the store forgets the queue as a whole. */
    public void drop() {
        forgetKept(List.of());
        backlog.clear();
    }

    // ---------------------------------------------------------------- durable, or not any more

    /**
     * What it holds is kept from now on.
     *
     * @param newQueueId its id, when the store has nothing of it; not 0
     * @param inFlight of this part, what members have in flight
     */
    public void beginKeeping(long newQueueId, Collection<PartEntry> inFlight) {
        if (queueId() == 0) {
            queueId(newQueueId);
        }
        upgrade.begin(inFlight);
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
        return keptInFlight > 0 || backlog.keptMessages() > 0 || backlog.hasRows();
    }

    /** The store has forgotten the queue. */
    public void leaveStore() {
        forgetIngress();
        queueId(0);
    }

    // ---------------------------------------------------------------- at start

    /** Takes up what an earlier start has left. */
    public void restoreAs(QueueDepth depth, List<KeptIngress> remembered) {
        queueId(depth.queueId());
        restoreRemembered(remembered);
        restoreWaiting(depth);
        enter(shard());
    }

    /** Reads what was in flight, all of it; the taker gets it on the shard's thread. */
    public void readInFlight(long after, InFlightTaker taker) {
        kept().read(
                        new RowPage.Entries(
                                this,
                                RowRead.Section.IN_FLIGHT,
                                after,
                                Long.MAX_VALUE,
                                shard().durable.pageMessages(),
                                (page, failure) -> onInFlightRead(page, failure, taker)));
    }

    private void onInFlightRead(
            RowPage.Entries page, @Nullable Throwable failure, InFlightTaker taker) {
        List<PartEntry> entries = new ArrayList<>();
        for (QueueEntry entry : page.entries) {
            entry.isRowReadBack = false;
            entries.add((PartEntry) entry);
        }
        keptInFlight += failure == null ? entries.size() : 0;
        taker.take(entries, page.isLast || entries.isEmpty(), failure);
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
    boolean isDurable() {
        return owner.isDurable();
    }

    @Override
    boolean isOnline() {
        return owner.isOnline();
    }

    @Override
    public void tellAppendDone(QueuePost appendedAt, QueueEntry entry, boolean isKept) {
        entry.appendDone(isKept, true);
    }

    @Override
    public void tellRowsWritten(QueuePost appendedAt, long upTo) {
        onRows(upTo);
    }

    @Override
    void countDropped(Metric cause, @Nullable Message message, int count) {
        owner.onDropped(cause, message, count);
    }

    @Override
    void countCleared() {
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
    long limitedMessages() {
        return owner.waitingMessages();
    }

    @Override
    long limitedBytes() {
        return owner.waitingBytes();
    }

    @Override
    boolean discardOldest() {
        return owner.discardOldest();
    }

    @Override
    Metric whenFull() {
        return Metric.DROPPED_GROUP_FULL;
    }

    @Override
    boolean isInFlightRead() {
        return owner.isInFlightRead();
    }

    @Override
    boolean isInFlight(long messageId) {
        return owner.wasInFlight(messageId);
    }

    @Override
    void onDiscarded(QueueEntry entry) {
        limits.onDiscarded();
        giveUp((PartEntry) entry);
    }

    @Override
    void onPage() {
        limits.trim();
        owner.onPage();
    }

    @Override
    void onReadFailed(Throwable failure) {
        owner.onReadFailed(failure);
    }
}
