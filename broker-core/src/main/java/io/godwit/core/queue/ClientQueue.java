package io.godwit.core.queue;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.settings.QueueBounds;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.QueueDepth;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one session, and what is {@linkplain InFlight in flight} to its client. Made with
 * the first message, so an idle session costs nothing for it. Owned by the session's shard.
 *
 * <p>An entry waits, is sent under a packet id, and ends with PUBACK or PUBCOMP, by expiry, or
 * discarded when the queue is full. Entries that stay with a shared group are not operations of
 * this queue, since they stand in the group's; one that is handed over at QoS 2 is as any other.
 *
 * <p>With a {@link Predecessor} all that waits there is sent first; the packet ids are of the one
 * window.
 */
public final class ClientQueue extends PrecededQueue {
    /** The part of what may wait for a transient session above which its publishers wait. */
    public static final int BEHIND_SIXTEENTHS = 8;

    private final QueueOwner owner;
    private final InFlight inFlight;
    private final Delivery delivery;
    private final QueueIntake intake;

    /** Made with the first. */
    private @Nullable EvictedLinks evictedLinks;

    public ClientQueue(long queueId, QueueOwner owner, ShardQueues shard) {
        super(queueId, owner, shard);
        this.owner = owner;
        this.inFlight = new InFlight(this, owner);
        this.delivery = new Delivery(this, owner, inFlight);
        this.intake = new QueueIntake(this, owner, delivery);
    }

    /** In flight, but for what an earlier start has sent and nobody has read back yet. */
    public int inFlight() {
        return inFlight.size();
    }

    /** In flight, those on disk included. */
    public int inFlightWithRows() {
        return inFlight.count();
    }

    /** What is in flight and in memory, in the order of the message ids. */
    public QueueEntry[] inFlightEntries() {
        return inFlight.inOrder();
    }

    /** Changes with each acknowledgement of its client. */
    public int acknowledged() {
        return inFlight.acknowledged();
    }

    /** Bytes of all that its client has acknowledged so far. */
    public long acknowledgedBytes() {
        return inFlight.acknowledgedBytes();
    }

    /** Whether more waits than this part of what may; of one that is not durable. */
    public boolean isAbove(int sixteenths) {
        return limits.isAbove(sixteenths);
    }

    /** Notes that all is there that an earlier start has left. */
    public void onRestored() {
        limits.onRestored();
    }

    /** Bounds it in place of the node's settings. */
    public void bound(QueueBounds own) {
        limits.bound(own);
    }

    /** Returns how many messages may wait. */
    public long messagesMax() {
        return limits.messagesMax();
    }

    /** Returns how many bytes may wait. */
    public long bytesMax() {
        return limits.bytesMax();
    }

    /** How long the oldest message has been here, by the clock in its id; 0 when there is none. */
    public long oldestAgeMs() {
        long oldest = inFlight.oldestClock(oldestClock());
        return oldest == 0 ? 0 : Math.max(0, shard().clock.sureMs() - (oldest >>> 16));
    }

    /**
     * Takes up what an earlier start has left.
     *
     * @param remembered ingress ids of QoS 2 messages that may come again
     */
    public void restore(@Nullable QueueDepth depth, List<KeptIngress> remembered) {
        restoreRemembered(remembered);
        if (depth != null) {
            restoreWaiting(depth);
        }
        inFlight.restore(depth == null ? 0 : depth.inFlight());
    }

    // ---------------------------------------------------------------- connection comes and goes

    /** Everything unacknowledged will be sent again, before what waits [MQTT-4.4.0-1]. */
    public void onConnected() {
        giveUpReading();
        inFlight.onConnected();
    }

    public void onConnectionLost() {
        delivery.onConnectionLost();
        evictedLinks = null; // They count for the credit of this connection.
        putBackRead();
        inFlight.onConnectionLost();
    }

    /** Groups take back themselves what has no packet id at QoS 2; the rest stays here. */
    public void dropGroupEntries() {
        backlog.removeShared();
        shared().removeQos1();
    }

    /** Gives back to groups what they have given it. */
    public void leaveGroups() {
        backlog.removeShared();
        shared().end();
    }

    /** The session goes to another shard; receipts and pages stay with those who asked for them. */
    public void leaveShard() {
        giveUpReading();
        inFlight.giveUpReading();
        backlog.forEach(QueueEntry::onQueueLeaves); // A predecessor's entries have nobody waiting.
        for (QueueEntry entry : inFlight.inOrder()) {
            entry.onQueueLeaves();
        }
    }

    /** Has what is in flight to a client that is offline leave memory, as far as it is rows. */
    public void inFlightLeavesMemory() {
        inFlight.leaveMemory();
    }

    /** Returns the queue id of what is drained before it; 0 for nothing. */
    public long predecessorId() {
        Predecessor before = predecessor();
        return before == null ? 0 : before.queueId();
    }

    /** Whether it has no rows that its client is still to get. */
    public boolean mayLeaveStore() {
        return predecessor() == null && !backlog.hasRows() && inFlight.isInMemory();
    }

    /** The session is not durable any more; the store was just told to forget the queue. */
    public void leaveStore() {
        forgetKept();
        backlog.leaveStore();
    }

    private void forgetKept() {
        List<QueueEntry> left = List.of(inFlight.inOrder());
        Predecessor before = predecessor();
        if (before != null) {
            before.forgetKept(left.stream().filter(before::has).toList());
        }
        forgetKept(left);
    }

    /**
     * The append of a durable entry is committed: at QoS 2 it may leave. One that never will be is
     * given up, since its publisher is not acknowledged and sends it again.
     */
    @Override
    public void onCommitted(QueueEntry entry, boolean isKept) {
        delivery.onCommitted(entry, isKept);
        evictIfRow(entry);
    }

