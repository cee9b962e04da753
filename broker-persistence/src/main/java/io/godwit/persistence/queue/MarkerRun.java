package io.godwit.persistence.queue;

import io.godwit.core.message.Digest;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.Subject;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredRow;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import java.util.HashMap;
import java.util.Map;

/**
 * Markers of entries of groups that sessions have got. They come and go without an entry that
 * remembers them, so whether one stands on the disk is looked up, to count right. Where that can't
 * be read they come and go all the same, and may be counted too often, never too seldom: of a queue
 * that counts none nobody looks for any.
 */
final class MarkerRun {
    private final RowLookup lookup;
    private final Depths depths;

    /** Packet ids of those that this run has put; 0 for those that it has deleted. */
    private final Map<RowId, Integer> ofRun = new HashMap<>();

    private final ByteWriter value = new ByteWriter(32);

    MarkerRun(RowLookup lookup, Depths depths) {
        this.lookup = lookup;
        this.depths = depths;
    }

    void put(Batch batch, Subject.Got got) throws DiskFailure {
        byte[] key = Keys.row(got.queueId, Keys.IN_FLIGHT, got.clock, got.server);
        Depth depth = depths.touch(got.queueId);
        depth.seen(got.clock, got.server);
        int before = packetId(new RowId(got.queueId, got.clock, got.server), got.packetId);
        if (before <= 0) {
            depth.inFlight(1);
        } else {
            depth.digest.remove(got.clock, got.server, Digest.GOT, before);
        }
        depth.digest.add(got.clock, got.server, Digest.GOT, got.packetId);
        value.clear();
        StoredRow.writeGot(value, got.packetId, got.ingressServer, got.ingressCounter);
        batch.put(Family.QUEUES, key, key.length, value.array(), 0, value.length());
    }

    void delete(Batch batch, Subject.GotGone gone) throws DiskFailure {
        byte[] key = Keys.row(gone.queueId(), Keys.IN_FLIGHT, gone.clock(), gone.server());
        int before = packetId(new RowId(gone.queueId(), gone.clock(), gone.server()), 0);
        if (before > 0) {
            Depth depth = depths.touch(gone.queueId());
            depth.inFlight(-1);
            depth.digest.remove(gone.clock(), gone.server(), Digest.GOT, before);
        }
        if (before != 0) {
            batch.delete(Family.QUEUES, key);
        }
    }

    /**
     * @return that of the marker until now; 0 when there was none, or {@link RowLookup#UNREADABLE}
     */
    private int packetId(RowId id, int from) throws DiskFailure {
        Integer inRun = ofRun.put(id, from);
        return inRun != null ? inRun : lookup.got(id.queueId(), id.clock(), id.server());
    }

    void clear() {
        ofRun.clear();
    }
}
