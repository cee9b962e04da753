package io.godwit.core.queue;

import io.godwit.core.ack.Receipt;
import io.godwit.core.load.QueueAccounts;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.store.CommitWaiter;
import io.godwit.core.store.KeptQueue;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * One QoS 1 or 2 message on its way to one client: waiting, or in flight under a packet id. The
 * same object from the append to the last acknowledgement.
 */
public class QueueEntry extends QueuedMessage implements CommitWaiter {
    /** In the queue, without a packet id. */
    static final byte IDLE = 0;

    /** PUBLISH was sent. */
    static final byte SENT = 1;

    /** PUBREC came, PUBREL was or will be sent: only the packet id is still of interest. */
    static final byte RELEASED = 2;

    /** The one place where entries are put in order. */
    static final Comparator<QueueEntry> BY_ID = QueuedMessage::compareIds;

    /** Its row had a mark of who has it in flight, and the store was told that it is idle again. */
    boolean wasMarked;

    /** The shared group that it came from; null for none, and for a row that was read back. */
    public @Nullable GroupLink source;

    /** PUBLISH has left at least once, or may have. */
    boolean hasLeft;

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
     * False while the next packet of a QoS 2 message waits for what must be kept before: of a
     * durable session its append, of a group's entry the answer of the group.
     */
    boolean mayLeave = true;

    /** The queue that appended it, and where that was; null for a row that was read back. */
    private @Nullable QueueStay appendedIn;

    public QueueEntry(
            long queueId,
            long messageId,
            @Nullable Message message,
            int qos,
            boolean retain,
            int[] ids,
            @Nullable GroupLink source) {
        super(queueId, messageId, message, qos, retain, ids);
        this.source = source;
    }

    /** Makes it a row that was read back. */
    final QueueEntry asRow(@Nullable Object rowNote) {
        note = rowNote;
        kept = true;
        stored(FREE, ROW);
        return this;
    }

    /**
     * Whether it is a row that may leave memory. Not before its append counts: who waits for that
     * is told by it, and with copies at other nodes it may be a row long before they have it.
     */
    final boolean mayBeEvicted() {
        return kept && waiting == null && stored() == ROW;
    }

    /** Whether it stands for an entry of a shared group's queue. */
    final boolean isGroups() {
        GroupLink link = source;
        return link != null && link.staysWithGroup();
    }

    /** Whether a group waits for PUBREC of it. */
    final boolean isSentOfGroup() {
        return isGroups() && qos == 2 && state == SENT;
    }

    /** Whether a group has handed it over, and its client can't have got it. */
    final boolean isUnsentOfGroup() {
        return source != null && !isGroups() && !hasLeft && message != null;
    }

    int accountedBytes() {
        return (message == null ? bytes(null) : bytes) + idBytes(ids);
    }

    /** Whether its message may be a large one; asked on the message path before a call. */
    final boolean isLarge() {
        return bytes >= Message.LARGE;
    }

    /** A queue counts it from now on, or does not any more. */
    final void countAgain(QueueAccounts accounts, int sign) {
        Message of = message;
        int change = of == null ? 0 : of.countedAgain(sign);
        if (change != 0) {
            accounts.countedAgain(change);
        }
    }

    /** The queue that has appended it; null for a row that was read back. */
    @Nullable Appender queue() {
        QueueStay stay = appendedIn;
        return stay == null ? null : stay.queue;
    }

    /** It was discarded: who waits for it is answered when what it had to give way to is kept. */
    void settleWhenKept(KeptQueue in) {
        Receipt told = waiting;
        if (told != null) {
            waiting = null;
            in.whenKept(told::targetDone);
        }
    }

    void appendedIn(QueueStay stay) {
        appendedIn = stay;
    }

    /** The queue goes to another shard; who waits for the append belongs to this one. */
    void onQueueLeaves() {
        QueueStay stay = appendedIn;
        if (waiting != null && stay != null) {
            stay.leaveBehind(this, waiting);
            waiting = null;
        }
    }

    /**
     * The append is committed, or never will be. Runs on the shard that appended; the queue may be
     * elsewhere by now.
     */
    @Override
    public void onCommit(boolean isKept) {
        QueueStay stay = appendedIn;
        if (stay != null) {
            stay.onCommit(this, isKept);
        }
    }

    /** The outcome of the append has come to the shard that has the queue. */
    public void appendDone(boolean isKept, boolean isQueueAlive) {
        settle(isKept);
        Appender of = queue();
        if (of != null && isQueueAlive) {
            of.onCommitted(this, isKept);
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
