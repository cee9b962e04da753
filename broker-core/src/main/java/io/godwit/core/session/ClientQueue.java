package io.godwit.core.session;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.store.QueueDepth;
import java.util.ArrayDeque;
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
    private final QueueLimits limits;
    private long lastMessageId;

    /** In flight at QoS 2, the packet id not committed, and what must not overtake these. */
    private int unkept;

    /** The same, committed, and not sent yet: the channel was full. */
    private @Nullable ArrayDeque<QueueEntry> unsent;

    ClientQueue(Session session) {
        this.session = session;
        this.backlog = new Backlog(session, this);
        this.inFlight = new InFlight(session, this);
        this.limits = new QueueLimits(session, backlog);
    }

    Backlog backlog() {
        return backlog;
    }

    InFlight inFlight() {
        return inFlight;
    }

    QueueLimits limits() {
        return limits;
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
        unsent = null;
        unkept = 0;
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
        if (!durable) {
            giveUp(entry);
        } else if (!entry.mayLeave) {
            entry.mayLeave = true;
            session.pump();
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
        if (!goesAtOnce && ticket == null && !limits.admits(message)) {
            limits.refuse(receipt);
            return;
        }
        lastMessageId = shard().ids().nextMessageId(lastMessageId);
        QueueEntry entry =
                new QueueEntry(session.queueId(), lastMessageId, message, qos, retain, ids, ticket);
        boolean durable = session.isDurable() && ticket == null;
        if (durable) {
            entry.receipt = receipt;
            entry.kept = true;
            shard().store().append(entry);
            // At QoS 2 it leaves when its packet id is kept: with it, or, when others are before
            // it, later; then it gets none before it is kept itself.
            entry.mayLeave = qos < 2 || goesAtOnce;
        } else {
            Receipt.done(receipt);
        }
        if (goesAtOnce && to != null) {
            send(to, entry, message);
        } else {
            backlog.add(entry);
            limits.trim();
        }
        if (durable) {
            entry.awaitCommit(session, shard());
        }
    }

    // ---------------------------------------------------------------- delivery

    private void send(ClientConnection to, QueueEntry entry, Message message) {
        inFlight.add(entry);
        entry.state = QueueEntry.SENT;
        boolean lent = Lent.begin(session, entry);
        if (entry.kept) {
            shard().store().inFlight(entry);
        }
        if (entry.qos == 2 && (entry.kept || lent || unkept > 0 || unsent != null)) {
            // It would come twice if it had another packet id after a restart. QoS 1 need not wait:
            // order is promised for each QoS.
            unkept++;
            shard().afterCommit(durable -> onPacketIdKept(to, entry, durable));
        } else {
            sendFirst(to, entry, message);
        }
    }

    private void sendFirst(ClientConnection to, QueueEntry entry, Message message) {
        if (!to.sendPublish(message, entry, false)) {
            limits.onTooLarge();
            finish(entry, true);
        }
    }

    private void onPacketIdKept(ClientConnection to, QueueEntry entry, boolean durable) {
        if (connection() != to || !to.isConnected()) {
            return; // The next connection gets it again.
        }
        unkept--;
        if (!durable) {
            to.close(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR, "the store failed", true);
            return;
        }
        ArrayDeque<QueueEntry> waiting = unsent;
        if (waiting == null) {
            waiting = new ArrayDeque<>(2);
            unsent = waiting;
        }
        waiting.add(entry);
        sendUnsent(to);
    }

    /** Those whose packet id is kept, as far as the channel allows. */
    private void sendUnsent(ClientConnection to) {
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
    void pump(ClientConnection to) {
        if (!inFlight.isSentAgain() && !sendAgain(to)) {
            return;
        }
        sendUnsent(to);
        QueueEntry entry;
        while ((entry = backlog.peek()) != null
                && entry.mayLeave
                && to.canSend()
                && inFlight.size() < to.inFlightMax()) {
            backlog.remove();
            Message message = entry.message;
            if (message == null || message.isExpired(shard().wallMs())) {
                limits.onExpired(1);
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
                limits.onTooLarge();
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
        if (entry.ticket != null || entry.lentBy != 0) {
            Lent.end(session, entry);
        } else if (entry.kept) {
            shard().store().remove(entry);
            if (entry.isRowReadBack) {
                entry.message =
                        null; // The store holds the entry for a while, and needs its id only.
            }
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
        limits.trim();
        session.pump();
    }

    /** Everything that an earlier start had sent is in the window. */
    void onInFlightRead() {
        limits.trim();
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
        limits.onDiscarded();
        finish(entry, false);
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
        if (entry.kept) {
            shard().store().released(entry);
        } else if (!Lent.released(session, entry)) {
            to.sendAck(PacketType.PUBREL, packetId, 0);
            return;
        }
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
