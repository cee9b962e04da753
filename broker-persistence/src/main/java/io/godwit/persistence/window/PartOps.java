package io.godwit.persistence.window;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.Op;
import io.godwit.core.operation.Part;
import io.godwit.core.operation.PartDecoder;
import io.godwit.core.operation.Subject;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.Receiver;
import io.godwit.core.store.StoreMetric;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.health.StoreCounts;
import io.godwit.persistence.journal.JournalEntry;
import io.godwit.persistence.journal.OpList;
import io.godwit.persistence.queue.Arrivals;
import io.godwit.persistence.queue.DeferredRows;
import io.godwit.persistence.queue.Inbounds;
import io.godwit.persistence.queue.IngressRows;
import io.godwit.persistence.queue.KeptEntry;
import io.godwit.persistence.queue.Materialiser;
import io.godwit.persistence.queue.QueueLeaders;
import io.godwit.persistence.queue.QueueRecords;
import io.godwit.persistence.queue.RemovedRows;
import io.godwit.persistence.queue.RowId;
import io.godwit.persistence.queue.RowLookup;
import io.godwit.persistence.queue.Thinning;
import io.godwit.persistence.reading.QueueMoment;
import io.godwit.persistence.settings.StoreRule;
import io.godwit.persistence.settings.StoreRules;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Operations of a part as they were, or would be, while they wait in memory: an entry is the same
 * object from its append to its removal. Of the journal at a start, and of what another node has
 * sent. Only the row worker calls.
 *
 * <p>Of another node's part four things do not count: what its stream has brought before, a queue
 * that a later epoch is known of, what that node has reserved of its own ids, and what comes behind
 * the end of a session.
 */
public final class PartOps implements CopyRanges.Reader {
    private record InboundId(long queueId, int packetId) {}

    /** An entry, and the place of the last operation that waits for it. */
    private static final class Held {
        final QueuedMessage entry;
        long position;

        Held(QueuedMessage entry, long position) {
            this.entry = entry;
            this.position = position;
        }
    }

    private final DiskView disk;
    private final Materialiser materialiser;
    private final IngressRows ingressRows;
    private final StoreCounts counts;
    private final RowLookup rows;
    private final Map<RowId, Held> entries = new HashMap<>();
    private final Map<InboundId, Inbound> inboundOnes = new HashMap<>();
    private final Map<RowId, Remembered> remembered = new HashMap<>();

    /**
     * Holds entries that a former leader has removed, which its successor may not know: until that
     * has left memory their rows are there.
     */
    private final Set<RowId> removed = new HashSet<>();

    /** Position of the journal up to which these were removed. */
    private long removedUpTo;

    private final Map<Integer, Subject.StreamAt> streams = new HashMap<>();
    private final CopyRanges ranges;
    private final boolean rangesReplace;
    private final UnknownEntries unknown;
    private final CopiedQueues copies;

    /** Moments of the queues of the part under way; empty until one is asked for. */
    private final Map<Long, QueueMoment> moments = new HashMap<>();

    private @Nullable PartDecoder ofPart;
    private Iterable<JournalEntry> window = List.of();
    private OpList open = list();
    private long position;

    public PartOps(
            DiskView disk,
            Materialiser materialiser,
            IngressRows ingressRows,
            QueueRecords records,
            QueueLeaders queueLeaders,
            StoreCounts counts,
            DeferredRows deferred,
            StoreRules rules) {
        this.disk = disk;
        this.materialiser = materialiser;
        this.ingressRows = ingressRows;
        this.counts = counts;
        copies = new CopiedQueues(disk, queueLeaders, counts);
        rows = materialiser.rows();
        rangesReplace = rules.holds(StoreRule.COPY_RANGE_REPLACES);
        ranges = new CopyRanges(disk, rows, ingressRows, deferred, records, materialiser.purge());
        unknown =
                new UnknownEntries(
                        ranges, materialiser.aside(), rules.holds(StoreRule.UNKNOWN_SET_ASIDE));
    }

    /** Connects it to what is known of the window. */
    public void attach(Arrivals ofWindow) {
        copies.attach(ofWindow);
    }

    private static OpList list() {
        return new OpList(null, 0, 16);
    }

