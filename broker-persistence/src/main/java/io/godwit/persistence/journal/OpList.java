package io.godwit.persistence.journal;

import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.operation.MessageCodec;
import io.godwit.core.operation.Op;
import io.godwit.core.store.CommitOutcome;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Operations of one shard in order. Filled by the shard, then by nobody; the commit thread takes
 * out what cancelled, and the row thread what became void while it waited.
 */
public final class OpList {
    /** Longer commits are several lists, so that no entry of the journal is too large. */
    static final int CAPACITY_MAX = 1024;

    private static final long BYTES_MAX = 256 << 10;

    /** Where the shard hears of its commits; null when the list was read from the journal. */
    public final @Nullable CommitOutcome outcome;

    public final int shard;

    /** Number of the shard's commit that these belong to. */
    long commit;

    /** When the shard closed it; of a commit's first list. */
    long closedNanos;

    /** The list that goes on with this commit. */
    @Nullable OpList next;

    /** The large message that this list brings, while it waits to be written. */
    @Nullable Waiting waiting;

    /** Operations told of, those included that are not here since they cancelled. */
    int told;

    private static final Op[] OPS = Op.values();
    private static final int PACKET_ID = 0xFFFF;

    /**
     * Each operation's ordinal above 16 bits of its packet id: two arrays are filled for a message,
     * and one of them holds no references, which cost the collector's barrier.
     */
    private int[] ops;

    private Object[] subjects;
    private int size;
    private long bytes;

    public OpList(@Nullable CommitOutcome outcome, int shard, int capacity) {
        this.outcome = outcome;
        this.shard = shard;
        ops = new int[capacity];
        subjects = new Object[capacity];
    }

    public int size() {
        return size;
    }

    public Op op(int index) {
        return OPS[ops[index] >>> 16];
    }

    public Object subject(int index) {
        return subjects[index];
    }

    /**
     * The packet id that {@link Op#IN_FLIGHT} and {@link Op#RELEASED} are about; of an {@link
     * Op#APPEND} the one that it has got in the same turn, or 0.
     */
    public int packetId(int index) {
        return ops[index] & PACKET_ID;
    }

    /**
     * @param packetId 0 to 65535
     * @param messageBytes about what it takes in the journal
     */
    public void add(Op op, Object subject, int packetId, int messageBytes) {
        if (size == ops.length) {
            int capacity = Math.max(16, size * 2);
            ops = Arrays.copyOf(ops, capacity);
            subjects = Arrays.copyOf(subjects, capacity);
        }
        ops[size] = op.ordinal() << 16 | packetId;
        subjects[size++] = subject;
        bytes += messageBytes;
    }

    /**
     * Lets the append of this entry say its packet id, too, if it is what was added last: nothing
     * changes its place then, but for what its queue remembers of it.
     *
     * @return false when the packet id needs an operation of its own
     */
    boolean fold(QueuedMessage entry, int packetId) {
        int at = size - 1;
        if (at > 0 && op(at) == Op.REMEMBERED) {
            at--;
        }
        if (at < 0 || ops[at] != Op.APPEND.ordinal() << 16 || subjects[at] != entry) {
            return false; // One that has a packet id already is no longer equal to APPEND alone.
        }
        ops[at] |= packetId;
        return true;
    }

    /**
     * A large message that waits to be written. The record that has it has it for later lists, too.
     */
    static final class Waiting {
        private volatile @Nullable Message message;

        private Waiting(Message message) {
            this.message = message;
        }

        /** It is being written: a list that comes from now on brings it once more. */
        void written() {
            message = null;
        }
    }

    /**
     * Counts its large message, unless that waits already.
     *
     * @param before of the list that the shard has closed before
     * @return of this list; null when it brings no large message, or others, too
     */
    @Nullable Waiting closeBehind(@Nullable Waiting before) {
        Message only = bytes < BYTES_MAX ? null : onlyMessage();
        if (only == null) {
            return null;
        }
        if (before != null && before.message == only) {
            bytes = 0;
            waiting = before;
        } else {
            waiting = new Waiting(only);
        }
        return waiting;
    }

    /** About what it takes in memory. */
    long bytes() {
        return told * 64L + bytes;
    }

    /**
     * Whether an operation needs another list.
     *
     * @param more what it brings; what brings nothing, as one more append of the message before it,
     *     stays with what it refers to
     */
    boolean isFull(int sizeMax, int more) {
        return size >= sizeMax || more > 0 && bytes >= BYTES_MAX;
    }

    /** The message that its first append brings, if it brings nothing else. */
    @Nullable Message onlyMessage() {
        Message message =
                size > 0 && op(0) == Op.APPEND ? ((QueuedMessage) subjects[0]).message : null;
        return message != null && bytes <= MessageCodec.length(message) ? message : null;
    }

    /** Moves one operation to a place before it or its own; {@link #cut} follows. */
    public void keep(int from, int to) {
        if (from != to) {
            ops[to] = ops[from];
            subjects[to] = subjects[from];
        }
    }

    /** Says the same of less. */
    public void replace(int index, Object subject) {
        subjects[index] = subject;
    }

    /** Forgets what stands behind the first so many. */
    @SuppressWarnings("NullAway") // what stands beyond the size is never read
    public void cut(int newSize) {
        Arrays.fill(subjects, newSize, size, null);
        size = newSize;
    }
}
