package io.godwit.core.session;

import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.settings.QueuePolicy;
import io.godwit.core.settings.QueueSettings;
import io.godwit.core.store.QueueDepth;
import org.jspecify.annotations.Nullable;

/**
 * The QoS 1 and 2 messages on their way to one session's client: what waits, in order ({@link
 * Backlog}), and what is in flight ({@link InFlight}). Made with the first such message, so an idle
 * session costs nothing for it. Owned by the session's shard.
 *
 * <p>An entry waits, is sent under a packet id, and ends with PUBACK or PUBCOMP, by expiry, or
 * discarded when the queue is full. A durable session's entries are operations of the store, too;
 * those of a shared group are not, since they stand in the group's queue.
 */
final class ClientQueue {
    private final Session session;
    private final Backlog backlog;
    private final InFlight inFlight;
    private long lastMessageId;
    private long discardedFull;
    private long discardedExpired;
    private long discardedTooLarge;

    ClientQueue(Session session) {
        this.session = session;
        this.backlog = new Backlog(session, this);
        this.inFlight = new InFlight(session, this);
    }

    Backlog backlog() {
        return backlog;
    }

    InFlight inFlight() {
        return inFlight;
    }

    Discards discards() {
        return new Discards(discardedFull, discardedExpired, discardedTooLarge);
    }

    /** How long the oldest message has been here, by the clock in its id; 0 when there is none. */
    long oldestAgeMs() {
        long oldest = backlog.oldestId();
        for (QueueEntry entry : inFlight.inOrder()) {
            oldest = oldest == 0 ? entry.messageId : Math.min(oldest, entry.messageId);
        }
        return oldest == 0 ? 0 : Math.max(0, shard().wallMs() - (oldest >>> 16));
    }

    /**
     * Takes up what an earlier start has left: counts only, the messages stay where they are until
     * the client comes. To be called before a shard {@linkplain SessionShard#adopt adopts} the
     * session, which accounts for it.
     */
    void restore(QueueDepth depth) {
        lastMessageId = Math.max(lastMessageId, depth.last());
        backlog.restore(depth);
        inFlight.restore(depth.inFlight());
    }

    // ---------------------------------------------------------------- connection comes and goes

    /** Everything unacknowledged will be sent again, before what waits [MQTT-4.4.0-1]. */
    void onConnected() {
        backlog.giveUpReading();
        inFlight.onConnected();
    }

    void onConnectionLost() {
        backlog.onConnectionLost();
        inFlight.onConnectionLost();
    }

    /** The groups have taken QoS 1 back themselves; QoS 2 that was sent stays with this session. */
    void dropGroupEntries() {
        backlog.removeTickets(entry -> {
            GroupTicket ticket = entry.ticket;
            if (ticket != null && entry.qos == 2) {
                shard().send(
                                ticket.group().owner(),
                                new GroupMail.Returned(ticket.group(), session, ticket.entry()));
            }
        });
        for (QueueEntry entry : inFlight.inOrder()) {
            if (entry.ticket != null && entry.qos == 1) {
                inFlight.remove(entry);
            }
        }
    }

    /** The session goes to another shard; receipts and pages stay with those who asked for them. */
    void leaveShard() {
        backlog.giveUpReading();
        inFlight.giveUpReading();
        backlog.forEach(QueueEntry::onSessionLeaves);
        for (QueueEntry entry : inFlight.inOrder()) {
            entry.onSessionLeaves();
        }
    }

    /**
     * The session is not durable any more.
     *
     * @return false while there are rows that its client is still to get
     */
    boolean leaveStore() {
        if (backlog.hasRows() || !inFlight.isRead()) {
            return false;
        }
        backlog.leaveStore();
        inFlight.leaveStore();
        return true;
    }

    /**
     * The append of a durable entry is committed: at QoS 2 it may leave. One that never will be is
     * given up, since its publisher is not acknowledged and sends it again.
     */
    void onCommitted(QueueEntry entry, boolean durable) {
        if (entry.mayLeave) {
            return;
        }
        entry.mayLeave = true;
        if (!durable) {
            backlog.removeIdle(entry);
        }
        session.pump();
    }

    /** The session has ended: the store forgets all of it at once. */
    void drop() {
        backlog.clear();
        inFlight.clear();
    }

    // ---------------------------------------------------------------- taking in

