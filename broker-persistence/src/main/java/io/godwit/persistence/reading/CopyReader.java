package io.godwit.persistence.reading;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.Coverage;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;
import io.godwit.core.operation.Subject;
import io.godwit.core.store.CopyPage;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.Receiver;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredRow;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.queue.IngressRows;
import io.godwit.persistence.queue.RowNote;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Makes one page for another node's copy: rows as they stood at a moment, changed by what the
 * journal's window said of them then. The row worker opens it, the read worker reads it.
 */
public final class CopyReader implements AutoCloseable {
    /** Entries looked at for each one that a page may have: rows may all be gone in the window. */
    private static final int LOOKED_AT = 4;

    private final DiskView disk;
    private final QueueMoment moment;
    private final HybridId above;
    private final HybridId last;
    private final Coverage coverage;
    private final PayloadCache payloads;
    private final StoredRow row = new StoredRow();
    private final List<CopyPage.Entry> entries = new ArrayList<>();
    private final @Nullable Cursor idle;
    private final @Nullable Cursor inFlight;
    private final @Nullable Cursor ingress;
    private final List<KeptIngress> remembered = new ArrayList<>();
    private @Nullable HybridId idleAt;
    private @Nullable HybridId inFlightAt;
    private long bytes;

    CopyReader(
            DiskView disk,
            QueueMoment moment,
            boolean hasRows,
            boolean hasIngress,
            HybridId above,
            HybridId last,
            Coverage coverage) {
        this.disk = disk;
        this.moment = moment;
        this.above = above;
        this.last = last;
        this.coverage = coverage;
        payloads = new PayloadCache(disk, new LargePayloads(disk));
        idle = hasRows ? scan(Keys.IDLE) : null;
        inFlight = hasRows ? scan(Keys.IN_FLIGHT) : null;
        byte[] from = Keys.remembered(moment.queueId, above.clock(), above.server());
        byte[] end = Keys.after(Keys.meta('R', moment.queueId));
        ingress = hasIngress ? disk.scan(Family.META, Keys.successor(from), end) : null;
    }

    private Cursor scan(byte status) {
        return disk.scan(
                Family.QUEUES,
                Keys.rowsAbove(moment.queueId, status, above.clock(), above.server()),
                Keys.rowsEnd(moment.queueId, status));
    }

    /**
     * Reads the page, once.
     *
     * @param position of the moment
     * @param messagesMax above 0
     * @param bytesMax after which the page ends
     */
    public CopyPage read(long position, int messagesMax, long bytesMax) throws DiskFailure {
        Iterator<Map.Entry<HybridId, QueueMoment.Change>> changes =
                moment.changes.tailMap(above, false).entrySet().iterator();
        Map.Entry<HybridId, QueueMoment.Change> change = next(changes);
        idleAt = next(idle);
        inFlightAt = next(inFlight);
        HybridId upTo = above;
        long looked = 0;
        while (true) {
            HybridId id = least(least(idleAt, inFlightAt), change == null ? null : change.getKey());
            if (id == null) {
                HybridId end = last.compareTo(upTo) > 0 ? last : upTo;
                return page(position, end, messagesMax, true);
            }
            if (entries.size() >= messagesMax
                    || bytes >= bytesMax
                    || looked++ >= (long) LOOKED_AT * messagesMax) {
                return page(position, upTo, messagesMax, false);
            }
            boolean isChanged = change != null && change.getKey().equals(id);
            if (isChanged && change != null) {
                changed(id, change.getValue());
                change = next(changes);
            } else {
                asRow(id);
            }
            idleAt = id.equals(idleAt) ? next(idle) : idleAt;
            inFlightAt = id.equals(inFlightAt) ? next(inFlight) : inFlightAt;
            upTo = id;
        }
    }

    private CopyPage page(long position, HybridId end, int rememberedMax, boolean isLast)
            throws DiskFailure {
        HybridId upTo = remember(end, rememberedMax);
        boolean isCut = upTo.compareTo(end) < 0;
        if (isCut) {
            entries.removeIf(each -> each.id().compareTo(upTo) > 0);
        }
        return new CopyPage(
                moment.queueId,
                position,
                above,
                upTo,
                coverage.within(above, upTo),
                entries,
                remembered,
                isLast && !isCut);
    }

