package io.godwit.persistence.reading;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Digest;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;
import io.godwit.core.operation.Op;
import io.godwit.core.operation.Subject;
import io.godwit.core.store.Receiver;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.journal.JournalEntry;
import io.godwit.persistence.journal.OpList;
import io.godwit.persistence.queue.DeferredRows;
import io.godwit.persistence.queue.RemovedRows;
import io.godwit.persistence.queue.RowId;
import io.godwit.persistence.queue.RowLookup;
import io.godwit.persistence.queue.RowNote;
import io.godwit.persistence.queue.Thinning;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the journal's window says of a queue beyond its rows: for each entry that an operation of
 * the window is about, where its row stands and where it would stand if the window ended now. The
 * same of what earlier operations have left to be {@linkplain DeferredRows deferred}. On the row
 * worker, so that no row is written meanwhile.
 */
final class QueueMoment {
    /** One entry; places as in {@link RowNote}. */
    static final class Change {
        /** Null of a group's entry that the session has got. */
        final @Nullable QueuedMessage entry;

        /** The group's entry that the session has got; null for all others. */
        Subject.@Nullable Got got;

        /** How it stands as a row. */
        final byte before;

        final int packetIdBefore;
        final int bytesBefore;

        /** How it stands with the window's operations applied. */
        byte now;

        int packetId;
        @Nullable Receiver receiver;

        /**
         * A marker of a group's entry.
         *
         * @param packetIdBefore of the one on the disk; 0 for none
         */
        private Change(int packetIdBefore) {
            entry = null;
            before = packetIdBefore == 0 ? RowNote.NONE : RowNote.GOT;
            this.packetIdBefore = packetIdBefore;
            bytesBefore = 0;
            now = before;
            packetId = packetIdBefore;
        }

        private Change(QueuedMessage entry, @Nullable RowNote note) {
            this.entry = entry;
            before = note == null ? RowNote.NONE : note.place;
            packetIdBefore = note == null ? 0 : note.placedPacketId;
            bytesBefore = note == null ? 0 : note.bytes;
            now = before;
            packetId = packetIdBefore;
            receiver = note == null ? null : note.receiver;
        }
    }

    final long queueId;

    /** Changed entries by message id. */
    final TreeMap<HybridId, Change> changes = new TreeMap<>();

    /**
     * What the queue remembers beyond rows, by message id; an empty value is what it has forgotten.
     */
    final TreeMap<HybridId, Optional<Remembered>> ingress = new TreeMap<>();

    /** The session or group ended: rows do not count any more. */
    boolean isGone;

    private final RowLookup rows;

    private QueueMoment(long queueId, RowLookup rows) {
        this.queueId = queueId;
        this.rows = rows;
    }

    /**
     * Makes the moments of several queues in one walk over the window.
     *
     * @param queueIds rising
     * @param deferred what was put off before the window began
     */
    static QueueMoment[] of(
            long[] queueIds, Iterable<JournalEntry> window, RowLookup rows, DeferredRows deferred)
            throws DiskFailure {
        QueueMoment[] moments = new QueueMoment[queueIds.length];
        for (int i = 0; i < queueIds.length; i++) {
            moments[i] = new QueueMoment(queueIds[i], rows);
        }
        deferred.tell(new BeforeWindow(queueIds, moments));
        for (JournalEntry entry : window) {
            List<OpList> lists = entry.lists;
            for (int l = 0; l < lists.size(); l++) {
                OpList list = lists.get(l);
                for (int i = 0; i < list.size(); i++) {
                    int at = Arrays.binarySearch(queueIds, queueOf(list.subject(i)));
                    if (at >= 0) {
                        moments[at].take(list.op(i), list.subject(i), list.packetId(i));
                    }
                }
            }
        }
        return moments;
    }

    /** Takes what was put off. */
    private record BeforeWindow(long[] queueIds, QueueMoment[] moments)
            implements DeferredRows.Reader {
        @Override
        public void rowGoes(RowId id) throws DiskFailure {
            int at = Arrays.binarySearch(queueIds, id.queueId());
            if (at >= 0) {
                moments[at].rowGoes(new HybridId(id.clock(), id.server()));
            }
        }

        @Override
        public void marker(RowId id, Subject.@Nullable Got got) throws DiskFailure {
            int at = Arrays.binarySearch(queueIds, id.queueId());
            if (at >= 0) {
                moments[at].marker(new HybridId(id.clock(), id.server()), got);
            }
        }
    }

    /** The queue whose entries it changes; 0 for none. */
    private static long queueOf(Object subject) {
        return switch (subject) {
            case QueuedMessage entry -> entry.queueId;
            case Subject.InFlightTo put -> put.entry().queueId;
            case Subject.RowGone gone -> gone.queueId();
            case RemovedRows rows -> rows.queueId;
            case Subject.Got got -> got.queueId;
            case Subject.GotGone gone -> gone.queueId();
            case Remembered each -> each.queueId;
            case Subject.OfQueue gone -> gone.queueId();
            default -> 0;
        };
    }

