package io.godwit.persistence.journal;

import io.godwit.core.message.QueuedMessage;
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

    /** About what it takes in memory. */
    long bytes() {
        return told * 64L + bytes;
    }

    boolean isFull(int sizeMax) {
        return size >= sizeMax || bytes >= BYTES_MAX;
    }

    /** Moves one operation to a place before it or its own; {@link #cut} follows. */
    public void keep(int from, int to) {
        if (from != to) {
            ops[to] = ops[from];
            subjects[to] = subjects[from];
        }
    }

    /** Forgets what stands behind the first so many. */
    @SuppressWarnings("NullAway") // what stands beyond the size is never read
    public void cut(int newSize) {
        Arrays.fill(subjects, newSize, size, null);
        size = newSize;
    }
}
