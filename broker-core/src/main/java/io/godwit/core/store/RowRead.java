package io.godwit.core.store;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import org.jspecify.annotations.Nullable;

/**
 * A page of a queue's rows that a shard has asked for. The store calls {@link #row} on a thread of
 * its own, in id order, then hands the page to the shard, which calls {@link #onRead}.
 */
public abstract class RowRead {
    /** The rows that a page is read from. */
    public enum Section {
        /** Rows without a packet id. */
        IDLE,
        /** Rows with a packet id: sent, or released. */
        IN_FLIGHT
    }

    public final long queueId;
    public final Section section;

    /** Rows above this message id. */
    public final HybridId after;

    /** Rows up to this message id. */
    public final HybridId upTo;

    /** Server id of the row's message id; set before {@link #row}. */
    public int server;

    /**
     * Server id of the ingress id of the row's message, also of one that only a marker is left of;
     * set before {@link #row}.
     */
    public int ingressServer;

    public long ingressCounter;

    /**
     * What the row's entry counts for, {@link io.godwit.core.message.QueuedMessage#bytes}; set
     * before {@link #row}.
     */
    public int rowBytes;

    public final int messagesMax;

    /** Bytes of messages after which the page ends: one that holds none has no such bound. */
    public final long bytesMax;

    /**
     * A message above this is not read in {@link Section#IN_FLIGHT}: the page ends before it, and
     * {@link #largeNext} says so.
     */
    public long messageMax = Long.MAX_VALUE;

    /** Bytes of the row before which the page has ended since it is too large; 0 for none. */
    public int largeNext;

    /** Whether the store has no more rows in this range; set before the page is handed on. */
    public boolean isLast;

    protected RowRead(
            long queueId,
            Section section,
            HybridId after,
            HybridId upTo,
            int messagesMax,
            long bytesMax) {
        this.queueId = queueId;
        this.section = section;
        this.after = after;
        this.upTo = upTo;
        this.messagesMax = messagesMax;
        this.bytesMax = bytesMax;
    }

    /**
     * Whether messages are wanted. Else none is read, however large: {@link #row} gets null for
     * each, and markers of what is over are not told of.
     */
    public boolean wantsMessages() {
        return true;
    }

    /**
     * Whether the page ends before a row in flight, whose message is too large for it.
     *
     * @param bytes as {@link #rowBytes}
     */
    public final boolean endsBefore(int bytes) {
        if (bytes <= messageMax || !wantsMessages()) {
            return false;
        }
        largeNext = bytes;
        return true;
    }

    /**
     * Takes a row. What is made of it takes over the note and begins as {@link
     * io.godwit.core.message.QueuedMessage#ROW}.
     *
     * @param message null for a marker: PUBREC came; and where none is {@linkplain #wantsMessages
     *     wanted}
     * @param packetId 0 in {@link Section#IDLE}
     */
    public abstract void row(
            long messageId,
            int qos,
            boolean retain,
            int[] ids,
            @Nullable Message message,
            int packetId,
            @Nullable Object note);

    /**
     * Takes a marker of {@link ShardStore#putMarker} in {@link Section#IN_FLIGHT}: the session has
     * said that it got a group's entry. Server and ingress id stand in the fields.
     */
    public abstract void marker(long messageId, int packetId);

    /**
     * Called on the shard's thread when the page is there.
     *
     * @param failure why the page could not be read; rows told of before count
     */
    public abstract void onRead(@Nullable Throwable failure);

    /** Units of work (messages) that {@link #onRead} takes. */
    public int work() {
        return 1;
    }
}