    /**
     * @param at position of the journal where it stands
     * @param before what waits in memory, up to this part
     * @throws IndexOutOfBoundsException when it can't be understood
     */
    public OpList take(Part part, long at, Iterable<JournalEntry> before) throws DiskFailure {
        open = list();
        position = at;
        window = before;
        moments.clear();
        boolean isForeign = part.kind() == Part.Kind.FOREIGN;
        PartDecoder in = part.decode();
        if (isForeign && !isNext(part)) {
            return open;
        }
        if (isForeign) {
            copies.begin(in, at);
            if (!copies.ofOtherLeader().isEmpty()) {
                findRemoved(copies.ofOtherLeader());
            }
            ofPart = in;
        }
        while (in.next()) {
            if (!isForeign || !in.op.isOfQueue() || copies.take(in)) {
                take(in, isForeign);
            }
        }
        if (isForeign) {
            Subject.StreamAt now =
                    new Subject.StreamAt(part.server(), part.start(), part.position());
            streams.put(part.server(), now);
            open.add(Op.STREAM, now, 0, 0);
        }
        return open;
    }

    /** Finds the removals of these queues' entries that wait in memory. */
    private void findRemoved(Set<Long> queueIds) throws DiskFailure {
        for (JournalEntry entry : window) {
            for (OpList list : entry.lists) {
                for (int i = 0; i < list.size(); i++) {
                    if (list.op(i) == Op.REMOVE) {
                        removed(queueIds, list.subject(i), entry.position);
                    }
                }
            }
        }
    }

    private void removed(Set<Long> queueIds, Object subject, long at) throws DiskFailure {
        switch (subject) {
            case Subject.RowGone gone when queueIds.contains(gone.queueId()) ->
                    removed(new RowId(gone.queueId(), gone.clock(), gone.server()), at);
            case QueuedMessage entry when queueIds.contains(entry.queueId) ->
                    removed(RowId.of(entry), at);
            case RemovedRows all when queueIds.contains(all.queueId) ->
                    all.forEach(row -> removed(RowId.of(row), at));
            default -> {}
        }
    }

    private void removed(RowId id, long at) {
        removed.add(id);
        removedUpTo = Math.max(removedUpTo, at);
        entries.remove(id);
    }

    private boolean isNext(Part part) throws DiskFailure {
        Subject.StreamAt known = streams.get(part.server());
        if (known == null) {
            known = stream(disk, part.server());
        }
        boolean isNext =
                known == null
                        || part.start() > known.start()
                        || part.start() == known.start() && part.position() > known.position();
        if (!isNext) {
            counts.add(StoreMetric.PARTS_REFUSED, 1);
        }
        return isNext;
    }

    private void take(PartDecoder in, boolean isForeign) throws DiskFailure {
        switch (in.op) {
            case APPEND -> append(in);
            case IN_FLIGHT, IN_FLIGHT_TO, RELEASED, REMOVE, ROW_GONE -> entry(in);
            case INBOUND, INBOUND_TAKEN, INBOUND_GONE -> inbound(in, isForeign);
            case REMEMBERED -> remember((Remembered) in.subject, isForeign);
            case FORGOTTEN -> {
                RowId id = new RowId(in.queueId, in.clock, in.server);
                Remembered known = remembered.remove(id);
                if (known == null) {
                    known = stored(id);
                }
                if (known != null) {
                    forgotten(known);
                }
            }
            case SESSION_GONE, GROUP_GONE -> gone(in.op, (Subject.OfQueue) in.subject);
            case COPY_RANGE -> copyRange((Subject.CopyRange) in.subject);
            case ADOPTED, YIELDED -> {
                if (!isForeign) {
                    open.add(in.op, in.subject, 0, 0);
                }
            }
            case CLOCK, QUEUE_IDS, STREAM -> {
                // What another node has reserved never moves what this one has.
                if (!isForeign) {
                    open.add(in.op, in.subject, 0, 0);
                }
            }
            case SESSION,
                    SUBSCRIPTION,
                    SUBSCRIPTION_GONE,
                    GROUP,
                    GOT,
                    GOT_GONE,
                    PRECEDED_BY,
                    RETAINED,
                    RETAINED_GONE ->
                    open.add(in.op, in.subject, 0, 0);
        }
    }

    private void gone(Op op, Subject.OfQueue gone) {
        // What the window would have let go of.
        inboundOnes.keySet().removeIf(id -> id.queueId == gone.queueId());
        open.add(op, gone, 0, 0);
    }

