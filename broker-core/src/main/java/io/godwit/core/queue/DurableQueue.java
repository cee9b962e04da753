package io.godwit.core.queue;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.store.ExpiredRow;
import io.godwit.core.store.KeptQueue;
import io.godwit.core.store.QueueDepth;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A first-in-first-out queue of QoS 1 and 2 messages: what waits, in the order of the message ids
 * ({@link Backlog}), within its limits ({@link QueueLimits}). What is in flight, and to whom, is
 * the subclass's. Owned by one shard; it can move to another.
 *
 * <p>The entries of a durable queue are operations of the store, too, and leave memory when they
 * are rows.
 *
 * <p>It may have a <em>predecessor</em>: a queue of the same receiver that nothing is added to any
 * more, and whose entries all go first, each under the queue id and message id that it has there.
 * What is said of a queue's contents here includes it.
 */
public abstract class DurableQueue extends RememberingQueue implements Appender, ExpiredRows {
    private long queueId;
    final Backlog backlog;
    final QueueLimits limits;
    private ShardQueues shard;
    private KeptQueue kept;

    /** Made with the first append here. */
    private @Nullable QueueStay stay;

    private @Nullable DurableQueue predecessor;

    private long lastMessageId;

    DurableQueue(long queueId, ShardQueues shard) {
        this.queueId = queueId;
        this.shard = shard;
        this.kept = shard.store.keptQueue(queueId);
        this.backlog = new Backlog(this);
        this.limits = new QueueLimits(this);
    }

    /** Counts within the limits of another queue, which it goes before. */
    DurableQueue(long queueId, DurableQueue successor) {
        this.queueId = queueId;
        this.shard = successor.shard;
        this.kept = shard.store.keptQueue(queueId);
        this.backlog = new Backlog(this);
        this.limits = successor.limits;
    }

    // ---------------------------------------------------------------- where it is

    @Override
    public final long queueId() {
        return queueId;
    }

    /** Clock of the highest message id that it has had; 0 for none. */
    public final long lastMessageId() {
        return lastMessageId;
    }

    @Override
    final ShardQueues shard() {
        return shard;
    }

    @Override
    final KeptQueue kept() {
        return kept;
    }

    @Override
    final @Nullable DurableQueue before() {
        return predecessor;
    }

    /**
     * Gives the next id: ids rise in the order in which messages come. In a session's queue an
     * entry that stays with a group has one, too.
     */
    final long nextMessageId() {
        lastMessageId = shard.ids.nextMessageId(lastMessageId);
        return lastMessageId;
    }

    /** The queue has, or had, this id. */
    final void idsGoOnAbove(HybridId id) {
        lastMessageId = Math.max(lastMessageId, id.clock());
    }

    /** The queue's stay on the shard that it is on. */
    private QueueStay stay() {
        QueueStay made = stay;
        if (made == null) {
            made = new QueueStay(this, shard.post);
            stay = made;
        }
        return made;
    }

    /** The queue has an id from now on: it will be kept. */
    final void queueId(long id) {
        queueId = id;
        kept = shard.store.keptQueue(id);
    }

    /** It counts on this shard from now on. */
    public final void enter(ShardQueues at) {
        if (at != shard) {
            shard = at;
            stay = null;
            kept = at.store.keptQueue(queueId);
        }
        account(1);
        if (backlog.hasRows()) {
            tellRows();
        }
        if (predecessor != null) {
            predecessor.enter(at);
        }
    }

    /** It does not count on its shard any more. */
    public final void leave() {
        account(-1);
        shard.hasRows(queueId, null);
        if (predecessor != null) {
            predecessor.leave();
        }
    }

    /** Whether rows of this queue id are not in memory has changed. */
    void tellRows() {
        shard.hasRows(queueId, backlog.hasRows() ? this : null);
    }

    private void account(int sign) {
        shard.accounts.queued(sign * backlog.memoryBytes(), sign * backlog.inMemory());
        shard.accounts.kept(sign * backlog.keptBytes(), sign * backlog.keptMessages());
        shard.accounts.inFlight(sign * inFlightBytes());
        shard.accounts.remembered(sign * rememberedBytes());
        if (backlog.memoryBytes() + inFlightBytes() >= Message.LARGE) {
            backlog.forEach(entry -> entry.countAgain(shard.accounts, sign));
            countInFlightAgain(sign);
        }
    }

    /**
     * Takes up what an earlier start has left waiting: counts only, the messages stay where they
     * are until they are wanted. To be called before the queue {@linkplain #enter counts}.
     */
    final void restoreWaiting(QueueDepth depth) {
        idsGoOnAbove(depth.last());
        backlog.restore(depth);
    }

    // ---------------------------------------------------------------- what goes before it

    /** Puts a queue before this one, which does not count yet or sees to that itself. */
    final void precede(DurableQueue by) {
        predecessor = by;
    }

    /** Nothing is left of it. */
    final void forgetPredecessor() {
        predecessor = null;
    }

    /** What the next that is to go stands in. */
    final Backlog front() {
        DurableQueue before = predecessor;
        return before == null || before.isEmpty() ? backlog : before.backlog;
    }

    /** A page asked for is not waited for: another shard, or a connection, asks anew. */
    final void giveUpReading() {
        backlog.giveUpReading();
        if (predecessor != null) {
            predecessor.giveUpReading();
        }
    }

    /** What was read for the connection goes back: its rows are still there. */
    final void putBackRead() {
        backlog.onConnectionLost();
        if (predecessor != null) {
            predecessor.putBackRead();
        }
    }

    // ---------------------------------------------------------------- what it holds

    public final boolean isEmpty() {
        return backlog.isEmpty() && (predecessor == null || predecessor.isEmpty());
    }

