package io.godwit.core.queue;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.store.CommitWaiter;
import org.jspecify.annotations.Nullable;

/**
 * One QoS 1 or 2 message on its way to one client: waiting, or in flight under a packet id. The
 * same object from the append to the last acknowledgement.
 */
public final class QueueEntry extends QueuedMessage implements CommitWaiter {
    /** In the queue, without a packet id. */
    static final byte IDLE = 0;

    /** PUBLISH was sent. */
    static final byte SENT = 1;

    /** PUBREC came, PUBREL was or will be sent: only the packet id is still of interest. */
    static final byte RELEASED = 2;

    /** The shared group whose queue holds it, with the group's own number of it; else null. */
    public final @Nullable GroupTicket ticket;

    /** Queue id of the group whose entry this is, read back from a row; else 0. */
    public long lentBy;

    /** Who waits for this entry's ack point; null when nobody does. */
    @Nullable Receipt waiting;

    public byte state = IDLE;

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

    /** The queue that has appended it; null for a row that was read back. */
    private @Nullable DurableQueue queue;

    /** The shard that appended it: there the outcome of the commit comes in. */
    private @Nullable ShardQueues appendedAt;

    /** Who waits for an entry whose queue has moved to another shard: it stays where it was. */
    private @Nullable Receipt leftBehind;

    public QueueEntry(
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

    /** PUBREC came. */
    public boolean isReleased() {
        return state == RELEASED;
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

    /** The queue that has appended it; null for a row that was read back. */
    @Nullable DurableQueue queue() {
        return queue;
    }

    /** The store forgets the whole queue, and this entry with it: no operation is needed. */
    void leaveStore() {
        if (kept) {
            kept = false;
            takeBack();
        }
    }

    /** Waits until its append, which was just made, is kept. */
    void awaitAppend(DurableQueue of) {
        queue = of;
        appendedAt = of.shard();
        of.kept().whenKept(this);
    }

    /** The queue goes to another shard; who waits for the append belongs to this one. */
    void onQueueLeaves() {
        if (waiting != null) {
            leftBehind = waiting;
            waiting = null;
        }
    }

    /**
     * The append is committed, or never will be. Runs on the shard that appended; the queue may be
     * elsewhere by now.
     */
    @Override
    public void onCommit(boolean durable) {
        Receipt here = leftBehind;
        if (here != null) {
            leftBehind = null;
            here.targetDone(durable);
        }
        DurableQueue of = queue;
        ShardQueues at = appendedAt;
        if (of != null && at != null) {
            of.tellAppendDone(at, this, durable);
        }
    }

    /** The same, on the shard that has the queue. */
    public void appendDone(boolean durable, boolean isQueueAlive) {
        settle(durable);
        DurableQueue of = queue;
        if (of != null && isQueueAlive) {
            of.onCommitted(this, durable);
        }
    }

    /** The ack point is reached (commit, or the subscriber's acknowledgement), or never will be. */
    void settle(boolean taken) {
        Receipt told = waiting;
        if (told != null) {
            waiting = null;
            told.targetDone(taken);
        }
    }
}
