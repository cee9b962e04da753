package io.godwit.core.session;

import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.store.QueueDepth;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The QoS 1 and 2 messages on their way to one session's client: what waits, in order, and what is
 * in flight. Made with the first such message, so an idle session costs nothing for it. Owned by
 * the session's shard.
 *
 * <p>An entry waits, is sent under a packet id, and ends with PUBACK or PUBCOMP, by expiry, or
 * discarded when the queue is full. A durable session's entries are operations of the store, too;
 * those of a shared group are not, since they stand in the group's queue.
 */
final class ClientQueue {
    private final Session session;
    private final ArrayDeque<QueueEntry> idle = new ArrayDeque<>(0);
    private final InFlightWindow inFlight;

    /** After a reconnect: what is in flight and not sent again yet, in order. */
    private @Nullable ArrayDeque<QueueEntry> resend;

    private long idleBytes;
    private long inFlightBytes;
    private long lastMessageId;

    ClientQueue(Session session) {
        this.session = session;
        this.inFlight = new InFlightWindow(session.shard().rules());
    }

    int idleCount() {
        return idle.size();
    }

    long idleBytes() {
        return idleBytes;
    }

    long inFlightBytes() {
        return inFlightBytes;
    }

    int inFlightCount() {
        return inFlight.size();
    }

    QueueEntry[] inFlightEntries() {
        return inFlight.inOrder();
    }

    /** At start: what it has in rows. */
    void restore(QueueDepth depth) {
        lastMessageId = depth.last();
    }

    // ---------------------------------------------------------------- connection comes and goes

    /** Everything unacknowledged will be sent again, before what waits [MQTT-4.4.0-1]. */
    void onConnected() {
        resend = inFlight.size() == 0 ? null : new ArrayDeque<>(List.of(inFlight.inOrder()));
    }

    void onConnectionLost() {
        resend = null;
    }

    /** The groups have taken QoS 1 back themselves; QoS 2 that was sent stays with this session. */
    void dropGroupEntries() {
        idle.removeIf(entry -> {
            GroupTicket ticket = entry.ticket;
            if (ticket == null) {
                return false;
            }
            accountIdle(-entry.accountedBytes(), -1);
            if (entry.qos == 2) {
                shard().send(
                                ticket.group().owner(),
                                new GroupMail.Returned(ticket.group(), session, ticket.entry()));
            }
            return true;
        });
        for (QueueEntry entry : inFlight.inOrder()) {
            if (entry.ticket != null && entry.qos == 1) {
                removeInFlight(entry);
            }
        }
    }

    /** The session goes to another shard; receipts stay with those who made them. */
    void leaveReceipts() {
        idle.forEach(QueueEntry::onSessionLeaves);
        for (QueueEntry entry : inFlight.inOrder()) {
            entry.onSessionLeaves();
        }
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
        if (!durable && idle.remove(entry)) {
            accountIdle(-entry.accountedBytes(), -1);
        }
        session.pump();
    }

    /** The session has ended. */
    void drop() {
        for (QueueEntry entry : idle) {
            entry.settle(true);
            shard().counters().increment(Metric.DROPPED_SESSION_GONE);
        }
        accountIdle(-idleBytes, -idle.size());
        idle.clear();
        for (QueueEntry entry : inFlight.inOrder()) {
            entry.settle(true);
        }
        accountInFlight(-inFlightBytes);
    }

