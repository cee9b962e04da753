package io.godwit.persistence.reading;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.Digest;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;
import io.godwit.core.operation.Op;
import io.godwit.core.operation.Subject;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.Receiver;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.journal.JournalEntry;
import io.godwit.persistence.journal.OpList;
import io.godwit.persistence.queue.DeferredRows;
import io.godwit.persistence.queue.Inbounds;
import io.godwit.persistence.queue.MetaRecords;
import io.godwit.persistence.queue.QueueRecords;
import io.godwit.persistence.queue.RemovedRows;
import io.godwit.persistence.queue.RowId;
import io.godwit.persistence.queue.RowLookup;
import io.godwit.persistence.queue.RowNote;
import io.godwit.persistence.queue.Thinning;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the journal's window says of a queue beyond its rows: for each entry that an operation of
 * the window is about, where its row stands and where it would stand if the window ended now; and
 * each record that it has changed. The same of what earlier operations have left to be {@linkplain
 * DeferredRows deferred}. On the row worker, so that no row is written meanwhile.
 */
public final class QueueMoment {
    /** Value of a record that is gone. */
    public static final byte[] GONE = new byte[0];

    /** One entry; places as in {@link RowNote}. */
    public static final class Change {
        /** Null of a group's entry that the session has got. */
        public final @Nullable QueuedMessage entry;

        /** The group's entry that the session has got; null for all others. */
        Subject.@Nullable Got got;

        /** How it stands as a row. */
        final byte before;

        final int packetIdBefore;
        final int bytesBefore;

        /** How it stands with the window's operations applied. */
        public byte now;

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

        /**
         * An entry that is appended.
         *
         * @param replaced what stood there before, and was removed; null for nothing
         */
        private Change(QueuedMessage entry, @Nullable Change replaced, int packetId) {
            this.entry = entry;
            before = replaced == null ? RowNote.NONE : replaced.before;
            packetIdBefore = replaced == null ? 0 : replaced.packetIdBefore;
            bytesBefore = replaced == null ? 0 : replaced.bytesBefore;
            now = packetId == 0 ? RowNote.IDLE : RowNote.FLIGHT;
            this.packetId = packetId;
        }
    }

    /** One ingress id that the queue remembers, or has forgotten. */
    public static final class IngressChange {
        /** It stands on the disk. */
        final boolean before;

        /** Null: it is forgotten. */
        public @Nullable Remembered now;

        private IngressChange(boolean before) {
            this.before = before;
        }
    }

    public final long queueId;

    /** Changed entries by message id. */
    public final TreeMap<HybridId, Change> changes = new TreeMap<>();

    /** What the queue remembers, or has forgotten, beyond rows, by message id. */
    public final TreeMap<HybridId, IngressChange> ingress = new TreeMap<>();

    /**
     * Records of META that have changed, with their values; {@link #GONE} of those that are gone.
     */
    public final TreeMap<byte[], byte[]> records = new TreeMap<>(Arrays::compareUnsigned);

    /** The session or group ended: rows do not count any more. */
    public boolean isGone;

    /** Stamp of the last end in the window; {@link HybridId#NONE}: there is none. */
    HybridId ended = HybridId.NONE;

    /** The window has made it the predecessor of another queue. */
    boolean isBefore;

    private final RowLookup rows;

    private QueueMoment(long queueId, RowLookup rows) {
        this.queueId = queueId;
        this.rows = rows;
    }

    /** Makes the moment of a queue that the window says nothing of. */
    static QueueMoment none(long queueId, RowLookup rows) {
        return new QueueMoment(queueId, rows);
    }

    /**
     * Makes the moments of several queues in one walk over the window.
     *
     * @param queueIds rising as signed numbers
     * @param deferred what was put off before the window began
     * @param links which queues go before which, as rows
     */
    public static QueueMoment[] of(
            long[] queueIds,
            Iterable<JournalEntry> window,
            RowLookup rows,
            DeferredRows deferred,
            QueueRecords links)
            throws DiskFailure {
        QueueMoment[] moments = new QueueMoment[queueIds.length];
        for (int i = 0; i < queueIds.length; i++) {
            moments[i] = new QueueMoment(queueIds[i], rows);
        }
        deferred.tell(new BeforeWindow(queueIds, moments));
        Map<Long, Long> successors = new HashMap<>();
        for (JournalEntry entry : window) {
            List<OpList> lists = entry.lists;
            for (int l = 0; l < lists.size(); l++) {
                OpList list = lists.get(l);
                for (int i = 0; i < list.size(); i++) {
                    Object subject = list.subject(i);
                    int at = Arrays.binarySearch(queueIds, queueOf(subject));
                    if (at >= 0) {
                        moments[at].take(list.op(i), subject, list.packetId(i));
                    }
                    if (subject instanceof Subject.PrecededBy put) {
                        successors.put(put.predecessorId(), put.queueId());
                        int of = Arrays.binarySearch(queueIds, put.predecessorId());
                        if (of >= 0) {
                            moments[of].isBefore = true;
                        }
                    } else if (subject instanceof Subject.OfQueue gone) {
                        Long linked = successors.get(gone.queueId());
                        long successor = linked == null ? links.successor(gone.queueId()) : linked;
                        int of = Arrays.binarySearch(queueIds, successor);
                        if (of >= 0) {
                            moments[of].records.put(Keys.meta('E', successor), GONE);
                        }
                    }
                }
            }
        }
        return moments;
    }

