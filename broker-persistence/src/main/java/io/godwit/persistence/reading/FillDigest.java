package io.godwit.persistence.reading;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Coverage;
import io.godwit.core.message.Digest;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.CoverageCodec;
import io.godwit.core.store.Receiver;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredRow;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.queue.RowNote;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes the digests of all that a fill brings of queues, for the leader and for its copy. Beyond
 * entries and records these are the epoch, the ids that are accounted for, and the members that
 * entries of a group are in flight to. The row worker opens it at the moment; then one thread
 * reads, queue by queue, in the order of {@link Long#compareUnsigned}.
 */
final class FillDigest implements AutoCloseable {
    private final ForwardCursor inFlight;
    private final StoredRow row = new StoredRow();
    private final ByteWriter value = new ByteWriter(64);
    private Digest digest = new Digest();
    private boolean isGroup;

    FillDigest(DiskView disk, long firstQueueId, long lastQueueId) {
        byte[] from = Keys.rowsStart(firstQueueId);
        byte[] end = Keys.rowsEnd(lastQueueId, Keys.IDLE);
        inFlight = new ForwardCursor(disk.scan(Family.QUEUES, from, end));
    }

    /**
     * Begins the digest of a queue.
     *
     * @param contents digest of its entries and of what it remembers; not to be used any more
     */
    void begin(Digest contents) {
        digest = contents;
        isGroup = false;
    }

    /** Adds a record of the queue. */
    void add(byte[] key, byte[] record) {
        digest.add(key, record);
        isGroup |= key[0] == 'G';
    }

    /**
     * Ends the digest of a queue.
     *
     * @param epoch number of the epoch under which its leader leads it
     */
    Digest end(QueueMoment moment, boolean hasRows, long epoch, Coverage coverage)
            throws DiskFailure {
        long queueId = moment.queueId;
        value.clear();
        digest.add(Keys.meta('H', queueId), value.varint(epoch).toBytes());
        value.clear();
        CoverageCodec.write(value, coverage);
        digest.add(Keys.meta('Q', queueId), value.toBytes());
        if (isGroup) {
            receivers(moment, hasRows);
        }
        return digest;
    }

    private void receivers(QueueMoment moment, boolean hasRows) throws DiskFailure {
        long queueId = moment.queueId;
        if (hasRows) {
            inFlight.goTo(Keys.rowsStart(queueId));
            byte[] key = inFlight.key();
            while (key != null && isInFlight(key, queueId)) {
                row.read(inFlight.value());
                HybridId id = Keys.rowId(key);
                if (!moment.changes.containsKey(id)) {
                    receiver(queueId, id, row.packetId, row.receiver);
                }
                inFlight.next();
                key = inFlight.key();
            }
        }
        for (Map.Entry<HybridId, QueueMoment.Change> each : moment.changes.entrySet()) {
            QueueMoment.Change change = each.getValue();
            if (change.now == RowNote.FLIGHT || change.now == RowNote.MARKED) {
                receiver(queueId, each.getKey(), change.packetId, change.receiver);
            }
        }
    }

    private static boolean isInFlight(byte[] key, long queueId) {
        return Keys.rowQueue(key) == queueId && key[8] == Keys.IN_FLIGHT;
    }

    private void receiver(long queueId, HybridId id, int packetId, @Nullable Receiver receiver) {
        if (receiver != null) {
            value.clear();
            StoredRow.writeToMember(value, packetId, receiver);
            digest.add(Keys.row(queueId, Keys.IN_FLIGHT, id.clock(), id.server()), value.toBytes());
        }
    }

    @Override
    public void close() {
        inFlight.close();
    }
}
