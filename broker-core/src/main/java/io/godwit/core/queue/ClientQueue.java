package io.godwit.core.queue;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.KeptQueue;
import io.godwit.core.store.QueueDepth;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one session, and what is {@linkplain InFlight in flight} to its client. Made with
 * the first message, so an idle session costs nothing for it. Owned by the session's shard.
 *
 * <p>An entry waits, is sent under a packet id, and ends with PUBACK or PUBCOMP, by expiry, or
 * discarded when the queue is full. Entries of a shared group are not operations of this queue,
 * since they stand in the group's.
 *
 * <p>With a {@link Predecessor} all that waits there is sent first; the packet ids are of the one
 * window. It is given up, and its store told so, when its last entry is acknowledged.
 */
public final class ClientQueue extends DurableQueue {
    private final QueueOwner owner;
    private final InFlight inFlight;

    /** What goes before the queue's own entries, while anything of it is left. */
    private @Nullable Predecessor predecessor;

    /** In flight at QoS 2, the packet id not committed, and what must not overtake these. */
    private int unkept;

    /** The same, committed, and not sent yet: the channel was full. */
    private @Nullable ArrayDeque<QueueEntry> unsent;

    public ClientQueue(long queueId, QueueOwner owner, ShardQueues shard) {
        super(queueId, shard);
        this.owner = owner;
        this.inFlight = new InFlight(this);
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

    /** How long the oldest message has been here, by the clock in its id; 0 when there is none. */
    public long oldestAgeMs() {
        long oldest = oldestId();
        for (QueueEntry entry : inFlight.inOrder()) {
            oldest = oldest == 0 ? entry.messageId : Math.min(oldest, entry.messageId);
        }
        return oldest == 0 ? 0 : Math.max(0, shard().clock.wallMs() - (oldest >>> 16));
    }

    /**
     * Takes up what an earlier start has left.
     *
     * @param shared entries of groups that its client had in flight, and that {@link #sharedAgain}
     *     tells of
     * @param remembered ingress ids of QoS 2 messages that may come again
     */
    public void restore(@Nullable QueueDepth depth, int shared, List<KeptIngress> remembered) {
        restoreRemembered(remembered);
        if (depth != null) {
            restoreWaiting(depth);
        }
        inFlight.restore(depth == null ? 0 : depth.inFlight(), shared);
    }

    /**
     * Another queue of this client goes before this one: nothing comes into it any more. To be
     * called before this queue {@linkplain #enter counts}, at most once.
     *
     * @param depth of that queue, which has rows only
     * @param remembered ingress ids of QoS 2 messages that it has, or had, and that may come again
     */
    public void precededBy(QueueDepth depth, List<KeptIngress> remembered) {
        Predecessor before = new Predecessor(depth, this);
        before.restoreRemembered(remembered);
        predecessor = before;
        precede(before);
        inFlight.precededBy(before, depth.inFlight());
    }

    /** Nothing of it is left, and the store need not know it any more. */
    private void leavePredecessor() {
        Predecessor before = predecessor;
        if (before != null && before.isDone() && inFlight.isRead()) {
            predecessor = null;
            forgetPredecessor();
            owner.forgetQueue(before.queueId());
        }
    }

    @Nullable Predecessor predecessor() {
        return predecessor;
    }

    /** The store's hold on the queue that an entry stands in. */
    private KeptQueue keptOf(QueueEntry entry) {
        Predecessor before = predecessor;
        return before != null && before.has(entry) ? before.kept() : kept();
    }

    // ---------------------------------------------------------------- connection comes and goes

    /** Everything unacknowledged will be sent again, before what waits [MQTT-4.4.0-1]. */
    public void onConnected() {
        giveUpReading();
        inFlight.onConnected();
    }

    public void onConnectionLost() {
        unsent = null;
        unkept = 0;
        if (predecessor != null) {
            predecessor.unkept = 0;
        }
        putBackRead();
        inFlight.onConnectionLost();
    }

    /** Groups take back themselves what has no packet id at QoS 2; the rest stays here. */
    public void dropGroupEntries() {
        backlog.removeShared();
        for (QueueEntry entry : inFlight.inOrder()) {
            if (entry.source != null && entry.qos == 1) {
                inFlight.remove(entry);
            }
        }
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

    /** Whether it has no rows that its client is still to get. */
    public boolean mayLeaveStore() {
        return predecessor == null && !backlog.hasRows() && inFlight.isRead();
    }

    /** The session is not durable any more; the store was just told to forget the queue. */
    public void leaveStore() {
        forgetKept();
        backlog.leaveStore();
    }

    private void forgetKept() {
        List<QueueEntry> left = List.of(inFlight.inOrder());
        left.forEach(entry -> entry.hasMarker = false);
        Predecessor before = predecessor;
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
    void onCommitted(QueueEntry entry, boolean durable) {
        if (!durable) {
            giveUp(entry);
        } else if (!entry.mayLeave) {
            entry.mayLeave = true;
            owner.pump();
        }
    }

    private void giveUp(QueueEntry entry) {
        if (entry.qos == 2) {
            if (inFlight.get(entry.packetId) == entry) {
                inFlight.remove(entry);
            } else {
                backlog.removeIdle(entry);
            }
        }
        owner.pump();
    }

    /**
     * The session has ended; the store was just told to forget it. Who waits for an append still
     * waits for that.
     */
    public void drop() {
        Predecessor before = predecessor;
        if (before != null) {
            owner.forgetQueue(before.queueId());
        }
        forgetKept();
        if (before != null) {
            before.backlog.clear();
            predecessor = null;
            forgetPredecessor();
        }
        backlog.clear();
        inFlight.clear();
    }

    // ---------------------------------------------------------------- taking in

    /**
     * Takes a message in: the ack point of a transient session, the append of a durable one.
     *
     * @param qos at which it goes out: the lower of the message's and the subscription's
     * @param waiting for the ack point of this target, which it has been told to expect; null when
     *     nobody is
     * @param source the entry of a group's queue that goes to this client; else null
     */
    public void add(
            Message message,
            int qos,
            boolean retain,
            int[] ids,
            @Nullable Receipt waiting,
            @Nullable QueuedMessage source) {
        boolean durable = owner.isDurable() && source == null;
        if (durable && recognises(message, waiting)) {
            return;
        }
        Outlet to = outlet();
        boolean goesAtOnce =
                to != null
                        && isEmpty()
                        && !isPredecessorUnsent()
                        && inFlight.isSentAgain()
                        && to.canSend()
                        && inFlight.size() < to.inFlightMax();
        if (!goesAtOnce && source == null && !limits.admits(message)) {
            limits.refuse(message, waiting);
            return;
        }
        // Ids rise in the order in which messages come; one that stands in a group's queue too has
        // the id that it has there when it is sent again, which is after what was sent before it.
        lastMessageId = shard().ids.nextMessageId(lastMessageId);
        QueueEntry entry =
                new QueueEntry(queueId(), lastMessageId, message, qos, retain, ids, source);
        if (durable) {
            entry.waiting = waiting;
            entry.kept = true;
            kept().append(entry);
            if (waiting != null) {
                remember(entry, message);
            }
            // At QoS 2 it leaves when its packet id is kept: with it, or, when others are before
            // it, later; then it gets none before it is kept itself.
            entry.mayLeave = qos < 2 || goesAtOnce;
        } else {
            Receipt.done(waiting);
        }
        if (goesAtOnce && to != null) {
            send(to, entry, message);
        } else {
            backlog.add(entry);
            limits.trim();
        }
        if (durable) {
            entry.awaitAppend(this);
        }
    }

    // ---------------------------------------------------------------- delivery

    private void send(Outlet to, QueueEntry entry, Message message) {
        inFlight.add(entry);
        entry.state = QueueEntry.SENT;
        Predecessor before = predecessor;
        if (before != null) {
            before.onInFlight(entry);
        }
        if (entry.kept) {
            keptOf(entry).inFlight(entry);
        }
        if (entry.qos == 2 && entry.source != null) {
            // It stays its group's, which keeps that this client has it before PUBLISH leaves.
            entry.mayLeave = false;
            owner.sharedInFlight(entry);
        } else if (entry.qos == 2 && (entry.kept || unkept > 0 || unsent != null)) {
            // It would come twice if it had another packet id after a restart. QoS 1 need not wait:
            // order is promised for each QoS.
            unkept++;
            if (before != null && before.has(entry)) {
                before.unkept++;
            }
            keptOf(entry).whenKept(durable -> onPacketIdKept(to, entry, durable));
        } else {
            sendFirst(to, entry, message);
        }
    }

    private void sendFirst(Outlet to, QueueEntry entry, Message message) {
        entry.hasLeft = true;
        if (!to.sendPublish(message, entry, false)) {
            limits.onTooLarge();
            finish(entry, true);
        }
    }

    private void onPacketIdKept(Outlet to, QueueEntry entry, boolean durable) {
        if (outlet() != to || !to.isConnected()) {
            return; // The next connection gets it again.
        }
        unkept--;
        Predecessor before = predecessor;
        boolean isOfBefore = before != null && before.has(entry);
        if (before != null && isOfBefore) {
            before.unkept--;
        }
        if (!durable) {
            to.fail(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR, "the store failed");
            return;
        }
        sendNext(to, entry);
        if (isOfBefore && !isPredecessorUnsent()) {
            owner.pump(); // What is this queue's own has waited for that.
        }
    }

    /**
     * Whether a packet id of the predecessor's is still being kept. Its store may confirm later
     * than this queue's own, whose QoS 2 messages must not overtake it.
     */
    private boolean isPredecessorUnsent() {
        Predecessor before = predecessor;
        return before != null && before.unkept > 0;
    }

    private void sendNext(Outlet to, QueueEntry entry) {
        ArrayDeque<QueueEntry> waiting = unsent;
        if (waiting == null) {
            waiting = new ArrayDeque<>(2);
            unsent = waiting;
        }
        waiting.add(entry);
        sendUnsent(to);
    }

    /** Those whose packet id is kept, as far as the channel allows. */
    private void sendUnsent(Outlet to) {
        ArrayDeque<QueueEntry> waiting = unsent;
        while (waiting != null && to.canSend()) {
            QueueEntry entry = waiting.poll();
            if (entry == null) {
                unsent = null;
                return;
            }
            Message message = entry.message;
            if (message != null && inFlight.get(entry.packetId) == entry) {
                sendFirst(to, entry, message);
            }
        }
    }

    /** Sends what waits, as far as window and channel allow. */
    public void pump(Outlet to) {
        if (!inFlight.isSentAgain() && !sendAgain(to)) {
            return;
        }
        leavePredecessor();
        sendUnsent(to);
        QueueEntry entry;
        while ((entry = peek()) != null
                && entry.mayLeave
                && to.canSend()
                && inFlight.size() < to.inFlightMax()) {
            front().remove();
            Message message = entry.message;
            if (message == null || message.isExpired(shard().clock.wallMs())) {
                if (message == null) {
                    limits.onExpired(1);
                } else {
                    limits.onExpired(message);
                }
                finish(entry, false);
            } else {
                send(to, entry, message);
            }
        }
        front().readAhead();
    }

    private @Nullable QueueEntry peek() {
        Backlog next = front();
        return next == backlog && isPredecessorUnsent() ? null : next.peek();
    }

    /**
     * Sends again what is in flight, within the new connection's window [MQTT-3.3.4-9]. @return all
     * was sent
     */
    private boolean sendAgain(Outlet to) {
        if (!inFlight.isRead()) {
            return false;
        }
        QueueEntry entry;
        while ((entry = inFlight.peekAgain()) != null) {
            boolean released = entry.state == QueueEntry.RELEASED;
            if (!released && (!to.canSend() || inFlight.sent() >= to.inFlightMax())) {
                return false;
            }
            inFlight.tookAgain(entry);
            Message message = entry.message;
            if (!entry.mayLeave) {
                continue; // Its group has not answered yet.
            }
            entry.hasLeft = true;
            if (released || message == null) {
                sendPubRel(to, entry);
            } else if (!to.sendPublish(message, entry, true)) {
                limits.onTooLarge();
                finish(entry, true);
            }
        }
        return true;
    }

    /** The entry's way has ended: acknowledged, expired or not deliverable. */
    void finish(QueueEntry entry, boolean inWindow) {
        if (inWindow) {
            inFlight.remove(entry);
        }
        if (entry.hasMarker) {
            QueuedMessage shared = inGroup(entry);
            keptOf(entry).removeMarker(shared.messageId, shared.server);
        }
        if (entry.source != null) {
            owner.sharedDone(entry);
        } else if (entry.kept) {
            keptOf(entry).remove(entry);
            if (entry.isRowReadBack) {
                entry.dropMessage(); // The store holds the entry for a while, and needs its ids.
            }
        }
        entry.settle(true);
        Predecessor before = predecessor;
        if (before != null && inWindow) {
            before.onDone(entry);
            leavePredecessor();
        }
    }

    // ---------------------------------------------------------------- what the store has to say

    /** Entries up to this id are rows. */
    @Override
    public void onRows(long upTo) {
        super.onRows(upTo);
        readAhead();
    }

    private void readAhead() {
        Outlet to = outlet();
        if (to != null && to.isConnected() && inFlight.isRead()) {
            front().readAhead();
        }
    }

    /** A page of what waits has come. */
    @Override
    void onPage() {
        limits.trim();
        owner.pump();
    }

    /** Everything that an earlier start had sent is in the window. */
    void onInFlightRead() {
        limits.trim();
        owner.pump();
    }

    /** What the next packet waits for will never be kept. */
    void onStoreFailed() {
        Outlet to = outlet();
        if (to != null && to.isConnected()) {
            to.fail(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR, "the store failed");
        }
    }

    /** The rows stay; the client may come again for them. */
    @Override
    void onReadFailed(Throwable failure) {
        owner.onReadFailed(failure);
        Outlet to = outlet();
        if (to != null && to.isConnected()) {
            to.fail(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR, "the queue could not be read");
        }
    }

    /** It was the oldest of a queue that is full. */
    @Override
    void onDiscarded(QueueEntry entry) {
        limits.onDiscarded();
        entry.settleWhenKept(kept());
        finish(entry, false);
    }

    // ---------------------------------------------------------------- the client answers

    /**
     * @return false when the packet id is not in flight, or not at this QoS
     */
    public boolean onPubAck(int packetId) {
        QueueEntry entry = inFlight.get(packetId);
        if (entry == null || entry.qos != 1) {
            return false;
        }
        finish(entry, true);
        owner.pump();
        return true;
    }

    public boolean onPubRec(int packetId, int reasonCode) {
        QueueEntry entry = inFlight.get(packetId);
        if (entry == null || entry.qos != 2) {
            return false;
        }
        if (reasonCode >= 0x80) {
            finish(entry, true);
            owner.pump();
            return true;
        }
        if (entry.state == QueueEntry.RELEASED) {
            onPubRecAgain(entry);
            return true;
        }
        Message message = entry.message;
        inFlight.release(entry);
        if (entry.source != null && message != null) {
            if (owner.isDurable()) {
                entry.hasMarker = true;
                QueuedMessage shared = inGroup(entry);
                kept().putMarker(
                                shared.messageId,
                                shared.server,
                                packetId,
                                message.ingressServer,
                                message.ingressCounter);
            }
            entry.mayLeave = false;
            gotShared(entry);
        } else {
            onPubRecAgain(entry);
        }
        return true;
    }

    private void onPubRecAgain(QueueEntry entry) {
        Outlet to = outlet();
        if (to != null && entry.mayLeave) {
            sendPubRel(to, entry);
        }
    }

    /** PUBREL leaves when it is kept that PUBREC came. */
    private void sendPubRel(Outlet to, QueueEntry entry) {
        int packetId = entry.packetId;
        KeptQueue itsKept = keptOf(entry);
        if (entry.kept) {
            itsKept.released(entry);
        } else if (!entry.hasMarker && !owner.isDurable()) {
            to.sendPubRel(packetId); // Nothing of it is with the store.
            return;
        }
        itsKept.whenKept(durable -> {
            if (durable) {
                to.sendPubRel(packetId);
            } else {
                to.fail(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR, "the store failed");
            }
        });
    }

    public boolean onPubComp(int packetId) {
        QueueEntry entry = inFlight.get(packetId);
        if (entry == null || entry.qos != 2) {
            return false;
        }
        finish(entry, true);
        owner.pump();
        return true;
    }

    // ---------------------------------------------------------------- entries of shared groups

    /**
     * The group has kept what the next packet of this entry waits for: that the client has it
     * (PUBLISH), or that it is removed from the group's queue (PUBREL).
     */
    public void sharedGoesOn(QueueEntry entry, boolean durable) {
        if (inFlight.get(entry.packetId) != entry || entry.mayLeave) {
            return;
        }
        Outlet to = outlet();
        boolean isConnected = to != null && to.isConnected();
        if (!durable) {
            if (to != null && isConnected) {
                to.fail(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR, "the store failed");
            }
            return;
        }
        entry.mayLeave = true;
        if (to == null || !isConnected || entry.again) {
            return; // It will be sent with all that is sent again.
        }
        if (entry.state == QueueEntry.RELEASED) {
            sendPubRel(to, entry);
        } else {
            sendNext(to, entry);
        }
    }

    /** At start: a group has kept that this client has its entry in flight. */
    public void sharedAgain(PartEntry source, int packetId, boolean retain, int[] ids) {
        QueueEntry entry =
                new QueueEntry(
                        queueId(), source.messageId, source.content(), 2, retain, ids, source);
        entry.packetId = packetId;
        entry.state = QueueEntry.SENT;
        entry.hasLeft = true;
        inFlight.onShared(entry);
    }

    /** At start: such an entry has ended before it was told of. */
    public void sharedEnded() {
        inFlight.onShared(null);
    }

    /** The client has got it: its group must let go of it. */
    void gotShared(QueueEntry entry) {
        owner.sharedGot(entry);
    }

    /** The session ends with this entry in its window. */
    void endShared(QueueEntry entry) {
        if (entry.source != null && entry.qos == 2 && entry.state == QueueEntry.SENT) {
            owner.sharedEnds(entry, entry.hasLeft);
        }
    }

    /** The group's entry, or what a restart knows of it. */
    private static QueuedMessage inGroup(QueueEntry entry) {
        QueuedMessage source = entry.source;
        return source == null ? entry : source;
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
    void tellAppendDone(ShardQueues appendedAt, QueueEntry entry, boolean durable) {
        appendedAt.post.appendDone(owner, entry, durable);
    }

    @Override
    void tellRowsWritten(ShardQueues appendedAt, long upTo) {
        appendedAt.post.rowsWritten(owner, upTo);
    }

    @Override
    public long inFlightBytes() {
        return inFlight.bytes();
    }

    @Override
    boolean isInFlightRead() {
        return inFlight.isRead();
    }

    @Override
    void readInFlight() {
        inFlight.read();
    }

    @Override
    boolean isInFlight(long messageId) {
        return inFlight.wasRow(messageId);
    }

    @Override
    void onCursor(long cursor) {
        inFlight.onCursor(cursor);
    }

    @Nullable Outlet outlet() {
        return owner.outlet();
    }
}
