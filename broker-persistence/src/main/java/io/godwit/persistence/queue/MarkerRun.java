package io.godwit.persistence.queue;

import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.Subject;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredRow;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import java.util.HashMap;
import java.util.Map;

/**
 * Markers of entries of groups that sessions have got. They come and go without an entry that
 * remembers them, so whether one stands on the disk is looked up, to count right.
 */
final class MarkerRun {
    private final DiskView disk;
    private final Depths depths;
    private final Map<RowId, Boolean> ofRun = new HashMap<>();
    private final ByteWriter value = new ByteWriter(32);

    MarkerRun(DiskView disk, Depths depths) {
        this.disk = disk;
        this.depths = depths;
    }

    void put(Batch batch, Subject.Got got) throws DiskFailure {
        byte[] key = Keys.row(got.queueId, Keys.IN_FLIGHT, got.clock, got.server);
        Depth depth = depths.touch(got.queueId);
        depth.seen(got.clock, got.server);
        if (!stands(new RowId(got.queueId, got.clock, got.server), key, true)) {
            depth.inFlight(1);
        }
        value.clear();
        StoredRow.writeGot(value, got.packetId, got.ingressServer, got.ingressCounter);
        batch.put(Family.QUEUES, key, key.length, value.array(), 0, value.length());
    }

    void delete(Batch batch, Subject.GotGone gone) throws DiskFailure {
        byte[] key = Keys.row(gone.queueId(), Keys.IN_FLIGHT, gone.clock(), gone.server());
        if (stands(new RowId(gone.queueId(), gone.clock(), gone.server()), key, false)) {
            depths.touch(gone.queueId()).inFlight(-1);
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
