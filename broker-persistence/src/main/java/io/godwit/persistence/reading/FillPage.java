package io.godwit.persistence.reading;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;
import io.godwit.core.operation.Subject;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.Receiver;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredRow;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.queue.IngressRows;
import io.godwit.persistence.queue.RowNote;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads one page of a queue as it stood at a moment: rows of then, changed by what the journal's
 * window said of them. On a read worker.
 */
final class FillPage {
    /** Entries looked at for each one that a page may have: rows may all be gone in the window. */
    private static final int LOOKED_AT = 4;

    /** Rows of queues as of the moment, for pages of one queue after the other. */
    record Rows(ForwardCursor idle, ForwardCursor inFlight, MomentRows ingress)
            implements AutoCloseable {
        @Override
        public void close() {
            idle.close();
            inFlight.close();
            ingress.close();
        }
    }

    private final DiskView disk;
    private final PayloadCache payloads;
    private final Rows rows;
    private final QueueMoment moment;
    private final boolean hasRows;
    private final HybridId above;
    private final int messagesMax;
    private final long bytesMax;
    private final StoredRow row = new StoredRow();
    private @Nullable HybridId idleAt;
    private @Nullable HybridId inFlightAt;
    private long bytes;

    final List<FillEntry> entries = new ArrayList<>();
    final List<Remembered> remembered = new ArrayList<>();

    /** The last id of the page; {@link HybridId#MAX} when nothing is above it. */
    HybridId upTo;

    /**
     * @param rows each cursor stands below this queue, or in it
     * @param hasRows whether its rows count
     * @param above where the page begins
     * @param messagesMax above 0
     * @param bytesMax after which the page ends
     */
    FillPage(
            DiskView disk,
            PayloadCache payloads,
            Rows rows,
            QueueMoment moment,
            boolean hasRows,
            HybridId above,
            int messagesMax,
            long bytesMax) {
        this.disk = disk;
        this.payloads = payloads;
        this.rows = rows;
        this.moment = moment;
        this.hasRows = hasRows;
        this.above = above;
        this.messagesMax = messagesMax;
        this.bytesMax = bytesMax;
        upTo = above;
    }

    FillPage read() throws DiskFailure {
        long queueId = moment.queueId;
        if (hasRows) {
            rows.idle.goTo(Keys.rowsAbove(queueId, Keys.IDLE, above.clock(), above.server()));
            rows.inFlight.goTo(
                    Keys.rowsAbove(queueId, Keys.IN_FLIGHT, above.clock(), above.server()));
        }
        HybridId end = entries();
        upTo = remember(end);
        if (upTo.compareTo(end) < 0) {
            entries.removeIf(each -> each.id().compareTo(upTo) > 0);
        }
        return this;
    }

    /**
     * @return where the page ends
     */
    private HybridId entries() throws DiskFailure {
        Iterator<Map.Entry<HybridId, QueueMoment.Change>> changes =
                moment.changes.tailMap(above, false).entrySet().iterator();
        Map.Entry<HybridId, QueueMoment.Change> change = next(changes);
        idleAt = at(rows.idle, Keys.IDLE);
        inFlightAt = at(rows.inFlight, Keys.IN_FLIGHT);
        HybridId last = above;
        long looked = 0;
        while (true) {
            HybridId id = least(least(idleAt, inFlightAt), change == null ? null : change.getKey());
            if (id == null) {
                return HybridId.MAX;
            }
            if (entries.size() >= messagesMax
                    || bytes >= bytesMax
                    || looked++ >= (long) LOOKED_AT * messagesMax) {
                return last;
            }
            boolean isChanged = change != null && change.getKey().equals(id);
            if (isChanged && change != null) {
                changed(id, change.getValue());
                change = next(changes);
            } else {
                asRow(id);
            }
            if (id.equals(idleAt)) {
                rows.idle.next();
                idleAt = at(rows.idle, Keys.IDLE);
            }
            if (id.equals(inFlightAt)) {
                rows.inFlight.next();
                inFlightAt = at(rows.inFlight, Keys.IN_FLIGHT);
            }
            last = id;
        }
    }

    /** The id of the row where a cursor stands, if it is one of the queue's with this status. */
    private @Nullable HybridId at(ForwardCursor cursor, byte status) throws DiskFailure {
        byte[] key = hasRows ? cursor.key() : null;
        return key != null && Keys.rowQueue(key) == moment.queueId && key[8] == status
                ? Keys.rowId(key)
                : null;
    }

    /**
     * Takes what is remembered in the page's range.
     *
     * @return where the page ends: earlier when that is more than a page may have
     */
    private HybridId remember(HybridId end) throws DiskFailure {
        Iterator<Map.Entry<HybridId, QueueMoment.IngressChange>> changes =
                moment.ingress.subMap(above, false, end, true).entrySet().iterator();
        Map.Entry<HybridId, QueueMoment.IngressChange> change = next(changes);
        if (hasRows) {
            byte[] from = Keys.remembered(moment.queueId, above.clock(), above.server());
            rows.ingress.goTo(Keys.successor(from));
        }
        KeptIngress kept = ingressAt(end);
        HybridId last = end;
        while (kept != null || change != null) {
            if (remembered.size() >= messagesMax) {
                return last;
            }
            int order =
                    kept == null ? 1 : change == null ? -1 : kept.id().compareTo(change.getKey());
            Remembered each = null;
            if (order >= 0 && change != null) {
                last = change.getKey();
                each = change.getValue().now;
                change = next(changes);
            } else if (kept != null) {
                last = kept.id();
                each =
                        new Remembered(
                                moment.queueId,
                                last.clock(),
                                last.server(),
                                kept.ingress().server(),
                                kept.ingress().counter());
            }
            if (each != null) {
                remembered.add(each);
            }
            if (order <= 0) {
                rows.ingress.next();
                kept = ingressAt(end);
            }
        }
        return end;
    }