    /**
     * The session has ended; the store was just told to forget it. Who waits for an append still
     * waits for that.
     */
    public void drop() {
        giveBackToGroups();
        Predecessor before = predecessor();
        if (before != null) {
            owner.forgetQueue(before.queueId());
        }
        forgetKept();
        dropPredecessor();
        backlog.clear();
        inFlight.clear();
    }

    // ---------------------------------------------------------------- taking in

    /** What comes in. */
    public QueueIntake intake() {
        return intake;
    }

    // ---------------------------------------------------------------- delivery

    /** What goes out to its client, and what the client answers. */
    public Delivery delivery() {
        return delivery;
    }

    // ---------------------------------------------------------------- what the store has to say

    /** Entries up to this id are rows. */
    @Override
    public void onRows(HybridId upTo) {
        super.onRows(upTo);
        Outlet to = outlet();
        if (to != null && to.isConnected() && inFlight.isRead()) {
            front().readAhead();
        }
    }

    /** A page of what waits has come, or all that was in flight. */
    @Override
    void onPage() {
        limits.trim();
        owner.pump();
    }

    /** The rows stay; the client may come again for them. */
    @Override
    void onReadFailed(Throwable failure) {
        owner.onReadFailed(failure);
        fail(
                ReasonCode.UNSPECIFIED_ERROR,
                "stored messages of this session can't be read: its operator is told");
    }

    /** Ends the connection, if there is one. */
    void fail(ReasonCode reason, String text) {
        Outlet to = outlet();
        if (to != null && to.isConnected()) {
            to.fail(reason, text);
        }
    }

    /** It was the oldest of a queue that is full. */
    @Override
    void onDiscarded(QueueEntry entry) {
        limits.onDiscarded();
        entry.settleWhenKept(kept());
        delivery.finish(entry, false);
    }

    /** Ends an entry; its publisher is acknowledged when the removal is persisted. */
    @Override
    void onRemoved(QueueEntry entry) {
        countDropped(Metric.DROPPED_REMOVED, entry.message, 1);
        entry.settleWhenKept(kept());
        delivery.finish(entry, false);
    }

    /**
     * Finds out what is in flight, if an earlier start has left it.
     *
     * @param whenRead told once, true: it is known
     */
    void readInFlight(InFlightReader whenRead) {
        inFlight.read(whenRead);
    }

    /** Hears that what is in flight was read; false: it was not, for now. */
    interface InFlightReader {
        void onRead(boolean isRead);
    }

    // ---------------------------------------------------------------- entries of shared groups

    private SharedInFlight shared() {
        return new SharedInFlight(inFlight);
    }

    @Override
    void onEvicted(QueueEntry entry) {
        GroupLink link = entry.source;
        if (link != null && isOnline()) {
            EvictedLinks known = evictedLinks == null ? new EvictedLinks() : evictedLinks;
            evictedLinks = known;
            known.add(entry.messageId, link);
        }
    }

    @Override
    void onReadBack(QueueEntry entry) {
        EvictedLinks known = evictedLinks;
        if (known != null) {
            entry.source = known.take(entry.messageId);
        }
    }

    /** Tells groups of what never will be read back. */
    @Override
    void tellRows() {
        super.tellRows();
        EvictedLinks known = evictedLinks;
        if (known != null && !backlog.hasRows()) {
            evictedLinks = null;
            known.drain(owner::sharedDone);
        }
    }

    /** Gives groups what they have handed over and its client can't have got. */
    private void giveBackToGroups() {
        List<QueueEntry> unsent = new ArrayList<>(0);
        for (QueueEntry entry : inFlight.inOrder()) {
            if (entry.isUnsentOfGroup()) {
                unsent.add(entry);
            }
        }
        backlog.forEach(entry -> {
            if (entry.isUnsentOfGroup()) {
                unsent.add(entry);
            }
        });
        if (!unsent.isEmpty()) {
            owner.sharedUnsent(unsent);
        }
    }

    // ---------------------------------------------------------------- what the base asks

    @Override
    boolean isDurable() {
        return owner.isDurable();
    }

    @Override
    boolean isOnline() {
        return owner.outlet() != null;
    }

    @Override
    void countDropped(Metric cause, @Nullable Message message, int count) {
        shard().counters
                .add(cause, cause == Metric.DROPPED_SESSION_GONE ? null : owner.version(), count);
    }

    @Override
    public void tellAppendDone(QueuePost appendedAt, QueueEntry entry, boolean isKept) {
        appendedAt.appendDone(owner, entry, isKept);
    }

    @Override
    public void tellRowsWritten(QueuePost appendedAt, HybridId upTo) {
        appendedAt.rowsWritten(owner, upTo);
    }

    @Override
    public long inFlightBytes() {
        return inFlight.bytes();
    }

    @Override
    void countInFlightAgain(int sign) {
        inFlight.countAgain(sign);
    }

    @Override
    boolean isInFlightRead() {
        return inFlight.isRead();
    }

    @Override
    void onPrecededBy(Predecessor before, int rows) {
        inFlight.precededBy(before, rows);
    }

    @Override
    void readInFlight() {
        inFlight.read();
    }

    @Override
    boolean isInFlight(long messageId, int server) {
        return inFlight.wasRow(messageId, server);
    }

    @Override
    void onCursor(IdMark cursor) {
        inFlight.onCursor(cursor);
    }

    InFlight window() {
        return inFlight;
    }

    @Nullable Outlet outlet() {
        return owner.outlet();
    }
}
