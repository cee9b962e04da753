package io.godwit.persistence.reading;

import io.godwit.core.message.Digest;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.queue.MetaRecords;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads the records of queues at one moment: session, group, predecessor, subscriptions and inbound
 * PUBLISHes, as rows changed by what the window says. Opened on the row worker; then one thread
 * reads, queue by queue, in the order of {@link Long#compareUnsigned}.
 */
public final class MomentRecords implements AutoCloseable {
    /** Takes a record. */
    public interface Reader {
        void record(byte[] key, byte[] value);
    }

    private final List<MomentRows> rows = new ArrayList<>();

    /** Opens the records of queues from the first to the last one. */
    public MomentRecords(DiskView disk, long firstQueueId, long lastQueueId) {
        for (char letter : MetaRecords.LETTERS) {
            rows.add(new MomentRows(disk, letter, firstQueueId, lastQueueId));
        }
    }

    /** The least queue id at or above which a record stands. */
    @Nullable Long nextQueue() throws DiskFailure {
        Long least = null;
        for (MomentRows each : rows) {
            least = least(least, each.key());
        }
        return least;
    }

    /** The lesser one of a queue id and that of a key. */
    static @Nullable Long least(@Nullable Long queueId, byte @Nullable [] key) {
        if (key == null) {
            return queueId;
        }
        long other = Keys.longAt(key, 1);
        return queueId == null || Long.compareUnsigned(other, queueId) < 0 ? (Long) other : queueId;
    }

    /**
     * Reads the records of a queue.
     *
     * @param hasRows its rows count
     */
    public void read(QueueMoment moment, boolean hasRows, Reader to) throws DiskFailure {
        for (MomentRows each : rows) {
            byte[] prefix = Keys.meta(each.letter, moment.queueId);
            Iterator<Map.Entry<byte[], byte[]>> changes =
                    moment.records.subMap(prefix, true, end(prefix), false).entrySet().iterator();
            read(each, moment.queueId, hasRows, changes, to);
        }
    }

    private static byte[] end(byte[] prefix) {
        return Objects.requireNonNull(Keys.after(prefix), "a letter is no last key");
    }

    private static void read(
            MomentRows rows,
            long queueId,
            boolean hasRows,
            Iterator<Map.Entry<byte[], byte[]>> changes,
            Reader to)
            throws DiskFailure {
        Map.Entry<byte[], byte[]> change = changes.hasNext() ? changes.next() : null;
        boolean isRow = rows.isAt(queueId);
        while (isRow || change != null) {
            byte[] key = isRow ? rows.key() : null;
            int order =
                    key == null
                            ? 1
                            : change == null ? -1 : Arrays.compareUnsigned(key, change.getKey());
            if (order >= 0 && change != null) {
                if (change.getValue().length > 0) {
                    to.record(change.getKey(), change.getValue());
                }
                change = changes.hasNext() ? changes.next() : null;
            } else if (key != null && hasRows) {
                to.record(key, rows.value());
            }
            if (order <= 0) {
                rows.next();
                isRow = rows.isAt(queueId);
            }
        }
    }

    /** Goes on behind all records of a queue. */
    void pass(long queueId) throws DiskFailure {
        for (MomentRows each : rows) {
            each.pass(queueId);
        }
    }

    /** The digest of a queue's records. */
    Digest digest(QueueMoment moment, boolean hasRows) throws DiskFailure {
        Digest digest = new Digest();
        read(moment, hasRows, digest::add);
        return digest;
    }

    @Override
    public void close() {
        rows.forEach(MomentRows::close);
    }
}
