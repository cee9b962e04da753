package io.godwit.persistence.reading;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.store.CommitOutcome;
import io.godwit.core.store.Receiver;
import io.godwit.core.store.RowRead;
import io.godwit.core.store.StoreMetric;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredRow;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.Unreadable;
import io.godwit.persistence.health.StoreCounts;
import io.godwit.persistence.health.StoreDamage;
import io.godwit.persistence.health.StoreDamaged;
import io.godwit.persistence.queue.DeferredRows;
import io.godwit.persistence.queue.Depth;
import io.godwit.persistence.queue.Depths;
import io.godwit.persistence.queue.RowLookup;
import io.godwit.persistence.queue.RowNote;
import io.godwit.persistence.queue.RowRemovals;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reads pages of rows, on the read worker: one bounded scan each, never from a queue's start. */
public final class PageReader {
    /** Most rows are shorter. */
    private static final int VALUE_BYTES = 4096;

    /** What a longer one needed is not kept beyond its page. */
    private static final int VALUE_BYTES_KEPT = 64 << 10;

    private final DiskView disk;
    private final Depths depths;
    private final RowRemovals removals;
    private final DeferredRows deferred;
    private final StoreCounts counts;
    private final StoreDamage damage;
    private final PayloadCache payloads;
    private final StoredRow row = new StoredRow();

    /** The row that is read, used again for each: a page is hundreds of them. */
    private final byte[] key = new byte[Keys.ROW_LENGTH];

    private byte[] value = new byte[VALUE_BYTES];
    private boolean closed;

    public PageReader(
            DiskView disk,
            Depths depths,
            RowRemovals removals,
            DeferredRows deferred,
            StoreCounts counts,
            StoreDamage damage,
            LargePayloads large) {
        this.damage = damage;
        this.disk = disk;
        this.depths = depths;
        this.removals = removals;
        this.deferred = deferred;
        this.counts = counts;
        payloads = new PayloadCache(disk, large);
    }

    /** Reads the page and hands it on. */
    public synchronized void read(CommitOutcome outcome, RowRead read) {
        if (closed) {
            return;
        }
        Throwable failure = null;
        row.message = null; // Its topic is for rows of one page only: another may go elsewhere.
        try {
            if (read.section == RowRead.Section.IDLE) {
                idle(read);
            } else {
                inFlight(read);
            }
        } catch (DiskFailure | RuntimeException e) {
            failure = e;
            if (e instanceof Unreadable
                    || e instanceof StoreDamaged
                    || e instanceof IndexOutOfBoundsException) {
                damage.ofQueue(read.queueId, e);
            }
        }
        if (value.length > VALUE_BYTES_KEPT) {
            value = new byte[VALUE_BYTES];
        }
        outcome.onRead(read, failure);
    }

    public synchronized void close() {
        closed = true;
    }

    private void idle(RowRead read) throws DiskFailure {
        deferred.changes.assertNoneOf(read.queueId);
        Depth depth = depths.find(read.queueId);
        if (depth == null) {
            read.isLast = true;
            return;
        }
        HybridId first = HybridId.lastOf(depth.first);
        HybridId after = read.after.compareTo(first) < 0 ? first : read.after;
        if (after.compareTo(read.upTo) > 0) {
            read.isLast = true;
            return;
        }
        byte[] to = end(read, Keys.IDLE);
        // Rows that are in flight by a marker are no idle ones.
        try (Cursor markers =
                        depth.inFlight == 0
                                ? null
                                : scan(read, Keys.IN_FLIGHT, after, end(read, Keys.IN_FLIGHT));
                Cursor cursor = scan(read, Keys.IDLE, after, to)) {
            byte[] marked = next(markers);
            int messages = 0;
            long bytes = 0;
            while (messages < read.messagesMax && bytes < read.bytesMax) {
                if (!cursor.next()) {
                    read.isLast = true;
                    break;
                }
                cursor.key(key);
                int order = -1;
                while (marked != null && (order = compareIds(marked, key)) < 0) {
                    marked = next(markers);
                }
                if (marked != null && order == 0
                        || removals.contains(
                                read.queueId, Keys.rowClock(key), Keys.rowServer(key))) {
                    continue;
                }
                row(cursor);
                bytes += bytes(read);
                messages += tell(read, key, RowNote.IDLE, 0, null) ? 1 : 0;
            }
            counts.add(StoreMetric.ROWS_READ, messages);
        }
    }