    /**
     * Takes what is remembered in the page's range.
     *
     * @return where the page ends: earlier when that is more than a page may have
     */
    private HybridId remember(HybridId end, int max) throws DiskFailure {
        Iterator<Map.Entry<HybridId, Optional<Remembered>>> changes =
                moment.ingress.subMap(above, false, end, true).entrySet().iterator();
        Map.Entry<HybridId, Optional<Remembered>> change = next(changes);
        KeptIngress row = nextIngress(end);
        HybridId last = end;
        while (row != null || change != null) {
            if (remembered.size() == max) {
                return last;
            }
            int order = row == null ? 1 : change == null ? -1 : row.id().compareTo(change.getKey());
            KeptIngress kept = row;
            if (order >= 0 && change != null) {
                last = change.getKey();
                kept = change.getValue().map(CopyReader::kept).orElse(null);
                change = next(changes);
            } else if (row != null) {
                last = row.id();
            }
            if (kept != null) {
                remembered.add(kept);
            }
            row = order <= 0 ? nextIngress(end) : row;
        }
        return end;
    }

    private static KeptIngress kept(Remembered each) {
        return new KeptIngress(
                new HybridId(each.clock, each.server),
                new IngressId(each.ingressServer, each.ingressCounter));
    }

    private @Nullable KeptIngress nextIngress(HybridId end) throws DiskFailure {
        if (ingress == null || !ingress.next()) {
            return null;
        }
        KeptIngress row = IngressRows.of(ingress.key(), ingress.value());
        return row.id().compareTo(end) <= 0 ? row : null;
    }

    private static <T> @Nullable T next(Iterator<T> from) {
        return from.hasNext() ? from.next() : null;
    }

    private static @Nullable HybridId next(@Nullable Cursor from) throws DiskFailure {
        return from != null && from.next() ? Keys.rowId(from.key()) : null;
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
                    released(
                            id,
                            change.packetId,
                            change.receiver,
                            entry.ingressServer(),
                            entry.ingressCounter());
            default -> {
                Message message = entry.message;
                if (message == null && change.before != RowNote.NONE) {
                    message = ofRow(id);
                }
                int packetId = change.now == RowNote.IDLE ? 0 : change.packetId;
                Receiver receiver = change.now == RowNote.IDLE ? null : change.receiver;
                if (message == null) {
                    // PUBREC came; the operation that says so is behind this moment.
                    released(id, packetId, receiver, entry.ingressServer(), entry.ingressCounter());
                } else {
                    whole(id, packetId, receiver, entry.qos, entry.retain, entry.ids, message);
                }
            }
        }
    }

    private void asRow(HybridId id) throws DiskFailure {
        int packetId = 0;
        Receiver receiver = null;
        if (id.equals(inFlightAt) && inFlight != null) {
            row.read(inFlight.value());
            packetId = row.packetId;
            receiver = row.receiver;
            if (row.isMarker && row.kind == StoredRow.GOT) {
                got(id, packetId, row.server, row.counter);
                return;
            }
            if (row.isMarker && row.kind == StoredRow.RELEASED) {
                released(id, packetId, receiver, row.server, row.counter);
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
        if (id.equals(idleAt) && idle != null) {
            row.read(idle.value());
        } else if (id.equals(inFlightAt) && inFlight != null) {
            row.read(inFlight.value());
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
                released(id, row.packetId, row.receiver, row.server, row.counter);
            }
        }
    }

    private void got(HybridId id, int packetId, int server, long counter) {
        marker(id, CopyPage.Status.GOT, packetId, null, server, counter);
    }

    private void released(
            HybridId id, int packetId, @Nullable Receiver receiver, int server, long counter) {
        marker(id, CopyPage.Status.RELEASED, packetId, receiver, server, counter);
    }

    private void marker(
            HybridId id,
            CopyPage.Status status,
            int packetId,
            @Nullable Receiver receiver,
            int server,
            long counter) {
        add(
                new CopyPage.Entry(
                        id,
                        status,
                        packetId,
                        receiver,
                        2,
                        false,
                        new int[0],
                        null,
                        server,
                        counter));
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
                new CopyPage.Entry(
                        id,
                        packetId == 0 ? CopyPage.Status.IDLE : CopyPage.Status.IN_FLIGHT,
                        packetId,
                        receiver,
                        qos,
                        retain,
                        ids,
                        message,
                        message.ingressServer,
                        message.ingressCounter));
    }

    private void add(CopyPage.Entry entry) {
        entries.add(entry);
        bytes += QueuedMessage.bytes(entry.message());
    }

    @Override
    public void close() {
        if (idle != null) {
            idle.close();
        }
        if (inFlight != null) {
            inFlight.close();
        }
        if (ingress != null) {
            ingress.close();
        }
    }
}