    /**
     * Takes a message in: the ack point of a transient session, the append of a durable one.
     *
     * @param qos at which it goes out: the lower of the message's and the subscription's
     * @param receipt whose acknowledgement waits for a durable target; already told to await this
     *     one
     */
    void add(
            Message message,
            int qos,
            boolean retain,
            int[] ids,
            @Nullable Receipt receipt,
            @Nullable GroupTicket ticket) {
        ClientConnection to = connection();
        boolean goesAtOnce =
                to != null
                        && backlog.isEmpty()
                        && inFlight.isSentAgain()
                        && to.canSend()
                        && inFlight.size() < to.inFlightMax();
        if (!goesAtOnce && ticket == null && isFull(message) && !makesRoom(message)) {
            refuse(receipt);
            return;
        }
        lastMessageId = shard().nextMessageId(lastMessageId);
        QueueEntry entry =
                new QueueEntry(session.queueId(), lastMessageId, message, qos, retain, ids, ticket);
        boolean durable = session.isDurable() && ticket == null;
        if (durable) {
            entry.receipt = receipt;
            entry.kept = true;
            shard().store().append(entry);
            // At QoS 2 it leaves when its packet id is kept; one that waits first gets none before
            // it is kept itself.
            entry.mayLeave = qos < 2 || goesAtOnce;
        } else {
            Receipt.done(receipt);
        }
        if (goesAtOnce && to != null) {
            send(to, entry, message);
        } else {
            backlog.add(entry);
            trim();
        }
        if (durable) {
            entry.awaitCommit(session, shard());
        }
    }

    private boolean isFull(Message message) {
        if (session.isDurable()) {
            QueueSettings max = shard().queues();
            return backlog.messages() >= max.messages()
                    || backlog.bytes() + message.accountedBytes() > max.bytes();
        }
        return backlog.messages() >= shard().limits().queueMessages()
                || backlog.bytes() + message.accountedBytes() > shard().limits().queueBytes();
    }

    /**
     * Whether the oldest will go instead. While its page is being read the queue may be a page too
     * long; beyond that the new message goes.
     */
    private boolean makesRoom(Message message) {
        QueueSettings max = shard().queues();
        return discardsOldest()
                && backlog.messages() < max.messages() + max.pageMessages()
                && backlog.bytes() + message.accountedBytes() <= max.bytes() + RowPage.BYTES_MAX;
    }

    private boolean discardsOldest() {
        return session.isDurable() && shard().queues().policy() == QueuePolicy.DISCARD_OLDEST;
    }

    private void refuse(@Nullable Receipt receipt) {
        discardedFull++;
        shard().counters().increment(Metric.DROPPED_QUEUE_FULL, session.version());
        if (receipt != null && shard().queues().policy() == QueuePolicy.REJECT) {
            receipt.reason = ReasonCode.QUOTA_EXCEEDED;
        }
        Receipt.done(receipt);
    }

    /** Discards the oldest until the queue is within its limits again. */
    void trim() {
        if (discardsOldest()) {
            QueueSettings max = shard().queues();
            while ((backlog.messages() > max.messages() || backlog.bytes() > max.bytes())
                    && backlog.discardOldest()) {
                // One at a time.
            }
        }
    }

    // ---------------------------------------------------------------- delivery

    private void send(ClientConnection to, QueueEntry entry, Message message) {
        inFlight.add(entry);
        entry.state = QueueEntry.SENT;
        if (entry.kept) {
            shard().store().inFlight(entry);
            if (entry.qos == 2) {
                shard().afterCommit(durable -> onMarked(to, entry, durable));
                return;
            }
        }
        publish(to, entry, message);
    }

    /**
     * It is kept under which packet id a QoS 2 PUBLISH will leave: another one after a crash would
     * be another message.
     */
    private void onMarked(ClientConnection to, QueueEntry entry, boolean durable) {
        if (to.isClosed()) {
            return; // It is in flight, and so goes to the next connection, wherever that is.
        }
        if (durable) {
            inFlight.marked(entry);
            session.pump();
        } else {
            to.close(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR, "the store failed", true);
        }
    }

    private void publish(ClientConnection to, QueueEntry entry, Message message) {
        if (!to.sendPublish(message, entry, false)) {
            discardedTooLarge++;
            finish(entry, true);
        }
    }