    /** Removes what the copy has in the range; what fills it follows. */
    private void copyRange(Subject.CopyRange range) throws DiskFailure {
        if (range.isGone()) {
            if (unknown.setAside(range, moment(range.queueId()))) {
                Subject.OfQueue end = new Subject.OfQueue(range.queueId(), HybridId.NONE);
                copies.gone(end);
                gone(Op.SESSION_GONE, end);
            }
            return;
        }
        if (rangesReplace) {
            QueueMoment moment = moment(range.queueId());
            unknown.begin(range, moment);
            ranges.read(range, moment, this);
            unknown.end();
        }
        materialiser.coverageReplaced(range);
    }

    private QueueMoment moment(long queueId) throws DiskFailure {
        QueueMoment known = moments.remove(queueId);
        if (known != null) {
            return known;
        }
        for (QueueMoment each : ranges.moments(queuesOfPart(), window)) {
            moments.put(each.queueId, each);
        }
        return Objects.requireNonNull(moments.remove(queueId));
    }

    /** The queues of the part under way, in signed order. */
    private long[] queuesOfPart() {
        PartDecoder in = Objects.requireNonNull(ofPart);
        long[] queueIds = new long[in.queues()];
        for (int i = 0; i < queueIds.length; i++) {
            queueIds[i] = in.queueId(i);
        }
        Arrays.sort(queueIds);
        return queueIds;
    }

    @Override
    public void entry(QueuedMessage entry) throws DiskFailure {
        unknown.look(entry);
        released(entry);
    }

    @Override
    public void released(QueuedMessage entry) throws DiskFailure {
        entries.remove(RowId.of(entry));
        boolean unused = takeOut(entry);
    }

    /**
     * Removes an entry; one that a new stream has brought again may have a row besides.
     *
     * @return whether it is a row itself
     */
    private boolean takeOut(QueuedMessage entry) throws DiskFailure {
        if (entry.takeBack() == QueuedMessage.ROW) {
            open.add(Op.REMOVE, entry, 0, 0);
            return true;
        }
        Thinning.removed(entry);
        // Ids rise, so nothing is read of what came once.
        boolean mayHaveRow = !copies.isEnding(entry.queueId);
        if (mayHaveRow && rows.findOrUnread(entry.queueId, entry.messageId, entry.server) != null) {
            open.add(
                    Op.REMOVE,
                    new Subject.RowGone(entry.queueId, entry.messageId, entry.server),
                    0,
                    0);
        }
        return false;
    }

    @Override
    public void got(long queueId, HybridId id) {
        open.add(Op.GOT_GONE, new Subject.GotGone(queueId, id.clock(), id.server()), 0, 0);
    }

    /** Adds an id; one of a copy once, since a new stream may bring it again. */
    private void remember(Remembered each, boolean isForeign) throws DiskFailure {
        RowId id = id(each);
        // The end of a copy that is in the window takes the earlier ids with it.
        boolean mayStand = isForeign && !copies.isEnding(each.queueId);
        if (!mayStand || !remembered.containsKey(id) && stored(id) == null) {
            remembered.put(id, each);
            open.add(Op.REMEMBERED, each, 0, 0);
        }
    }

    private @Nullable Remembered stored(RowId id) throws DiskFailure {
        return ingressRows.find(disk, id.queueId(), id.clock(), id.server());
    }

    private static RowId id(Remembered each) {
        return new RowId(each.queueId, each.clock, each.server);
    }

    @Override
    public void remembered(Remembered each) throws DiskFailure {
        remembered.remove(id(each));
        forgotten(each);
    }

    /** Ends an id, and a row of it that came when this node led the queue. */
    private void forgotten(Remembered each) throws DiskFailure {
        ingressRows.ends(each);
        open.add(Op.FORGOTTEN, each, 0, 0);
        Remembered row = each.kept == Remembered.NEW ? stored(id(each)) : null;
        if (row != null) {
            ingressRows.ends(row);
            open.add(Op.FORGOTTEN, row, 0, 0);
        }
    }

