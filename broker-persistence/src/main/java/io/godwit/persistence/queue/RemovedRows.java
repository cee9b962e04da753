package io.godwit.persistence.queue;

import io.godwit.core.message.QueuedMessage;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.Op;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.journal.OpList;
import org.jspecify.annotations.Nullable;

/**
 * Removals of a queue's idle rows that follow each other, as the window keeps them: some bytes for
 * each, and not its entry. A client that drains a long queue removes up to a million within the
 * window, and whatever lives for so long is copied by the collector, while everybody waits.
 *
 * <pre>
 * packed   row ...
 * row      clock of its message id less that of the row before, signed varint
 *          | what QueuedMessage.bytes says of its entry, varint
 * </pre>
 */
public final class RemovedRows {
    private static final int[] NO_IDS = new int[0];

    public final long queueId;
    private final int server;
    private final int count;
    private final byte[] packed;

    private RemovedRows(long queueId, int server, int count, byte[] packed) {
        this.queueId = queueId;
        this.server = server;
        this.count = count;
        this.packed = packed;
    }

    /** Takes each of them. */
    public interface Taker {
        /**
         * @param entry stands for the row
         */
        void take(QueuedMessage entry) throws DiskFailure;
    }

    /** In the order of their removal. */
    public void forEach(Taker to) throws DiskFailure {
        ByteReader in = new ByteReader(packed);
        long clock = 0;
        for (int i = 0; i < count; i++) {
            clock += in.signed();
            RowNote note = RowNote.idle(in.smallInt());
            to.take(KeptEntry.row(queueId, clock, server, null, 1, false, NO_IDS, note));
        }
    }

    /** How many operations a subject of an operation stands for. */
    static int operations(Object subject) {
        return subject instanceof RemovedRows rows ? rows.count : 1;
    }

    /** Bytes that it takes beside those of an operation. */
    static int packedBytes(Object subject) {
        return subject instanceof RemovedRows rows ? rows.packed.length : 0;
    }

    /**
     * Packs what can be packed of a list that has come into the window.
     *
     * @param bytes for the work, used again
     */
    static void pack(OpList list, ByteWriter bytes) {
        int left = 0;
        int next = 0;
        while (next < list.size()) {
            QueuedMessage first = packable(list, next);
            if (first == null) {
                list.keep(next++, left++);
                continue;
            }
            int from = next;
            long clock = 0;
            bytes.clear();
            QueuedMessage entry = first;
            while (entry != null
                    && entry.note instanceof RowNote note
                    && entry.queueId == first.queueId
                    && entry.server == first.server) {
                bytes.signed(entry.messageId - clock).varint(note.bytes);
                clock = entry.messageId;
                Thinning.letGo(entry);
                next++;
                entry = next < list.size() ? packable(list, next) : null;
            }
            list.keep(from, left);
            list.replace(
                    left++,
                    new RemovedRows(first.queueId, first.server, next - from, bytes.toBytes()));
        }
        if (left < list.size()) {
            list.cut(left);
        }
    }

    /**
     * The entry that the operation removes, if nothing more must be known of it; else null. What
     * else the window has of it was not written, and need not be.
     */
    private static @Nullable QueuedMessage packable(OpList list, int index) {
        return list.op(index) == Op.REMOVE
                        && list.subject(index) instanceof QueuedMessage entry
                        && entry.note instanceof RowNote note
                        && note.isAsRead()
                ? entry
                : null;
    }
}