    /** Messages that wait, in memory or on disk. */
    public final long messages() {
        return backlog.messages() + (predecessor == null ? 0 : predecessor.messages());
    }

    public final long bytes() {
        return backlog.bytes() + (predecessor == null ? 0 : predecessor.bytes());
    }

    /** Messages that wait in memory. */
    public final int inMemory() {
        return backlog.inMemory() + (predecessor == null ? 0 : predecessor.inMemory());
    }

    public final long memoryBytes() {
        return backlog.memoryBytes() + (predecessor == null ? 0 : predecessor.memoryBytes());
    }

    /** Messages that wait and are not in memory. */
    public final long onDisk() {
        return backlog.onDisk() + (predecessor == null ? 0 : predecessor.onDisk());
    }

    /** Messages that wait and that the store has. */
    public final long keptMessages() {
        return backlog.keptMessages() + (predecessor == null ? 0 : predecessor.keptMessages());
    }

    public final long keptBytes() {
        return backlog.keptBytes() + (predecessor == null ? 0 : predecessor.keptBytes());
    }

    /** Clock of the oldest that waits, or of a moment before it; 0 when nothing waits. */
    final long oldestClock() {
        long own = backlog.oldestClock();
        long before = predecessor == null ? 0 : predecessor.oldestClock();
        return own == 0 || before == 0 ? own + before : Math.min(own, before);
    }

    public final QueueDrops drops() {
        return limits.drops();
    }

    // ---------------------------------------------------------------- what the store has to say

    /** Waits for the append of an entry, which was just made. */
    final void awaitAppend(QueueEntry entry) {
        entry.appendedIn(stay());
        kept.whenKept(entry);
    }

    @Override
    public void onCommitted(QueueEntry entry, boolean isKept) {
        evictIfRow(entry);
    }

    /** Has an entry leave memory that was a row before its append counted. */
    final void evictIfRow(QueueEntry entry) {
        if (entry.mayBeEvicted()) {
            backlog.evict();
        }
    }

    @Override
    public final void onExpired(List<ExpiredRow> rows) {
        backlog.onExpired(rows);
    }

    /**
     * Notes that entries up to this id are rows. What says that it is a row may say so before the
     * store can show it.
     */
    public void onRows(HybridId upTo) {
        backlog.onRows(upTo);
    }

    /**
     * A message was not taken in: its publisher is acknowledged all the same, when what is in its
     * place is kept.
     */
    final void onRefused(Receipt waiting) {
        if (isDurable()) {
            kept.whenKept(waiting::targetDone);
        } else {
            waiting.targetDone(true);
        }
    }

    /**
     * The store forgets the whole queue, so no entry needs an operation of its own. They are taken
     * back when that is kept, and not before: a crash until then brings the queue back, and what
     * was acknowledged has to be in it.
     *
     * @param inFlight those that do not wait
     */
    final void forgetKept(List<QueueEntry> inFlight) {
        forgetIngress();
        List<QueueEntry> left = new ArrayList<>(inFlight);
        backlog.forEach(left::add);
        left.removeIf(entry -> !entry.kept);
        if (left.isEmpty()) {
            return;
        }
        left.forEach(entry -> entry.kept = false);
        kept().whenKept(isKept -> {
            if (isKept) {
                left.forEach(QueueEntry::takeBack);
            }
        });
    }

    // ---------------------------------------------------------------- the subclass's

    /** Whether it outlives its receivers' connections. */
    abstract boolean isDurable();

    /** Whether someone is there to take what waits. */
    abstract boolean isOnline();

    /** Counts what is dropped with the whole queue. */
    void countCleared() {
        countDropped(Metric.DROPPED_SESSION_GONE, null, (int) backlog.messages());
    }

    /** Counts messages that nobody gets. */
    abstract void countDropped(Metric cause, @Nullable Message message, int count);

    /** What its limits are compared with: more than itself when it is a part of something. */
    long limitedMessages() {
        return messages();
    }

    long limitedBytes() {
        return bytes();
    }

    /** Discards the oldest of what its limits are for. False when none can go now. */
    boolean discardOldest() {
        return front().discardOldest();
    }

    /** The counter of what is discarded when it is full. */
    Metric whenFull() {
        return Metric.DROPPED_QUEUE_FULL;
    }

    /** Makes an entry of a row that was read. */
    QueueEntry ofRow(
            long messageId, @Nullable Message message, int qos, boolean retain, int[] ids) {
        return new QueueEntry(queueId, messageId, message, qos, retain, ids, null);
    }

    /** What is in flight and counted here, and not with another queue's window or its receivers. */
    long inFlightBytes() {
        return 0;
    }

    /** What has {@link #inFlightBytes} comes to this shard, or leaves it. */
    void countInFlightAgain(int sign) {}

    /** Whether it is known which rows are in flight. */
    abstract boolean isInFlightRead();

    /** Finds out which rows are in flight, unless that is done at start in any case. */
    void readInFlight() {}

    /** Whether the row of this id is in flight, though the store may show it as idle. */
    abstract boolean isInFlight(long messageId, int server);

    /** Rows up to this id have been passed. */
    void onCursor(IdMark cursor) {}

    /** An entry that waits has left memory: its row stays. */
    void onEvicted(QueueEntry entry) {}

    /** An entry was read back from its row. */
    void onReadBack(QueueEntry entry) {}

    /** It was the oldest of a queue that is full. */
    abstract void onDiscarded(QueueEntry entry);

    /** It was taken out to be removed. */
    void onRemoved(QueueEntry entry) {
        throw new IllegalStateException("only what waits for one session is removed");
    }

    /** A page of what waits has come. */
    abstract void onPage();

    /** A page could not be read; the rows stay. */
    abstract void onReadFailed(Throwable failure);
}
