package io.godwit.persistence.queue;

import io.godwit.persistence.codec.ByteWriter;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredRow;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.journal.Subject;
import java.util.HashMap;
import java.util.Map;

/**
 * Markers of entries of groups that sessions have got. They come and go without an entry that
 * remembers them, so whether one stands on the disk is looked up, to count right.
 */
final class MarkerRun {
    private final Disk disk;
    private final Depths depths;
    private final Map<RowId, Boolean> ofRun = new HashMap<>();
    private final ByteWriter value = new ByteWriter(32);

    MarkerRun(Disk disk, Depths depths) {
        this.disk = disk;
        this.depths = depths;
    }

    void put(Batch batch, Subject.Got got) throws DiskFailure {
        byte[] key = Keys.row(got.queueId, Keys.IN_FLIGHT, got.messageId);
        Depth depth = depths.touch(got.queueId);
        depth.seen(got.messageId);
        if (!stands(got.queueId, got.messageId, key, true)) {
            depth.inFlight(1);
        }
        value.clear();
        StoredRow.writeGot(value, got.packetId, got.server, got.counter);
        batch.put(Family.QUEUES, key, key.length, value.array(), 0, value.length());
    }

    void delete(Batch batch, long queueId, long messageId) throws DiskFailure {
        byte[] key = Keys.row(queueId, Keys.IN_FLIGHT, messageId);
        if (stands(queueId, messageId, key, false)) {
            depths.touch(queueId).inFlight(-1);
            batch.delete(Family.QUEUES, key);
        }
    }

    private boolean stands(long queueId, long messageId, byte[] key, boolean from)
            throws DiskFailure {
        Boolean inRun = ofRun.put(new RowId(queueId, messageId), from);
        return inRun != null ? inRun : disk.get(Family.QUEUES, key) != null;
    }

    void clear() {
        ofRun.clear();
    }
}
