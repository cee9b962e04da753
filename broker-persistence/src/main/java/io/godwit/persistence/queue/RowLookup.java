package io.godwit.persistence.queue;

import io.godwit.core.message.QueuedMessage;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredRow;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import org.jspecify.annotations.Nullable;

/** Finds the rows of an entry that nobody has in memory. */
public final class RowLookup {
    private final Disk disk;
    private final StoredRow row = new StoredRow();

    public RowLookup(Disk disk) {
        this.disk = disk;
    }

    /**
     * @return what stands for it, or null when it has no row, or is a marker of a group's entry
     */
    public @Nullable QueuedMessage find(long queueId, long messageId) throws DiskFailure {
        byte[] idle = disk.get(Family.QUEUES, Keys.row(queueId, Keys.IDLE, messageId));
        byte[] inFlight = disk.get(Family.QUEUES, Keys.row(queueId, Keys.IN_FLIGHT, messageId));
        RowNote note = new RowNote();
        if (inFlight != null) {
            row.read(inFlight);
            if (row.isMarker && row.kind == StoredRow.GOT) {
                return null;
            }
            note.packetId = row.packetId;
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
        return KeptEntry.row(queueId, messageId, row.message, row.qos, row.retain, row.ids, note);
    }

    /** Takes over what a whole row says. */
    static void fill(RowNote note, StoredRow row) {
        note.wanted = note.place;
        note.bytes = row.bytes;
        note.expiresAtMs = row.expiresAtMs;
        note.isReference = row.isReference;
        note.server = row.server;
        note.counter = row.counter;
    }
}