    private void take(Op op, Object subject, int packetId) throws DiskFailure {
        if (Thinning.isVoid(subject)) {
            return; // Its removal has arrived, and may have been let go of before its append.
        }
        switch (op) {
            case APPEND -> {
                Change change = new Change((QueuedMessage) subject, null);
                change.now = packetId == 0 ? RowNote.IDLE : RowNote.FLIGHT;
                change.packetId = packetId;
                changes.put(id((QueuedMessage) subject), change);
            }
            case REMEMBERED -> {
                Remembered each = (Remembered) subject;
                ingress.put(new HybridId(each.clock, each.server), Optional.of(each));
            }
            case FORGOTTEN -> {
                Remembered each = (Remembered) subject;
                ingress.put(new HybridId(each.clock, each.server), Optional.empty());
            }
            case GOT -> {
                Subject.Got got = (Subject.Got) subject;
                marker(new HybridId(got.clock, got.server), got);
            }
            case GOT_GONE -> {
                Subject.GotGone gone = (Subject.GotGone) subject;
                marker(new HybridId(gone.clock(), gone.server()), null);
            }
            case IN_FLIGHT -> inFlight((QueuedMessage) subject, packetId, null);
            case IN_FLIGHT_TO -> {
                Subject.InFlightTo put = (Subject.InFlightTo) subject;
                inFlight(put.entry(), packetId, put.to());
            }
            case RELEASED -> {
                Change change = of((QueuedMessage) subject);
                if (change != null && change.now != RowNote.NONE) {
                    change.now = RowNote.RELEASED;
                    change.packetId = packetId;
                }
            }
            case REMOVE -> {
                switch (subject) {
                    case Subject.RowGone gone -> removed(of(gone));
                    case RemovedRows rows -> rows.forEach(each -> removed(of(each)));
                    default -> removed(of((QueuedMessage) subject));
                }
            }
            case ROW_GONE -> {
                Change change = of((Subject.RowGone) subject);
                if (change != null && change.now == RowNote.IDLE) {
                    change.now = RowNote.NONE;
                }
            }
            case SESSION_GONE, GROUP_GONE -> {
                isGone = true;
                changes.clear();
                ingress.clear();
            }
            default -> {}
        }
    }

    private static void removed(@Nullable Change change) {
        if (change != null) {
            change.now = RowNote.NONE;
        }
    }

    /**
     * @param packetId 0: it is idle again
     */
    private void inFlight(QueuedMessage entry, int packetId, @Nullable Receiver to) {
        Change change = of(entry);
        if (change != null && change.now != RowNote.NONE && change.now != RowNote.RELEASED) {
            change.now = packetId == 0 ? RowNote.IDLE : RowNote.FLIGHT;
            change.packetId = packetId;
            change.receiver = to;
        }
    }

    /**
     * @param got what stands there now; null for none
     */
    private void marker(HybridId id, Subject.@Nullable Got got) throws DiskFailure {
        Change change = ofMarker(id);
        change.got = got;
        change.now = got == null ? RowNote.NONE : RowNote.GOT;
        change.packetId = got == null ? change.packetId : got.packetId;
    }

    /** One whose row can't be read still is no entry any more, and is still counted. */
    private void rowGoes(HybridId id) throws DiskFailure {
        QueuedMessage row = rows.find(queueId, id.clock(), id.server());
        Change change = row == null ? null : of(row);
        if (change == null) {
            changes.put(id, new Change(0));
        } else if (change.now == RowNote.IDLE) {
            change.now = RowNote.NONE;
        }
    }

    private Change ofMarker(HybridId id) throws DiskFailure {
        Change known = changes.get(id);
        if (known == null) {
            int packetId = isGone ? 0 : rows.got(queueId, id.clock(), id.server());
            known = new Change(packetId == RowLookup.UNREADABLE ? 0 : packetId);
            changes.put(id, known);
        }
        return known;
    }

    /** Null of one whose append was let go of already, with its removal. */
    private @Nullable Change of(QueuedMessage entry) {
        Change known = changes.get(id(entry));
        if (known == null && entry.note instanceof RowNote note && note.place != RowNote.NONE) {
            known = new Change(entry, note);
            changes.put(id(entry), known);
        }
        return known;
    }

    private @Nullable Change of(Subject.RowGone gone) throws DiskFailure {
        HybridId id = new HybridId(gone.clock(), gone.server());
        Change known = changes.get(id);
        if (known == null && !isGone) {
            QueuedMessage row = rows.find(queueId, gone.clock(), gone.server());
            known = row == null ? null : of(row);
        }
        return known;
    }

    private static HybridId id(QueuedMessage entry) {
        return new HybridId(entry.messageId, entry.server);
    }

    /** Takes what the window changes into account. */
    void addTo(Digest digest) {
        changes.forEach((id, change) -> {
            if (change.before != RowNote.NONE) {
                digest.remove(
                        id.clock(),
                        id.server(),
                        RowNote.status(change.before),
                        change.packetIdBefore);
            }
            if (change.now != RowNote.NONE) {
                digest.add(id.clock(), id.server(), RowNote.status(change.now), change.packetId);
            }
        });
        ingress.forEach((id, each) -> {
            if (each.isPresent()) {
                digest.add(id.clock(), id.server(), Digest.REMEMBERED, 0);
            } else {
                digest.remove(id.clock(), id.server(), Digest.REMEMBERED, 0);
            }
        });
    }
}
