package io.godwit.core.session;

import io.godwit.core.ack.Receipt;
import io.godwit.core.mail.SessionMail;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.shard.Shard;
import io.godwit.core.store.CommitWaiter;
import org.jspecify.annotations.Nullable;

/**
 * One QoS 1 or 2 message on its way to one client: waiting, or in flight under a packet id. The
 * same object from the append to the last acknowledgement.
 */
final class QueueEntry extends QueuedMessage implements CommitWaiter {
    /** In the queue, without a packet id. */
    static final byte IDLE = 0;

    /** PUBLISH was sent. */
    static final byte SENT = 1;

    /** PUBREC came, PUBREL was or will be sent: only the packet id is still of interest. */
    static final byte RELEASED = 2;

    /** The shared group whose queue holds it, with the group's own number of it; else null. */
    @Nullable GroupTicket ticket;

    /** Queue id of the group whose entry this is, read back from a row; else 0. */
    long lentBy;

    /** Whose PUBACK or PUBREC waits for this entry's ack point; null when nobody's. */
    @Nullable Receipt receipt;

    byte state = IDLE;

    /** The store has it: what becomes of it is told there. */
    boolean kept;

    /** Read back from an idle row, which stands until the removal leaves the journal's window. */
    boolean isRowReadBack;

    /** In flight since before this connection, and not sent again yet. */
    boolean again;

    /**
     * False while a QoS 2 message of a durable session waits for its commit: it may not leave
     * before.
     */
    boolean mayLeave = true;

    /** Whose it is, once its append waits for the commit. */
    private @Nullable Session session;

    /** The shard that appended it: there the outcome of the commit comes in. */
    private @Nullable SessionShard appendedAt;

    /** The receipt of an entry that has moved to another shard: it stays where it was. */
    private @Nullable Receipt leftBehind;

    QueueEntry(
            long queueId,
            long messageId,
            @Nullable Message message,
            int qos,
            boolean retain,
            int[] ids,
            @Nullable GroupTicket ticket) {
        super(queueId, messageId, message, qos, retain, ids);
        this.ticket = ticket;
    }

    /** A row that was read back. */
    static QueueEntry ofRow(
            long queueId,
            long messageId,
            @Nullable Message message,
            int qos,
            boolean retain,
            int[] ids,
            @Nullable Object note) {
        QueueEntry entry = new QueueEntry(queueId, messageId, message, qos, retain, ids, null);
        entry.note = note;
        entry.kept = true;
        entry.stored(FREE, ROW);
        return entry;
    }

    int accountedBytes() {
        return message == null ? 64 : bytes;
    }

    /**
     * The session that it was appended for; null for a transient one's, and for a row read back.
     */
    @Nullable Session session() {
        return session;
    }

    /** The store forgets the whole queue, and this entry with it: no operation is needed. */
    void leaveStore() {
        if (kept) {
            kept = false;
            takeBack();
        }
    }

    /** Waits for the commit of its append, made on this shard. */
    void awaitCommit(Session of, SessionShard at) {
        session = of;
        appendedAt = at;
        at.afterCommit(this);
    }

    /** The session goes to another shard; the receipt belongs to this one. */
    void onSessionLeaves() {
        if (receipt != null) {
            leftBehind = receipt;
            receipt = null;
        }
    }

    /**
     * The append is committed, or never will be. Runs on the shard that appended; the session may
     * be elsewhere by now.
     */
    @Override
    public void onCommit(boolean durable) {
        Receipt here = leftBehind;
        if (here != null) {
            leftBehind = null;
            here.targetDone(durable);
        }
        Session of = session;
        SessionShard at = appendedAt;
        if (of == null || at == null) {
            return;
        }
        if (of.isHere(at.index())) {
            committed(of, durable);
        } else {
            at.send(of.owner(), new Committed(of, this, durable));
        }
    }

    private void committed(Session of, boolean durable) {
        settle(durable);
        of.onCommitted(this, durable);
    }

    /** To the session, which has moved meanwhile. */
    private static final class Committed extends SessionMail<Session> {
        private final QueueEntry entry;
        private final boolean durable;

        Committed(Session session, QueueEntry entry, boolean durable) {
            super(session);
            this.entry = entry;
            this.durable = durable;
        }

        @Override
        public boolean deliver(Shard at) {
            entry.committed(session, durable);
            return true;
        }
    }

    /** The ack point is reached (commit, or the subscriber's acknowledgement), or never will be. */
    void settle(boolean taken) {
        Receipt waiting = receipt;
        if (waiting != null) {
            receipt = null;
            waiting.targetDone(taken);
        }
    }
}
