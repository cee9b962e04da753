package io.godwit.persistence.queue;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.Op;
import io.godwit.core.operation.Subject;
import io.godwit.core.store.Receiver;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredRow;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.Unreadable;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What the journal says of entries whose rows a start could not read: what came last for each,
 * since that alone says where it stands. It is in META until it is done, and until then nobody is
 * told of the queue's rows: a message whose PUBREC or PUBCOMP came would go out as a new one. The
 * row worker changes it; any thread asks.
 *
 * <pre>
 * 'X' key of an idle row    0 it is removed, 1 in flight (or idle: packet id 0), 2 released,
 *                           3 in flight to a member | marker with its packet id
 * </pre>
 */
public final class DeferredChanges {
    /** More are not noted. */
    private static final int MAX = 10_000;

    private static final byte[] FROM = {'X'};
    private static final byte[] TO = {'X' + 1};

    private final Map<RowId, byte[]> changes = new ConcurrentHashMap<>();
    private final Set<RowId> done = new HashSet<>();
    private final StoredRow marker = new StoredRow();

    /** Reads what an earlier start has left. */
    void load(DiskView disk) throws DiskFailure {
        try (Cursor cursor = disk.scan(Family.META, FROM, TO)) {
            while (cursor.next()) {
                byte[] row = Keys.ofDeferred(cursor.key());
                HybridId id = Keys.rowId(row);
                changes.put(new RowId(Keys.rowQueue(row), id.clock(), id.server()), cursor.value());
            }
        }
    }

    boolean isEmpty() {
        return changes.isEmpty();
    }

    /** Whether it is not known yet how entries of this queue stand; any thread. */
    public boolean isOf(long queueId) {
        return !changes.isEmpty()
                && changes.keySet().stream().anyMatch(each -> each.queueId() == queueId);
    }

    /**
     * Until it is known how a queue's entries stand, none of them is told of. Any thread.
     *
     * @throws Unreadable when it is not known
     */
    public void assertNoneOf(long queueId) throws Unreadable {
        if (isOf(queueId)) {
            throw DeferredRows.notKnown();
        }
    }

    /**
     * Takes an operation of a start's journal on an entry that was a row, unless the entry was
     * read.
     *
     * @param subject of the operation: the entry, or the entry with its receiver
     * @return whether the operation waits
     */
    boolean takes(Batch batch, Op op, Object subject, int packetId) {
        QueuedMessage entry =
                subject instanceof Subject.InFlightTo put ? put.entry() : (QueuedMessage) subject;
        if (!(entry.note instanceof RowNote note) || !note.isUnread && changes.isEmpty()) {
            return false;
        }
        RowId id = RowId.of(entry);
        if (!note.isUnread) {
            if (changes.remove(id) != null) {
                batch.delete(Family.META, key(id)); // What comes now says it anew.
            }
            return false;
        }
        if (changes.size() < MAX || changes.containsKey(id)) {
            Receiver to = subject instanceof Subject.InFlightTo put ? put.to() : null;
            byte[] value = value(op, packetId, to);
            changes.put(id, value);
            batch.put(Family.META, key(id), value);
        }
        return true;
    }

    private static byte[] value(Op op, int packetId, @Nullable Receiver to) {
        ByteWriter value = new ByteWriter(32);
        value.u8(
                switch (op) {
                    case REMOVE -> 0;
                    case IN_FLIGHT -> 1;
                    case RELEASED -> 2;
                    default -> 3;
                });
        if (to != null) {
            StoredRow.writeToMember(value, packetId, to);
        } else {
            StoredRow.writeMarker(value, packetId);
        }
        return value.toBytes();
    }

    /** Does what can be done; of a queue with a row that can't be read, no more are tried. */
    void again(Batch batch, RowLookup lookup, RowRun run) throws DiskFailure {
        Set<Long> unreadable = new HashSet<>();
        for (Map.Entry<RowId, byte[]> each : changes.entrySet()) {
            RowId id = each.getKey();
            if (unreadable.contains(id.queueId())) {
                continue;
            }
            try {
                QueuedMessage row = lookup.read(id.queueId(), id.clock(), id.server());
                batch.delete(Family.META, key(id));
                done.add(id);
                if (row != null) {
                    change(row, each.getValue(), run);
                }
            } catch (Unreadable e) {
                unreadable.add(id.queueId());
                lookup.unreadable(id.queueId(), e);
            }
        }
    }

    private void change(QueuedMessage row, byte[] value, RowRun run) {
        byte[] with = Arrays.copyOfRange(value, 1, value.length);
        marker.read(with, with.length);
        Receiver to = marker.receiver;
        switch (value[0]) {
            case 0 -> run.remove(row);
            case 1 -> run.inFlight(row, marker.packetId);
            case 2 -> run.released(row, marker.packetId);
            default -> {
                if (to != null) {
                    run.inFlightTo(row, marker.packetId, to);
                }
            }
        }
    }

    /** The batch that has done it was written: pages may have been read meanwhile. */
    void written() {
        changes.keySet().removeAll(done);
        done.clear();
    }

    /** Has entries counted that are in flight: of a queue that counts none nobody looks for any. */
    void count(Depths depths) {
        changes.forEach((id, value) -> {
            if (value[0] != 0) {
                depths.toCome(id.queueId());
            }
        });
    }

    private static byte[] key(RowId id) {
        byte[] key = Keys.deferred(Keys.row(id.queueId(), Keys.IDLE, id.clock(), id.server()));
        key[0] = 'X';
        return key;
    }
}