    private @Nullable KeptIngress ingressAt(HybridId end) throws DiskFailure {
        byte[] key = hasRows ? rows.ingress.key() : null;
        if (key == null || Keys.longAt(key, 1) != moment.queueId) {
            return null;
        }
        KeptIngress kept = IngressRows.of(key, rows.ingress.value());
        return kept.id().compareTo(end) <= 0 ? kept : null;
    }

    private static <T> @Nullable T next(Iterator<T> from) {
        return from.hasNext() ? from.next() : null;
    }

    private static @Nullable HybridId least(@Nullable HybridId a, @Nullable HybridId b) {
        if (a == null || b == null) {
            return a == null ? b : a;
        }
        return a.compareTo(b) <= 0 ? a : b;
    }

    /** What the window has changed; its message is in memory, or with its row. */
    private void changed(HybridId id, QueueMoment.Change change) throws DiskFailure {
        QueuedMessage entry = change.entry;
        Subject.Got got = change.got;
        if (entry == null) {
            if (change.now != RowNote.NONE && got != null) {
                got(id, got.packetId, got.ingressServer, got.ingressCounter);
            }
            return;
        }
        switch (change.now) {
            case RowNote.NONE -> {}
            case RowNote.RELEASED ->
                    released(id, change.packetId, entry.ingressServer(), entry.ingressCounter());
            default -> {
                Message message = entry.message;
                if (message == null && change.before != RowNote.NONE) {
                    message = ofRow(id);
                }
                int packetId = change.now == RowNote.IDLE ? 0 : change.packetId;
                Receiver receiver = change.now == RowNote.IDLE ? null : change.receiver;
                if (message == null) {
                    // PUBREC came; the operation that says so is behind this moment.
                    released(
                            id,
                            packetId != 0 ? packetId : entry.packetId,
                            entry.ingressServer(),
                            entry.ingressCounter());
                } else {
                    whole(id, packetId, receiver, entry.qos, entry.retain, entry.ids, message);
                }
            }
        }
    }

    private void asRow(HybridId id) throws DiskFailure {
        int packetId = 0;
        Receiver receiver = null;
        if (id.equals(inFlightAt)) {
            row.read(rows.inFlight.value());
            packetId = row.packetId;
            receiver = row.receiver;
            if (row.isMarker && row.kind == StoredRow.GOT) {
                got(id, packetId, row.server, row.counter);
                return;
            }
            if (row.isMarker && row.kind == StoredRow.RELEASED) {
                released(id, packetId, row.server, row.counter);
                return;
            }
        }
        Message message = ofRow(id);
        if (message != null) {
            whole(id, packetId, receiver, row.qos, row.retain, row.ids, message);
        } else {
            releasedMeanwhile(id);
        }
    }

    /** The message of the whole row that the cursors stand at; null when it is gone by now. */
    private @Nullable Message ofRow(HybridId id) throws DiskFailure {
        if (id.equals(idleAt)) {
            row.read(rows.idle.value());
        } else if (id.equals(inFlightAt)) {
            row.read(rows.inFlight.value());
        } else {
            return null;
        }
        return row.message != null ? row.message : payloads.get(row.server, row.counter, row.bytes);
    }

    /** What it refers to has gone since the moment: with the entry, or because PUBREC came. */
    private void releasedMeanwhile(HybridId id) throws DiskFailure {
        byte[] marker =
                disk.get(
                        Family.QUEUES,
                        Keys.row(moment.queueId, Keys.IN_FLIGHT, id.clock(), id.server()));
        if (marker != null) {
            row.read(marker);
            if (row.isMarker && row.kind == StoredRow.RELEASED) {
                released(id, row.packetId, row.server, row.counter);
            }
        }
    }

    private void got(HybridId id, int packetId, int server, long counter) {
        marker(id, FillEntry.Status.GOT, packetId, server, counter);
    }

    private void released(HybridId id, int packetId, int server, long counter) {
        marker(id, FillEntry.Status.RELEASED, packetId, server, counter);
    }

    private void marker(
            HybridId id, FillEntry.Status status, int packetId, int server, long counter) {
        add(new FillEntry(id, status, packetId, null, 2, false, new int[0], null, server, counter));
    }

    private void whole(
            HybridId id,
            int packetId,
            @Nullable Receiver receiver,
            int qos,
            boolean retain,
            int[] ids,
            Message message) {
        add(
                new FillEntry(
                        id,
                        packetId == 0 ? FillEntry.Status.IDLE : FillEntry.Status.IN_FLIGHT,
                        packetId,
                        receiver,
                        qos,
                        retain,
                        ids,
                        message,
                        message.ingressServer,
                        message.ingressCounter));
    }

    private void add(FillEntry entry) {
        entries.add(entry);
        bytes += QueuedMessage.bytes(entry.message());
    }

    /** Opens the rows of queues from the first to the last one, as they stand now. */
    static Rows open(DiskView disk, long firstQueueId, long lastQueueId) {
        byte[] from = Keys.rowsStart(firstQueueId);
        byte[] end = Keys.rowsEnd(lastQueueId, Keys.IDLE);
        return new Rows(
                new ForwardCursor(disk.scan(Family.QUEUES, from, end)),
                new ForwardCursor(disk.scan(Family.QUEUES, Arrays.copyOf(from, from.length), end)),
                new MomentRows(disk, 'R', firstQueueId, lastQueueId));
    }
}
