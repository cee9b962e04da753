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
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Markers of entries of groups that sessions have got. They come and go without an entry that
 * remembers them, so whether one stands on the disk is looked up, to count right. Where that can't
 * be read it is {@linkplain DeferredRows deferred}; when too much is, they come and go all the
 * same, and may be counted too often, never too seldom: of a queue that counts none nobody looks
 * for any.
 */
final class MarkerRun {
    private final RowLookup lookup;
    private final Depths depths;
    private final DeferredRows deferred;

    /** Packet ids of those that this run has put; 0 for those that it has deleted. */
    private final Map<RowId, Integer> ofRun = new HashMap<>();

    /** Queues whose rows are deleted with this run, before what it puts. */
    private final Set<Long> begun = new HashSet<>();

    private final Set<RowId> done = new HashSet<>();
    private final StoredRow row = new StoredRow();
    private final ByteWriter value = new ByteWriter(32);

    MarkerRun(RowLookup lookup, Depths depths, DeferredRows deferred) {
        this.lookup = lookup;
        this.depths = depths;
        this.deferred = deferred;
    }

    void put(Batch batch, Subject.Got got) throws DiskFailure {
        depths.touch(got.queueId).seen(got.clock, got.server);
        value.clear();
        StoredRow.writeGot(value, got.packetId, got.ingressServer, got.ingressCounter);
        byte[] marker = value.toBytes();
        RowId id = new RowId(got.queueId, got.clock, got.server);
        int before = packetId(id);
        if (before != RowLookup.UNREADABLE || !deferred.put(batch, id, marker)) {
            put(batch, id, marker, got.packetId, before);
        }
    }

    void delete(Batch batch, Subject.GotGone gone) throws DiskFailure {
        RowId id = new RowId(gone.queueId(), gone.clock(), gone.server());
        int before = packetId(id);
        if (before != RowLookup.UNREADABLE || !deferred.removeMarker(batch, id)) {
            delete(batch, id, before);
        }
    }

    /** Does what was deferred; of a queue with a marker that can't be read, no more are tried. */
    void again(Batch batch) throws DiskFailure {
        Set<Long> unreadable = new HashSet<>();
        for (Map.Entry<RowId, byte[]> each : deferred.markers().entrySet()) {
            RowId id = each.getKey();
            if (unreadable.contains(id.queueId())) {
                continue;
            }
            int before = lookup.got(id.queueId(), id.clock(), id.server());
            if (before == RowLookup.UNREADABLE) {
                unreadable.add(id.queueId());
                continue;
            }
            deferred.markerDone(batch, id);
            done.add(id);
            if (depths.find(id.queueId()) == null) {
                continue; // Its queue has gone meanwhile.
            }
            byte[] marker = each.getValue();
            if (marker.length == 0) {
                delete(batch, id, before);
            } else {
                row.read(marker);
                put(batch, id, marker, row.packetId, before);
            }
        }
    }

    /** Has those that still could not be put counted: a start goes on with what is left. */
    void countDeferred() {
        deferred.markers()
                .forEach((id, marker) -> {
                    if (marker.length > 0) {
                        depths.toCome(id.queueId());
                    }
                });
    }

    private void put(Batch batch, RowId id, byte[] marker, int packetId, int before) {
        Depth depth = depths.touch(id.queueId());
        if (before <= 0) {
            depth.inFlight(1);
        } else {
            depth.digest.remove(id.clock(), id.server(), Digest.GOT, before);
        }
        depth.digest.add(id.clock(), id.server(), Digest.GOT, packetId);
        batch.put(Family.QUEUES, key(id), marker);
        ofRun.put(id, packetId);
    }

    private void delete(Batch batch, RowId id, int before) {
        if (before > 0) {
            Depth depth = depths.touch(id.queueId());
            depth.inFlight(-1);
            depth.digest.remove(id.clock(), id.server(), Digest.GOT, before);
        }
        if (before != 0) {
            batch.delete(Family.QUEUES, key(id));
        }
        ofRun.put(id, 0);
    }

    /**
     * @return that of the marker until now; 0 when there was none, or {@link RowLookup#UNREADABLE}
     */
    private int packetId(RowId id) throws DiskFailure {
        Integer inRun = ofRun.get(id);
        if (inRun != null) {
            return inRun;
        }
        if (begun.contains(id.queueId())) {
            return 0;
        }
        return deferred.hasMarker(id)
                ? RowLookup.UNREADABLE
                : lookup.got(id.queueId(), id.clock(), id.server());
    }

    private static byte[] key(RowId id) {
        return Keys.row(id.queueId(), Keys.IN_FLIGHT, id.clock(), id.server());
    }

    /** Forgets the markers of a queue: its rows are deleted with this run. */
    void forget(long queueId) {
        ofRun.keySet().removeIf(id -> id.queueId() == queueId);
        begun.add(queueId);
    }

    /** The run is written. */
    void written() {
        ofRun.clear();
        begun.clear();
        deferred.markersDone(done);
        done.clear();
    }
}
