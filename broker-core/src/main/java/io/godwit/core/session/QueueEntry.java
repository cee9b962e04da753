package io.godwit.core.session;

import io.godwit.core.message.Message;
import io.godwit.core.store.CommitWaiter;
import org.jspecify.annotations.Nullable;

/**
 * One QoS 1 or 2 message on its way to one client: waiting, or in flight under a packet id. The
 * same object from the append to the last acknowledgement.
 */
final class QueueEntry implements CommitWaiter {
    /** In the queue, without a packet id. */
    static final byte IDLE = 0;

    /** PUBLISH was sent. */
    static final byte SENT = 1;

    /** PUBREC came, PUBREL was or will be sent: only the packet id is still of interest. */
    static final byte RELEASED = 2;

    final long messageId;
    final byte qos;
    final boolean retain;
    final int[] ids;

    /** Null once PUBREC came. */
    @Nullable Message message;

    /** The shared group whose queue holds it, with the group's own number of it; else null. */
    final @Nullable GroupTicket ticket;

    /** Whose PUBACK or PUBREC waits for this entry's ack point; null when nobody's. */
    @Nullable Receipt receipt;

    int packetId;
    byte state = IDLE;

    /**
     * False while a QoS 2 message of a durable session waits for its commit: it may not leave
     * before.
     */
    boolean mayLeave = true;

    /** Set for a durable QoS 2 entry, to be told when it may leave. */
    @Nullable Session waitingSession;

    QueueEntry(
            long messageId,
            Message message,
            int qos,
            boolean retain,
            int[] ids,
            @Nullable GroupTicket ticket) {
        this.messageId = messageId;
        this.message = message;
        this.qos = (byte) qos;
        this.retain = retain;
        this.ids = ids;
        this.ticket = ticket;
    }

    int accountedBytes() {
        Message held = message;
        return 64 + (held == null ? 0 : held.accountedBytes());
    }

    /** The append is committed, or never will be. */
    @Override
    public void onCommit(boolean durable) {
        settle(durable);
        Session session = waitingSession;
        if (session != null) {
            waitingSession = null;
            mayLeave = true;
            session.pump();
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