    /** The ids of all queues that the window says something of. */
    static Set<Long> queues(Iterable<JournalEntry> window, QueueRecords links) {
        Set<Long> queues = new HashSet<>();
        for (JournalEntry entry : window) {
            for (OpList list : entry.lists) {
                for (int i = 0; i < list.size(); i++) {
                    queues.add(queueOf(list.subject(i)));
                    if (list.subject(i) instanceof Subject.OfQueue gone) {
                        queues.add(links.successor(gone.queueId()));
                    }
                }
            }
        }
        queues.remove(0L);
        return queues;
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

    /** The queue that it changes; 0 for none. */
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
            case Inbound inbound -> inbound.queueId;
            case Subject.SessionPut put -> put.session().queueId();
            case Subject.SubscriptionPut put -> put.queueId();
            case Subject.SubscriptionGone gone -> gone.queueId();
            case Subject.GroupPut put -> put.queueId();
            case Subject.PrecededBy put -> put.queueId();
            default -> 0;
        };
    }

    private void take(Op op, Object subject, int packetId) throws DiskFailure {
        if (Thinning.isVoid(subject)) {
            return; // Its removal has arrived, and may have been let go of before its append.
        }
        switch (op) {
            case APPEND -> {
                HybridId id = id((QueuedMessage) subject);
                changes.put(id, new Change((QueuedMessage) subject, changes.get(id), packetId));
            }
            case REMEMBERED -> {
                Remembered each = (Remembered) subject;
                HybridId id = new HybridId(each.clock, each.server);
                ingress.computeIfAbsent(id, any -> new IngressChange(false)).now = each;
            }
            case FORGOTTEN -> {
                Remembered each = (Remembered) subject;
                HybridId id = new HybridId(each.clock, each.server);
                ingress.computeIfAbsent(id, any -> new IngressChange(!isGone)).now = null;
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
                isBefore = false;
                HybridId stamp = ((Subject.OfQueue) subject).stamp();
                ended = ended.compareTo(stamp) < 0 ? stamp : ended;
                changes.clear();
                ingress.clear();
                records.clear();
            }
            default -> record(op, subject);
        }
    }

    private void record(Op op, Object subject) {
        switch (op) {
            case SESSION ->
                    records.put(Keys.meta('S', queueId), MetaRecords.value((Subject) subject));
            case GROUP ->
                    records.put(Keys.meta('G', queueId), MetaRecords.value((Subject) subject));
            case PRECEDED_BY -> {
                Subject.PrecededBy put = (Subject.PrecededBy) subject;
                byte[] value = put.predecessorId() == 0 ? GONE : MetaRecords.value(put);
                records.put(Keys.meta('E', queueId), value);
            }
            case SUBSCRIPTION -> {
                Subject.SubscriptionPut put = (Subject.SubscriptionPut) subject;
                records.put(
                        Keys.subscription(queueId, put.filter().bytes()), MetaRecords.value(put));
            }
            case SUBSCRIPTION_GONE -> {
                Subject.SubscriptionGone gone = (Subject.SubscriptionGone) subject;
                records.put(Keys.subscription(queueId, gone.filter().bytes()), GONE);
            }
            case INBOUND, INBOUND_TAKEN, INBOUND_GONE -> {
                Inbound inbound = (Inbound) subject;
                IngressId id = new IngressId(inbound.ingressServer, inbound.ingressCounter);
                byte[] value =
                        op == Op.INBOUND_GONE ? GONE : Inbounds.value(id, op == Op.INBOUND_TAKEN);
                if (op != Op.INBOUND_TAKEN || !Inbounds.isGone(inbound)) {
                    records.put(Keys.inbound(queueId, inbound.packetId), value);
                }
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
        if (known == null
                && !isGone
                && entry.note instanceof RowNote note
                && note.place != RowNote.NONE) {
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
            if (each.before) {
                digest.remove(id.clock(), id.server(), Digest.REMEMBERED, 0);
            }
            if (each.now != null) {
                digest.add(id.clock(), id.server(), Digest.REMEMBERED, 0);
            }
        });
    }
}