    @Override
    public void record(Subject put) {
        switch (put) {
            case Subject.SubscriptionPut each -> {
                Subject gone =
                        new Subject.SubscriptionGone(each.queueId(), each.filter(), HybridId.NONE);
                open.add(Op.SUBSCRIPTION_GONE, gone, 0, 0);
            }
            case Subject.PrecededBy each ->
                    open.add(Op.PRECEDED_BY, new Subject.PrecededBy(each.queueId(), 0), 0, 0);
            default -> {} // Another record takes its place.
        }
    }

    @Override
    public void inbound(Inbound inbound) {
        inboundOnes.remove(new InboundId(inbound.queueId, inbound.packetId));
        open.add(Op.INBOUND_GONE, inbound, 0, 0);
    }

    private void append(PartDecoder in) {
        KeptEntry entry =
                KeptEntry.journaled(
                        in.queueId, in.clock, in.server, in.message, in.qos, in.retain, in.ids);
        entry.packetId = in.packetId;
        entry.ingress(in.ingressServer, in.ingressCounter);
        RowId id = new RowId(in.queueId, in.clock, in.server);
        removed.remove(id); // Its new leader brings it again.
        Held before = entries.put(id, new Held(entry, position));
        if (before != null && before.entry.stored(QueuedMessage.JOURNALED, QueuedMessage.GONE)) {
            Thinning.removed(before.entry); // A new stream brings it again.
        }
        materialiser.covered(in.queueId, in.previousClock, in.previousServer, in.clock, in.server);
        open.add(Op.APPEND, entry, in.message == null ? 0 : in.packetId, 0);
    }

    private void entry(PartDecoder in) throws DiskFailure {
        RowId id = new RowId(in.queueId, in.clock, in.server);
        Held held = entries.get(id);
        if (held == null && isRowGone(id)) {
            return;
        }
        boolean changes = in.op != Op.REMOVE && in.op != Op.ROW_GONE;
        if (held == null && changes) {
            QueuedMessage row = rows.findOrUnread(in.queueId, in.clock, in.server);
            if (row == null) {
                return; // It had no row: it was removed before the rows stood for its append.
            }
            held = new Held(row, position);
            entries.put(id, held);
        }
        if (held == null) {
            // Its row, if it has one, is looked for once, when it goes.
            open.add(Op.REMOVE, new Subject.RowGone(in.queueId, in.clock, in.server), 0, 0);
            return;
        }
        held.position = position;
        QueuedMessage entry = held.entry;
        if (changes) {
            entry.packetId = in.packetId;
            Object subject =
                    in.op == Op.IN_FLIGHT_TO
                            ? new Subject.InFlightTo(entry, (Receiver) in.subject)
                            : entry;
            open.add(in.op, subject, in.packetId, 0);
        } else if (!takeOut(entry)) {
            entries.remove(id);
        }
    }

    /** Whether the row of an entry is deleted by what waits in memory, if it is on the disk. */
    private boolean isRowGone(RowId id) {
        return removed.contains(id) || areRowsGone(id.queueId());
    }

    /** Whether the rows of a queue on the disk are of before an end: they are being deleted. */
    private boolean areRowsGone(long queueId) {
        return copies.isEnding(queueId) || materialiser.purge().isKnown(queueId);
    }

    private void inbound(PartDecoder in, boolean isForeign) throws DiskFailure {
        InboundId id = new InboundId(in.queueId, in.packetId);
        if (in.op == Op.INBOUND) {
            // A copy may have missed the end of an older one: a new leader does not know what the
            // former one has not confirmed. It would stay if the new one ends in the window.
            Inbound older = isForeign ? inboundOnes.get(id) : null;
            if (isForeign && older == null) {
                older = stored(in.queueId, in.packetId);
            }
            if (older != null) {
                open.add(Op.INBOUND_GONE, older, 0, 0);
            }
            Inbound inbound =
                    new Inbound(in.queueId, in.packetId, in.ingressServer, in.ingressCounter);
            inboundOnes.put(id, inbound);
            open.add(in.op, inbound, 0, 0);
            return;
        }
        Inbound inbound = inboundOnes.get(id);
        if (inbound == null) {
            inbound = stored(in.queueId, in.packetId);
        }
        if (inbound != null
                && inbound.ingressCounter == in.ingressCounter
                && inbound.ingressServer == in.ingressServer) {
            inbound.taken |= in.op == Op.INBOUND_TAKEN;
            open.add(in.op, inbound, 0, 0);
        }
    }