    private void inFlight(RowRead read) throws DiskFailure {
        if (read.after.compareTo(read.upTo) > 0) {
            read.isLast = true;
            return;
        }
        deferred.changes.assertNoneOf(read.queueId);
        deferred.assertNoMarkersOf(read.queueId);
        try (Cursor cursor = scan(read, Keys.IN_FLIGHT, read.after, end(read, Keys.IN_FLIGHT))) {
            int messages = 0;
            long bytes = 0;
            while (messages < read.messagesMax && bytes < read.bytesMax) {
                if (!cursor.next()) {
                    read.isLast = true;
                    break;
                }
                cursor.key(key);
                row(cursor);
                if (row.isMarker && !row.hasIdleRow() && !read.wantsMessages()) {
                    continue;
                }
                if (!row.isMarker && read.endsBefore(row.bytes)) {
                    break;
                }
                bytes += bytes(read);
                messages++;
                if (!row.isMarker) {
                    tell(read, key, RowNote.FLIGHT, row.packetId, null);
                } else if (!marker(read, key)) {
                    break;
                }
            }
            counts.add(StoreMetric.ROWS_READ, messages);
        }
    }

    private int bytes(RowRead read) {
        return read.wantsMessages() ? row.bytes : 0;
    }

    private void row(Cursor cursor) {
        int length = cursor.value(value);
        if (length > value.length) {
            value = new byte[length];
            cursor.value(value);
        }
        row.read(value, length);
    }

    /**
     * @return false when the page ends before it, since its row is too large
     */
    private boolean marker(RowRead read, byte[] at) throws DiskFailure {
        long id = Keys.rowClock(at);
        int packetId = row.packetId;
        announce(read, at);
        switch (row.kind) {
            case StoredRow.IDLE_ROW, StoredRow.TO_MEMBER -> {
                Receiver receiver = row.receiver;
                byte[] idle = Keys.row(read.queueId, Keys.IDLE, id, Keys.rowServer(at));
                byte[] message = disk.get(Family.QUEUES, idle);
                if (message != null) {
                    row.read(message);
                    if (read.endsBefore(row.bytes)) {
                        return false;
                    }
                    tell(read, idle, RowNote.MARKED, packetId, receiver);
                }
            }
            case StoredRow.GOT -> read.marker(id, packetId);
            default -> {
                RowNote note = new RowNote();
                note.place = RowNote.RELEASED;
                note.packetId = packetId;
                note.placedPacketId = packetId;
                RowLookup.fill(note, row);
                read.row(id, row.qos, row.retain, row.ids, null, packetId, note);
            }
        }
        return true;
    }

    /** Says of which row the next call tells. */
    private void announce(RowRead read, byte[] at) {
        read.server = Keys.rowServer(at);
        read.rowBytes = row.bytes;
        read.ingressServer = row.server;
        read.ingressCounter = row.counter;
    }

    /** Tells of a whole row; false when it went meanwhile. */
    private boolean tell(
            RowRead read, byte[] at, byte place, int packetId, @Nullable Receiver receiver)
            throws DiskFailure {
        Message message = read.wantsMessages() ? message(at) : null;
        if (message == null && read.wantsMessages()) {
            return false;
        }
        RowNote note = new RowNote();
        note.place = place;
        note.packetId = packetId;
        note.placedPacketId = packetId;
        note.receiver = receiver;
        RowLookup.fill(note, row);
        if (place == RowNote.IDLE) {
            note.readBack();
        }
        announce(read, at);
        read.row(Keys.rowClock(at), row.qos, row.retain, row.ids, message, packetId, note);
        return true;
    }

    private @Nullable Message message(byte[] at) throws DiskFailure {
        if (row.message != null) {
            return row.message;
        }
        Message message = payloads.get(row.server, row.counter, row.bytes);
        if (message == null && disk.get(Family.QUEUES, at) != null) {
            throw new StoreDamaged(
                    "queue "
                            + Long.toUnsignedString(Keys.rowQueue(at))
                            + " refers to payload "
                            + row.server
                            + ":"
                            + row.counter
                            + ", which is not there");
        }
        return message;
    }

    private Cursor scan(RowRead read, byte status, HybridId after, byte[] to) {
        return disk.scan(Family.QUEUES, rowsAbove(read, status, after), to);
    }

    private static byte[] end(RowRead read, byte status) {
        return rowsAbove(read, status, read.upTo);
    }

    private static byte[] rowsAbove(RowRead read, byte status, HybridId id) {
        return Keys.rowsAbove(read.queueId, status, id.clock(), id.server());
    }

    /** Message ids of two keys of one queue. */
    private static int compareIds(byte[] a, byte[] b) {
        return Arrays.compareUnsigned(a, 9, Keys.ROW_LENGTH, b, 9, Keys.ROW_LENGTH);
    }

    private static byte @Nullable [] next(@Nullable Cursor markers) throws DiskFailure {
        return markers != null && markers.next() ? markers.key() : null;
    }
}
