package io.godwit.persistence.queue;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.QueuedMessage;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredRow;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.Unreadable;
import io.godwit.persistence.health.StoreDamage;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the rows of an entry that nobody has in memory. */
public final class RowLookup {
    /** Whether a marker stands there can't be read. */
    public static final int UNREADABLE = -1;

    private final DiskView disk;
    private final Depths depths;
    private final StoreDamage damage;
    private final StoredRow row = new StoredRow();

    public RowLookup(DiskView disk, Depths depths, StoreDamage damage) {
        this.disk = disk;
        this.depths = depths;
        this.damage = damage;
    }

    /**
     * @return what stands for it, or null when it has no row that can be read, or is a marker of a
     *     group's entry
     */
    public @Nullable QueuedMessage find(long queueId, long clock, int server) throws DiskFailure {
        try {
            return read(queueId, clock, server);
        } catch (Unreadable e) {
            unreadable(queueId, e); // It stays where it is: only its own queue has it.
            return null;
        }
    }

    /** As {@link #find}; what stands for a row that can't be read has nothing but its id. */
    public @Nullable QueuedMessage findOrUnread(long queueId, long clock, int server)
            throws DiskFailure {
        try {
            return read(queueId, clock, server);
        } catch (Unreadable e) {
            unreadable(queueId, e);
            return KeptEntry.unread(queueId, clock, server);
        }
    }

    /** Tells that a row of the queue could not be read. */
    public void unreadable(long queueId, Unreadable cause) {
        damage.ofQueue(queueId, cause);
    }

    /**
     * As {@link #find}.
     *
     * @throws Unreadable when it has a row perhaps
     */
    @Nullable QueuedMessage read(long queueId, long clock, int server) throws DiskFailure {
        Depth depth = depths.find(queueId);
        if (depth == null
                || depth.idle == 0 && depth.inFlight == 0
                || HybridId.compare(depth.last, depth.lastServer, clock, server) < 0) {
            return null;
        }
        byte[] idle = disk.get(Family.QUEUES, Keys.row(queueId, Keys.IDLE, clock, server));
        byte[] inFlight =
                depth.inFlight == 0
                        ? null
                        : disk.get(Family.QUEUES, Keys.row(queueId, Keys.IN_FLIGHT, clock, server));
        RowNote note = new RowNote();
        if (inFlight != null) {
            row.read(inFlight);
            if (row.isMarker && row.kind == StoredRow.GOT) {
                return null;
            }
            note.packetId = row.packetId;
            note.placedPacketId = row.packetId;
            note.receiver = row.receiver;
        }
        if (idle != null) {
            row.read(idle);
            note.place = inFlight == null ? RowNote.IDLE : RowNote.MARKED;
        } else if (inFlight != null) {
            note.place = row.isMarker ? RowNote.RELEASED : RowNote.FLIGHT;
        } else {
            return null;
        }
        fill(note, row);
        KeptEntry entry =
                KeptEntry.row(
                        queueId, clock, server, row.message, row.qos, row.retain, row.ids, note);
        entry.ingress(row.server, row.counter);
        return entry;
    }

    /** Takes rows of a range. */
    public interface RangeReader {
        /** Takes what stands for a row, or for a marker of one. */
        void row(QueuedMessage entry) throws DiskFailure;

        /** Takes a marker of a group's entry. */
        void got(HybridId id);
    }

    /**
     * Reads the rows of a queue above one id and up to another. What can't be read is left out, and
     * told of as damage.
     *
     * @return whether all of them could be read
     */
    public boolean range(long queueId, HybridId above, HybridId upTo, RangeReader to)
            throws DiskFailure {
        Depth depth = depths.find(queueId);
        if (depth == null || depth.idle == 0 && depth.inFlight == 0) {
            return true;
        }
        try {
            Set<HybridId> marked =
                    depth.inFlight == 0 ? Set.of() : inFlight(depth, above, upTo, to);
            idle(depth, above, upTo, marked, to);
            return true;
        } catch (Unreadable e) {
            unreadable(queueId, e);
            return false;
        }
    }

    private Set<HybridId> inFlight(Depth depth, HybridId above, HybridId upTo, RangeReader to)
            throws DiskFailure {
        Set<HybridId> marked = new HashSet<>();
        try (Cursor cursor = scan(depth.queueId, Keys.IN_FLIGHT, above)) {
            while (cursor.next()) {
                HybridId id = Keys.rowId(cursor.key());
                if (id.compareTo(upTo) > 0) {
                    break;
                }
                QueuedMessage entry = read(depth.queueId, id.clock(), id.server());
                if (entry == null) {
                    to.got(id);
                } else {
                    marked.add(id);
                    to.row(entry);
                }
            }
        }
        return marked;
    }

    private void idle(
            Depth depth, HybridId above, HybridId upTo, Set<HybridId> marked, RangeReader to)
            throws DiskFailure {
        try (Cursor cursor = scan(depth.queueId, Keys.IDLE, above)) {
            while (cursor.next()) {
                HybridId id = Keys.rowId(cursor.key());
                if (id.compareTo(upTo) > 0) {
                    return;
                }
                if (marked.contains(id)) {
                    continue;
                }
                row.read(cursor.value());
                RowNote note = new RowNote();
                note.place = RowNote.IDLE;
                fill(note, row);
                note.readBack();
                to.row(
                        KeptEntry.row(
                                depth.queueId,
                                id.clock(),
                                id.server(),
                                null,
                                row.qos,
                                row.retain,
                                row.ids,
                                note));
            }
        }
    }

    private Cursor scan(long queueId, byte status, HybridId above) {
        return disk.scan(
                Family.QUEUES,
                Keys.rowsAbove(queueId, status, above.clock(), above.server()),
                Keys.rowsEnd(queueId, status));
    }

    /**
     * @return packet id of the marker of a group's entry that stands there; 0 for none, or {@link
     *     #UNREADABLE}
     */
    public int got(long queueId, long clock, int server) throws DiskFailure {
        byte[] marker;
        try {
            marker = disk.get(Family.QUEUES, Keys.row(queueId, Keys.IN_FLIGHT, clock, server));
        } catch (Unreadable e) {
            unreadable(queueId, e);
            return UNREADABLE;
        }
        if (marker == null) {
            return 0;
        }
        row.read(marker);
        return row.isMarker && row.kind == StoredRow.GOT ? row.packetId : 0;
    }

    /** Takes over what a whole row says. */
    public static void fill(RowNote note, StoredRow row) {
        note.wanted = note.place;
        note.bytes = row.bytes;
        note.expiresAtMs = row.expiresAtMs;
        note.isReference = row.isReference;
        note.server = row.server;
        note.counter = row.counter;
    }
}
