package io.godwit.persistence.queue;

import io.godwit.core.id.HybridId;
import io.godwit.core.operation.Subject;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredRow;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.Unreadable;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What is to become of rows that could not be read when they had to change: rows that their owner
 * has removed unread, and markers of groups' entries. It stands in META from the run to which it
 * belongs until it is done, so that a start knows it too. The row worker changes it; any thread
 * asks.
 *
 * <pre>
 * 'W' key of an idle row            nothing: the row goes
 * 'W' key of a row under in-flight  the marker that is to stand there; nothing: it goes
 * </pre>
 */
public final class DeferredRows {
    /** More are not noted. */
    private static final int MAX = 10_000;

    private static final byte[] GONE = new byte[0];

    /** What the journal of a start says of rows that it could not read. */
    public final DeferredChanges changes = new DeferredChanges();

    private final Set<RowId> rows = ConcurrentHashMap.newKeySet();
    private final Map<RowId, byte[]> markers = new ConcurrentHashMap<>();
    private final StoredRow row = new StoredRow();

    /** Reads what an earlier start has left. */
    public void load(DiskView disk) throws DiskFailure {
        changes.load(disk);
        try (Cursor cursor = disk.scan(Family.META, new byte[] {'W'}, new byte[] {'W' + 1})) {
            while (cursor.next()) {
                byte[] row = Keys.ofDeferred(cursor.key());
                HybridId id = Keys.rowId(row);
                RowId of = new RowId(Keys.rowQueue(row), id.clock(), id.server());
                if (row[8] == Keys.IDLE) {
                    rows.add(of);
                } else {
                    markers.put(of, cursor.value());
                }
            }
        }
    }

    boolean isEmpty() {
        return rows.isEmpty() && markers.isEmpty() && changes.isEmpty();
    }

    /** Rows that are to go. */
    List<RowId> rows() {
        return List.copyOf(rows);
    }

    /** Markers that are to stand; those that are to go are empty. */
    Map<RowId, byte[]> markers() {
        return Map.copyOf(markers);
    }

    boolean hasMarker(RowId id) {
        return markers.containsKey(id);
    }

    /**
     * Any thread.
     *
     * @throws Unreadable when the rows under in-flight of this queue are not what they are to be
     */
    public void assertNoMarkersOf(long queueId) throws Unreadable {
        if (!markers.isEmpty()
                && markers.keySet().stream().anyMatch(each -> each.queueId() == queueId)) {
            throw notKnown();
        }
    }

    static Unreadable notKnown() {
        return new Unreadable(
                "what is in flight could not be read, and is to change",
                new IllegalStateException("deferred"));
    }

    /** Takes what is to become of rows. */
    public interface Reader {
        /** The idle row is to go. */
        void rowGoes(RowId id) throws DiskFailure;

        /**
         * @param got the marker that is to stand there; null for none
         */
        void marker(RowId id, Subject.@Nullable Got got) throws DiskFailure;
    }

    /** Tells of each row. On the row worker. */
    public void tell(Reader to) throws DiskFailure {
        for (RowId id : rows) {
            to.rowGoes(id);
        }
        for (Map.Entry<RowId, byte[]> each : markers.entrySet()) {
            to.marker(each.getKey(), got(each.getKey(), each.getValue()));
        }
    }

    private Subject.@Nullable Got got(RowId id, byte[] marker) {
        if (marker.length == 0) {
            return null;
        }
        row.read(marker);
        return new Subject.Got(
                id.queueId(), id.clock(), id.server(), row.packetId, row.server, row.counter);
    }

    /**
     * Has an idle row go later.
     *
     * @return false when too many wait already
     */
    boolean remove(Batch batch, RowId id) {
        if (isFull() && !rows.contains(id)) {
            return false;
        }
        rows.add(id);
        batch.put(Family.META, key(id, Keys.IDLE), GONE);
        return true;
    }

    /**
     * Has a marker stand there later.
     *
     * @return false when too many wait already
     */
    boolean put(Batch batch, RowId id, byte[] marker) {
        if (isFull() && !markers.containsKey(id)) {
            return false;
        }
        markers.put(id, marker);
        batch.put(Family.META, key(id, Keys.IN_FLIGHT), marker);
        return true;
    }

    /** As {@link #put}: none is to stand there. */
    boolean removeMarker(Batch batch, RowId id) {
        return put(batch, id, GONE);
    }

    private boolean isFull() {
        return rows.size() + markers.size() >= MAX;
    }

    void rowDone(Batch batch, RowId id) {
        rows.remove(id);
        batch.delete(Family.META, key(id, Keys.IDLE));
    }

    /** To be called when the batch that has done it was written: pages may be read meanwhile. */
    void markersDone(Set<RowId> done) {
        markers.keySet().removeAll(done);
    }

    void markerDone(Batch batch, RowId id) {
        batch.delete(Family.META, key(id, Keys.IN_FLIGHT));
    }

    private static byte[] key(RowId id, byte status) {
        return Keys.deferred(Keys.row(id.queueId(), status, id.clock(), id.server()));
    }
}