    /** Sends what waits, as far as window and channel allow. */
    void pump(ClientConnection to) {
        if (!inFlight.isSentAgain() && !sendAgain(to)) {
            return;
        }
        QueueEntry entry;
        while (to.canSend() && (entry = inFlight.takeMarked()) != null) {
            Message message = entry.message;
            if (message != null) {
                publish(to, entry, message);
            }
        }
        while ((entry = backlog.peek()) != null
                && entry.mayLeave
                && to.canSend()
                && inFlight.size() < to.inFlightMax()) {
            backlog.remove();
            Message message = entry.message;
            if (message == null || message.isExpired(shard().wallMs())) {
                discardedExpired++;
                shard().counters().increment(Metric.DROPPED_EXPIRED, session.version());
                finish(entry, false);
            } else {
                send(to, entry, message);
            }
        }
        backlog.readAhead();
    }

    /**
     * Sends again what is in flight, within the new connection's window [MQTT-3.3.4-9]. @return all
     * was sent
     */
    private boolean sendAgain(ClientConnection to) {
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
            if (released || message == null) {
                sendPubRel(to, entry);
            } else if (!to.sendPublish(message, entry, true)) {
                discardedTooLarge++;
                finish(entry, true);
            }
        }
        return true;
    }

    /** The entry's way has ended: acknowledged, expired or not deliverable. */
    private void finish(QueueEntry entry, boolean inWindow) {
        if (inWindow) {
            inFlight.remove(entry);
        }
        GroupTicket ticket = entry.ticket;
        if (ticket != null) {
            session.returnTicket(ticket);
        } else if (entry.kept) {
            shard().store().remove(entry);
        }
        entry.settle(true);
    }

    // ---------------------------------------------------------------- what the store has to say

    /** Entries up to this id are rows. */
    void onRows(long upTo) {
        backlog.onRows(upTo);
        readAhead();
    }

    private void readAhead() {
        ClientConnection to = connection();
        if (to != null && to.isConnected() && inFlight.isRead()) {
            backlog.readAhead();
        }
    }

    /** A page of what waits has come. */
    void onPage() {
        trim();
        session.pump();
    }

    /** Everything that an earlier start had sent is in the window. */
    void onInFlightRead() {
        trim();
        session.pump();
    }

    /** The rows stay; the client may come again for them. */
    void onReadFailed(Throwable failure) {
        shard().onReadFailed(session, failure);
        ClientConnection to = connection();
        if (to != null && to.isConnected()) {
            to.close(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR, "the queue could not be read", true);
        }
    }

    /** It was the oldest of a queue that is full. */
    void onDiscarded(QueueEntry entry) {
        onRowDiscarded();
        finish(entry, false);
    }

    void onRowDiscarded() {
        discardedFull++;
        shard().counters().increment(Metric.DROPPED_QUEUE_FULL, session.version());
    }

    void onRowsExpired(int count) {
        discardedExpired += count;
        shard().counters().add(Metric.DROPPED_EXPIRED, session.version(), count);
    }

    // ---------------------------------------------------------------- the client answers

    /**
     * @return false when the packet id is not in flight, or not at this QoS
     */
    boolean onPubAck(int packetId) {
        QueueEntry entry = inFlight.get(packetId);
        if (entry == null || entry.qos != 1) {
            return false;
        }
        finish(entry, true);
        session.pump();
        return true;
    }

    boolean onPubRec(int packetId, int reasonCode) {
        QueueEntry entry = inFlight.get(packetId);
        if (entry == null || entry.qos != 2) {
            return false;
        }
        if (reasonCode >= 0x80) {
            finish(entry, true);
            session.pump();
            return true;
        }
        inFlight.release(entry);
        ClientConnection to = connection();
        if (to != null) {
            sendPubRel(to, entry);
        }
        return true;
    }

    /** PUBREL leaves when it is kept that PUBREC came. */
    private void sendPubRel(ClientConnection to, QueueEntry entry) {
        int packetId = entry.packetId;
        if (!entry.kept) {
            to.sendAck(PacketType.PUBREL, packetId, 0);
            return;
        }
        shard().store().released(entry);
        shard().afterCommit(durable -> {
            if (durable) {
                to.sendAck(PacketType.PUBREL, packetId, 0);
            } else {
                to.close(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR, "the store failed", true);
            }
        });
    }

    boolean onPubComp(int packetId) {
        QueueEntry entry = inFlight.get(packetId);
        if (entry == null || entry.qos != 2) {
            return false;
        }
        finish(entry, true);
        session.pump();
        return true;
    }

    private @Nullable ClientConnection connection() {
        return session.connection();
    }

    private SessionShard shard() {
        return session.shard();
    }
}
