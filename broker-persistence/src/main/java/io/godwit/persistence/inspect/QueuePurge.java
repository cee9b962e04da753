package io.godwit.persistence.inspect;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Digest;
import io.godwit.core.message.Message;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredDepth;
import io.godwit.persistence.codec.StoredRow;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Deletes what waits in one queue, in flight or not; its session and subscriptions stay. Slice by
 * slice, each of which leaves counts that fit.
 */
public final class QueuePurge {
    private static final int SLICE = 10_000;

    private final Disk disk;
    private final long queueId;
    private final Map<PayloadId, Long> released = new HashMap<>();
    private final Set<HybridId> marked = new HashSet<>();
    private final Batch batch = new Batch();
    private final StoredRow row = new StoredRow();
    private long idle;
    private long idleBytes;
    private int inFlight;
    private long first;
    private @Nullable StoredDepth before;

    /**
     * @param disk of a store whose journal is in rows, and that nobody else has open
     */
    public QueuePurge(Disk disk, long queueId) {
        this.disk = disk;
        this.queueId = queueId;
    }

    /**
     * Deletes the queue's messages; they are gone from the disk when it returns.
     *
     * @return how many there were
     */
    public long run() throws DiskFailure {
        byte[] depth = disk.get(Family.META, Keys.meta('D', queueId));
        if (depth == null) {
            return 0;
        }
        StoredDepth stored = StoredDepth.of(depth);
        before = stored;
        idle = stored.idle();
        idleBytes = stored.idleBytes();
        inFlight = stored.inFlight();
        first = stored.first();
        long deleted = 0;
        byte[] from = Keys.rowsStart(queueId);
        try (Cursor cursor = disk.scan(Family.QUEUES, from, Keys.rowsEnd(queueId, Keys.IDLE))) {
            while (cursor.next()) {
                byte[] key = cursor.key();
                if (key[8] == Keys.IDLE && marked.contains(Keys.rowId(key))) {
                    continue; // went with its marker
                }
                row.read(cursor.value());
                delete(key);
                if (++deleted % SLICE == 0) {
                    write();
                }
            }
        }
        write();
        disk.flush();
        return deleted;
    }

    private void delete(byte[] key) throws DiskFailure {
        HybridId id = Keys.rowId(key);
        batch.delete(Family.QUEUES, key);
        if (key[8] == Keys.IDLE) {
            idle--;
            idleBytes -= row.bytes;
            first = id.clock();
            digest().remove(id.clock(), id.server(), Digest.IDLE, 0);
            release();
            if (row.expiresAtMs != Message.NEVER) {
                batch.delete(
                        Family.EXPIRY,
                        Keys.expiry(row.expiresAtMs, queueId, id.clock(), id.server()));
            }
            return;
        }
        inFlight--;
        digest().remove(id.clock(), id.server(), status(), row.packetId);
        if (row.hasIdleRow()) {
            marked.add(id);
            byte[] message = Keys.row(queueId, Keys.IDLE, id.clock(), id.server());
            byte[] value = disk.get(Family.QUEUES, message);
            if (value == null) {
                return;
            }
            batch.delete(Family.QUEUES, message);
            row.read(value);
        }
        release();
    }

    private int status() {
        if (!row.isMarker) {
            return Digest.IN_FLIGHT;
        }
        return switch (row.kind) {
            case StoredRow.RELEASED -> Digest.RELEASED;
            case StoredRow.GOT -> Digest.GOT;
            default -> Digest.IN_FLIGHT;
        };
    }

    private StoredDepth stored() {
        StoredDepth there = before;
        if (there == null) {
            throw new IllegalStateException("not read");
        }
        return there;
    }

    private Digest digest() {
        return stored().digest();
    }

    private void release() {
        if (!row.isMarker && row.isReference) {
            released.merge(new PayloadId(row.server, row.counter), 1L, Long::sum);
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
        StoredDepth depth =
                new StoredDepth(
                        stored().kind(),
                        Math.max(0, idle),
                        Math.max(0, idleBytes),
                        Math.max(0, inFlight),
                        stored().lastClock(),
                        stored().lastServer(),
                        idle <= 0 ? stored().lastClock() : first,
                        digest());
        batch.put(Family.META, Keys.meta('D', queueId), depth.toBytes());
        disk.write(batch);
        batch.clear();
    }
}