    // ---------------------------------------------------------------- delivery

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
                        && idle.isEmpty()
                        && resend == null
                        && to.canSend()
                        && inFlightCount() < to.inFlightMax();
        if (!goesAtOnce && ticket == null && isFull(message)) {
            shard().counters().increment(Metric.DROPPED_QUEUE_FULL, session.version());
            Receipt.done(receipt);
            return;
        }
        lastMessageId = shard().nextMessageId(lastMessageId);
        QueueEntry entry =
                new QueueEntry(session.queueId(), lastMessageId, message, qos, retain, ids, ticket);
        boolean durable = session.isDurable() && ticket == null;
        if (durable) {
            entry.receipt = receipt;
            shard().store().append(entry);
            if (qos == 2) {
                entry.mayLeave = false;
                goesAtOnce = false;
            }
        } else {
            Receipt.done(receipt);
        }
        if (goesAtOnce && to != null) {
            send(to, entry, message);
        } else {
            idle.add(entry);
            accountIdle(entry.accountedBytes(), 1);
        }
        if (durable) {
            entry.awaitCommit(session, shard());
        }
    }

    private boolean isFull(Message message) {
        return idleCount() >= shard().limits().queueMessages()
                || idleBytes + message.accountedBytes() > shard().limits().queueBytes();
    }

    private void accountIdle(long bytes, int messages) {
        idleBytes += bytes;
        shard().accountQueued(bytes, messages);
    }

    private void accountInFlight(long bytes) {
        inFlightBytes += bytes;
        shard().accountInFlight(bytes);
    }

    private void removeInFlight(QueueEntry entry) {
        if (inFlight.remove(entry.packetId) != null) {
            accountInFlight(-entry.accountedBytes());
        }
    }

    private void send(ClientConnection to, QueueEntry entry, Message message) {
        inFlight.add(entry);
        accountInFlight(entry.accountedBytes());
        entry.state = QueueEntry.SENT;
        if (session.isDurable() && entry.ticket == null) {
            shard().store().inFlight(entry);
        }
        if (!to.sendPublish(message, entry, false)) {
            finish(entry, true);
        }
    }

    /** Sends what waits, as far as window and channel allow. */
    void pump(ClientConnection to) {
        if (resend != null && !sendAgain(to)) {
            return;
        }
        QueueEntry entry;
        while ((entry = idle.peek()) != null
                && entry.mayLeave
                && to.canSend()
                && inFlightCount() < to.inFlightMax()) {
            idle.remove();
            accountIdle(-entry.accountedBytes(), -1);
            Message message = entry.message;
            if (message == null || message.isExpired(shard().wallMs())) {
                shard().counters().increment(Metric.DROPPED_EXPIRED, session.version());
                finish(entry, false);
            } else {
                send(to, entry, message);
            }
        }
    }

    /**
     * Sends again what is in flight, within the new connection's window [MQTT-3.3.4-9]. @return all
     * was sent
     */
    private boolean sendAgain(ClientConnection to) {
        ArrayDeque<QueueEntry> left = resend;
        while (left != null) {
            QueueEntry entry = left.peek();
            if (entry == null) {
                resend = null;
                return true;
            }
            boolean released = entry.state == QueueEntry.RELEASED;
            if (!released && (!to.canSend() || inFlight.size() - left.size() >= to.inFlightMax())) {
                return false;
            }
            left.remove();
            Message message = entry.message;
            if (released || message == null) {
                sendPubRel(to, entry);
            } else if (!to.sendPublish(message, entry, true)) {
                finish(entry, true);
            }
        }
        resend = null;
        return true;
    }

    /** The entry's way has ended: acknowledged, expired or not deliverable. */
    private void finish(QueueEntry entry, boolean inWindow) {
        if (inWindow) {
            removeInFlight(entry);
            if (resend != null) {
                resend.remove(entry); // Acknowledged before it was sent again.
            }
        }
        GroupTicket ticket = entry.ticket;
        if (ticket != null) {
            session.returnTicket(ticket);
        } else if (session.isDurable()) {
            shard().store().remove(entry);
        }
        entry.settle(true);
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
        accountInFlight(-entry.accountedBytes());
        entry.state = QueueEntry.RELEASED;
        entry.message = null;
        accountInFlight(entry.accountedBytes());
        ClientConnection to = connection();
        if (to != null) {
            sendPubRel(to, entry);
        }
        return true;
    }

    /** PUBREL leaves when it is kept that PUBREC came. */
    private void sendPubRel(ClientConnection to, QueueEntry entry) {
        int packetId = entry.packetId;
        if (!session.isDurable() || entry.ticket != null) {
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
