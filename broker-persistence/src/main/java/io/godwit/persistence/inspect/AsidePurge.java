package io.godwit.persistence.inspect;

import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredRow;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.queue.AsideRows;
import java.util.HashMap;
import java.util.Map;

/**
 * Deletes what is set aside, with its uses of payloads. Slice by slice, each of which leaves counts
 * that fit.
 */
public final class AsidePurge {
    private static final int SLICE = 10_000;

    private final Disk disk;
    private final Map<PayloadId, Long> released = new HashMap<>();
    private final Batch batch = new Batch();
    private final StoredRow row = new StoredRow();
    private long entries;
    private long bytes;

    /**
     * @param disk of a store whose journal is in rows, and that nobody else has open
     */
    public AsidePurge(Disk disk) {
        this.disk = disk;
    }

    /**
     * Deletes everything that is set aside; it is gone from the disk when it returns.
     *
     * @return how many messages there were
     */
    public long run() throws DiskFailure {
        long deleted = 0;
        for (Map.Entry<Long, AsideRows.Counts> each : AsideRows.counts(disk).entrySet()) {
            entries = each.getValue().entries();
            bytes = each.getValue().bytes();
            deleted += rows(each.getKey());
            records(each.getKey());
            write();
        }
        disk.flush();
        return deleted;
    }

    private long rows(long queueId) throws DiskFailure {
        long deleted = 0;
        byte[] from = Keys.rowsEnd(queueId, Keys.IDLE);
        try (Cursor cursor = disk.scan(Family.QUEUES, from, Keys.rowsEnd(queueId, Keys.ASIDE))) {
            while (cursor.next()) {
                row.read(cursor.value());
                batch.delete(Family.QUEUES, cursor.key());
                entries--;
                bytes -= row.bytes;
                if (row.isReference) {
                    released.merge(new PayloadId(row.server, row.counter), 1L, Long::sum);
                }
                if (++deleted % SLICE == 0) {
                    AsideRows.Counts left =
                            new AsideRows.Counts(Math.max(0, entries), Math.max(0, bytes));
                    batch.put(Family.META, Keys.meta('A', queueId), left.toBytes());
                    write();
                }
            }
        }
        return deleted;
    }

    /** The counts go with the records. */
    private void records(long queueId) throws DiskFailure {
        byte[] prefix = Keys.meta('A', queueId);
        try (Cursor cursor = disk.scan(Family.META, prefix, Keys.after(prefix))) {
            while (cursor.next()) {
                batch.delete(Family.META, cursor.key());
            }
        }
    }

    private void write() throws DiskFailure {
        for (Map.Entry<PayloadId, Long> each : released.entrySet()) {
            PayloadId id = each.getKey();
            byte[] key = Keys.uses(id.server(), id.counter());
            byte[] before = disk.get(Family.META, key);
            long left = (before == null ? 0 : new ByteReader(before).varint()) - each.getValue();
            if (left > 0) {
                batch.put(Family.META, key, new ByteWriter(10).varint(left).toBytes());
            } else {
                batch.delete(Family.META, key);
                batch.delete(Family.PAYLOADS, Keys.payload(id.server(), id.counter()));
            }
        }
        released.clear();
        if (!batch.isEmpty()) {
            disk.write(batch);
            batch.clear();
        }
    }
}