    private @Nullable Inbound stored(long queueId, int packetId) throws DiskFailure {
        byte[] key = Keys.inbound(queueId, packetId);
        byte[] value = disk.get(Family.META, key);
        return value == null ? null : Inbounds.read(key, value);
    }

    /** Everything that was taken is on the disk. */
    public void clear() {
        entries.clear();
        removed.clear();
        inboundOnes.clear();
        remembered.clear();
        copies.clear();
    }

    /**
     * What another node has sent, as it came into the window: its operations take its place.
     *
     * @throws IndexOutOfBoundsException when a part can't be understood
     */
    void expand(JournalEntry entry, Iterable<JournalEntry> waiting) throws DiskFailure {
        Iterable<JournalEntry> before = () -> behind(waiting.iterator(), entry);
        OpList[] lists = entry.lists.toArray(OpList[]::new);
        entry.lists.clear();
        entry.ops = 0;
        for (OpList list : lists) {
            OpList own = null;
            for (int i = 0; i < list.size(); i++) {
                if (list.subject(i) instanceof Subject.ForeignPart foreign) {
                    own = null;
                    OpList ops = take(part(foreign), entry.position, before);
                    entry.lists.add(ops);
                    entry.ops += ops.size();
                } else {
                    if (own == null) {
                        own = new OpList(list.outcome, list.shard, list.size());
                        entry.lists.add(own);
                    }
                    own.add(list.op(i), list.subject(i), list.packetId(i), 0);
                    entry.ops++;
                }
            }
        }
    }

    private static Iterator<JournalEntry> behind(
            Iterator<JournalEntry> waiting, JournalEntry last) {
        return new Iterator<>() {
            private boolean isThere = true;

            @Override
            public boolean hasNext() {
                return isThere;
            }

            @Override
            public JournalEntry next() {
                if (waiting.hasNext()) {
                    return waiting.next();
                }
                if (!isThere) {
                    throw new NoSuchElementException();
                }
                isThere = false;
                return last;
            }
        };
    }

    private static Part part(Subject.ForeignPart part) {
        return Part.foreign(part.server(), part.start(), part.position(), part.body());
    }

    /** An entry has left the window: later operations find rows. */
    void left(JournalEntry entry) {
        if (entry.position >= removedUpTo) {
            removed.clear();
        }
        for (OpList list : entry.lists) {
            for (int i = 0; list.outcome == null && i < list.size(); i++) {
                switch (list.subject(i)) {
                    case QueuedMessage queued -> left(queued, entry.position);
                    case Subject.InFlightTo put -> left(put.entry(), entry.position);
                    case Subject.OfQueue gone -> copies.goneLeft(gone.queueId());
                    case Subject.SessionPut put ->
                            copies.recordLeft(put.session().queueId(), entry.position);
                    case Remembered ingress -> remembered.remove(id(ingress), ingress);
                    case Inbound inbound ->
                            inboundOnes.remove(
                                    new InboundId(inbound.queueId, inbound.packetId), inbound);
                    default -> {}
                }
            }
        }
    }

    private void left(QueuedMessage queued, long at) {
        RowId id = RowId.of(queued);
        Held held = entries.get(id);
        if (held != null && held.position == at) {
            entries.remove(id);
        }
    }

    /**
     * The place up to which another node's stream stands here; null for a node that never sent any.
     */
    public static Subject.@Nullable StreamAt stream(DiskView disk, int server) throws DiskFailure {
        byte[] value = disk.get(Family.META, Keys.stream(server));
        return value == null ? null : stream(server, value);
    }

    /** Returns the places up to which the streams of all other nodes stand here. */
    public static List<Subject.StreamAt> streams(DiskView disk) throws DiskFailure {
        List<Subject.StreamAt> all = new ArrayList<>();
        try (Cursor cursor = disk.scan(Family.META, Keys.stream(0), new byte[] {'T' + 1})) {
            while (cursor.next()) {
                byte[] key = cursor.key();
                int server = (key[1] & 0xFF) << 16 | (key[2] & 0xFF) << 8 | key[3] & 0xFF;
                all.add(stream(server, cursor.value()));
            }
        }
        return all;
    }

    private static Subject.StreamAt stream(int server, byte[] value) {
        ByteReader in = new ByteReader(value);
        long start = in.varint();
        return new Subject.StreamAt(server, start, in.varint());
    }
}
