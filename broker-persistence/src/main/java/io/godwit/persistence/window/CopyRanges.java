package io.godwit.persistence.window;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;
import io.godwit.core.operation.Subject;
import io.godwit.core.store.Inbound;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.Unreadable;
import io.godwit.persistence.journal.JournalEntry;
import io.godwit.persistence.queue.DeferredRows;
import io.godwit.persistence.queue.IngressRows;
import io.godwit.persistence.queue.MetaRecords;
import io.godwit.persistence.queue.Purge;
import io.godwit.persistence.queue.QueueRecords;
import io.godwit.persistence.queue.RowLookup;
import io.godwit.persistence.queue.RowNote;
import io.godwit.persistence.reading.MomentRecords;
import io.godwit.persistence.reading.QueueMoment;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds what a copy holds in a range that its leader replaces: rows, and what waits in the window.
 * What is found is removed by ordinary operations, and those that fill the range follow. On the row
 * worker.
 */
final class CopyRanges {
    /** Takes what the copy holds. */
    interface Reader {
        void entry(QueuedMessage entry) throws DiskFailure;

        /** Takes an entry that its subscriber has: PUBREC came. */
        void released(QueuedMessage entry) throws DiskFailure;

        void got(long queueId, HybridId id);

        void remembered(Remembered each) throws DiskFailure;

        /** Takes a subscription or a predecessor as it was put. */
        void record(Subject put);

        void inbound(Inbound inbound);
    }

    private final DiskView disk;
    private final RowLookup rows;
    private final IngressRows ingress;
    private final DeferredRows deferred;
    private final QueueRecords links;
    private final Purge purge;

    CopyRanges(
            DiskView disk,
            RowLookup rows,
            IngressRows ingress,
            DeferredRows deferred,
            QueueRecords links,
            Purge purge) {
        this.disk = disk;
        this.rows = rows;
        this.ingress = ingress;
        this.deferred = deferred;
        this.links = links;
        this.purge = purge;
    }

    /** Makes the moments of some queues, behind everything in the window. */
    QueueMoment[] moments(long[] queueIds, Iterable<JournalEntry> window) throws DiskFailure {
        return QueueMoment.of(queueIds, window, rows, deferred, links);
    }

    /**
     * Tells what the copy holds in the range.
     *
     * @return whether all of it could be read
     */
    boolean read(Subject.CopyRange range, QueueMoment moment, Reader to) throws DiskFailure {
        if (range.isFirst()) {
            records(moment, to);
        }
        boolean isRead = !hasRows(moment) || rows(range, moment, to);
        return changes(range, moment, to) && isRead;
    }

    private boolean hasRows(QueueMoment moment) {
        return !moment.isGone && !purge.isKnown(moment.queueId);
    }

    private boolean rows(Subject.CopyRange range, QueueMoment moment, Reader to)
            throws DiskFailure {
        boolean isRead =
                rows.range(moment.queueId, range.above(), range.upTo(), unchanged(moment, to));
        for (Remembered each : ingress.range(disk, moment.queueId, range.above(), range.upTo())) {
            if (!moment.ingress.containsKey(new HybridId(each.clock, each.server))) {
                to.remembered(each);
            }
        }
        return isRead;
    }

    private static RowLookup.RangeReader unchanged(QueueMoment moment, Reader to) {
        return new RowLookup.RangeReader() {
            @Override
            public void row(QueuedMessage entry) throws DiskFailure {
                if (!moment.changes.containsKey(entry.id())) {
                    to.entry(entry);
                }
            }

            @Override
            public void got(HybridId id) {
                if (!moment.changes.containsKey(id)) {
                    to.got(moment.queueId, id);
                }
            }
        };
    }

    private boolean changes(Subject.CopyRange range, QueueMoment moment, Reader to)
            throws DiskFailure {
        boolean isRead = true;
        for (Map.Entry<HybridId, QueueMoment.Change> each :
                moment.changes.subMap(range.above(), false, range.upTo(), true).entrySet()) {
            try {
                changed(moment.queueId, each.getKey(), each.getValue(), to);
            } catch (Unreadable e) {
                rows.unreadable(moment.queueId, e);
                isRead = false;
            }
        }
        for (QueueMoment.IngressChange each :
                moment.ingress.subMap(range.above(), false, range.upTo(), true).values()) {
            Remembered now = each.now;
            if (now != null) {
                to.remembered(now);
            }
        }
        return isRead;
    }

    private static void changed(long queueId, HybridId id, QueueMoment.Change change, Reader to)
            throws DiskFailure {
        QueuedMessage entry = change.entry;
        if (change.now == RowNote.NONE) {
            return;
        }
        if (entry == null) {
            to.got(queueId, id);
        } else if (change.now == RowNote.RELEASED) {
            to.released(entry);
        } else {
            to.entry(entry);
        }
    }

    /** Returns the copy's record of its session; null when it has none. */
    Subject.@Nullable SessionPut session(QueueMoment moment) throws DiskFailure {
        byte[] key = Keys.meta('S', moment.queueId);
        byte[] value = moment.records.get(key);
        if (value == null && hasRows(moment)) {
            value = disk.get(Family.META, key);
        }
        return value == null || value.length == 0 ? null : MetaRecords.session(key, value);
    }

    /** Tells of the copy's records: of its session or group, and of subscriptions. */
    void records(QueueMoment moment, MomentRecords.Reader to) throws DiskFailure {
        try (MomentRecords records = new MomentRecords(disk, moment.queueId, moment.queueId)) {
            records.read(moment, hasRows(moment), to);
        }
    }

    private void records(QueueMoment moment, Reader to) throws DiskFailure {
        MetaRecords.Reader each =
                new MetaRecords.Reader() {
                    @Override
                    public void put(Subject put) {
                        to.record(put);
                    }

                    @Override
                    public void inbound(Inbound inbound) {
                        to.inbound(inbound);
                    }
                };
        records(moment, (key, value) -> MetaRecords.read(key, value, each));
    }
}
