package io.godwit.persistence.queue;

import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.Subject;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredRow;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import java.util.HashMap;
import java.util.Map;

/**
 * Markers of entries that groups have lent to members. They come and go without an entry that
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

    void put(Batch batch, Subject.Lent lent) throws DiskFailure {
        byte[] key = Keys.row(lent.memberQueueId, Keys.IN_FLIGHT, lent.messageId, lent.server);
        Depth depth = depths.touch(lent.memberQueueId);
        depth.seen(lent.messageId, lent.server);
        if (!stands(new RowId(lent.memberQueueId, lent.messageId, lent.server), key, true)) {
            depth.inFlight(1);
        }
        value.clear();
        int kind = lent.released ? StoredRow.LENT_RELEASED : StoredRow.LENT;
        StoredRow.writeLent(value, kind, lent.packetId, lent.groupQueueId);
        batch.put(Family.QUEUES, key, key.length, value.array(), 0, value.length());
    }

    void delete(Batch batch, long memberQueueId, long messageId, int server) throws DiskFailure {
        byte[] key = Keys.row(memberQueueId, Keys.IN_FLIGHT, messageId, server);
        if (stands(new RowId(memberQueueId, messageId, server), key, false)) {
            depths.touch(memberQueueId).inFlight(-1);
            batch.delete(Family.QUEUES, key);
        }
    }

    private boolean stands(RowId id, byte[] key, boolean from) throws DiskFailure {
        Boolean inRun = ofRun.put(id, from);
        return inRun != null ? inRun : disk.get(Family.QUEUES, key) != null;
    }

    void clear() {
        ofRun.clear();
    }
}
