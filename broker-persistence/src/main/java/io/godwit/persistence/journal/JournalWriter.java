package io.godwit.persistence.journal;

import io.godwit.core.message.Message;
import io.godwit.core.message.QueueHandle;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.Op;
import io.godwit.core.operation.Part;
import io.godwit.core.operation.PartEncoder;
import io.godwit.core.operation.Subject;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.PartListener;
import io.godwit.core.store.StoreMetric;
import io.godwit.core.time.TimeSource;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Journal;
import io.godwit.persistence.health.StoreCounts;
import io.godwit.persistence.settings.StoreRule;
import io.godwit.persistence.settings.StoreRules;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes records of the journal from lists: takes out what cancelled, encodes the rest into the
 * parts of their copy sets, keeps the ceiling of the hybrid clock above what is written. Only the
 * commit thread calls.
 */
final class JournalWriter {
    private static final int ENTRY_BYTES = 128 << 10;

    /** More than the headers of a record's parts take, of which most have one or two. */
    private static final int PART_HEADERS = 1 << 10;

    /** The clock's ceiling is raised in blocks of a second, when half of one is left. */
    private static final long CLOCK_BLOCK = 1_000L << 16;

    private static final Object CANCELLED = new Object();

    private final Journal journal;
    private final StoreRules rules;
    private final TimeSource time;
    private final StoreCounts counts;
    private final int recordOps;
    private final int serverId;
    private final QueueHandles handles;
    private final ByteWriter record = new ByteWriter(1 << 16);

    /** Encoders of parts by copy set. */
    private final List<PartEncoder> own = new ArrayList<>();

    private final PartEncoder local;

    /** Parts of other nodes' streams for the record under way. */
    private final List<Subject.ForeignPart> foreign = new ArrayList<>();

    private int foreignBytes;

    /** A part that goes to the other copies. */
    private record Written(long number, int copySet, byte[] body) {}

    /**
     * Parts written since the start: the number is a part's place in the streams to other nodes.
     */
    private long parts;

    private final List<Written> written = new ArrayList<>();
    private volatile @Nullable PartListener listener;

    private final List<QueueHandle> grown = new ArrayList<>();
    private long nextPosition;
    private long clockCeiling;
    private long maxClock;
    private int appends;
    private long told;
    private long cancelled;
    private long removedSoon;

    /** Bounds what counts as appended shortly before the commit: message ids above this. */
    private long soonAbove;

    private boolean raisesCeiling;

    JournalWriter(
            Journal journal,
            StoreRules rules,
            TimeSource time,
            StoreCounts counts,
            int recordOps,
            JournalStart start,
            QueueHandles handles) {
        this.journal = journal;
        this.rules = rules;
        this.time = time;
        this.counts = counts;
        this.recordOps = recordOps;
        this.serverId = start.serverId();
        this.handles = handles;
        this.nextPosition = start.position();
        this.clockCeiling = start.clockCeiling();
        local = new PartEncoder(serverId, handles::get);
    }

    /**
     * Writes what these lists hold, in order, as one commit.
     *
     * @param entries takes what was written, for the window
     */
    void write(List<OpList> lists, List<JournalEntry> entries) throws DiskFailure {
        long nowMs = time.monotonicMs();
        JournalEntry entry = new JournalEntry(nextPosition, nowMs);
        raisesCeiling = false;
        told = 0;
        cancelled = 0;
        removedSoon = 0;
        soonAbove = time.sureMs() - CommitPace.SOON_MS << 16;
        written.clear();
        begin();
        int flags = Journal.FIRST;
        boolean isOpen = false;
        for (OpList list : lists) {
            if (entry.ops >= recordOps || length() >= ENTRY_BYTES && !isHere(list)) {
                close(entry, entries, flags);
                flags = 0;
                isOpen = true;
                entry = new JournalEntry(nextPosition, nowMs);
            }
            encode(list, entry);
        }
        if (entry.ops > 0 || isOpen) {
            // Even one with nothing in it: only the last record makes the commit count.
            close(entry, entries, flags | Journal.LAST);
        }
    }

    /**
     * Whether the record has all that the list brings: a large message that many queues get comes
     * with one list for each turn of a shard, and another record would have it once more.
     */
    private boolean isHere(OpList list) {
        Message message = list.onlyMessage();
        if (message == null) {
            return false;
        }
        for (PartEncoder part : own) {
            if (part.has(message)) {
                return true;
            }
        }
        return false;
    }

    void ship(PartListener to) {
        listener = to;
    }

    /** Tells of the parts of the last commit, all of which is written. */
    void tellWritten() {
        PartListener to = listener;
        for (int i = 0; to != null && i < written.size(); i++) {
            Written part = written.get(i);
            to.onPart(part.number, part.copySet, part.body);
        }
        if (to != null && !written.isEmpty()) {
            to.onCommit(position());
        }
        written.clear();
    }

    /** Operations that the shards told of in the last commit. */
    long told() {
        return told;
    }

    /** How many of those were not written, since they cancelled. */
    long cancelled() {
        return cancelled;
    }

    /** Counts the removals among them of what was appended shortly before, and was written. */
    long removedSoon() {
        return removedSoon;
    }

    /** Whether the last commit raised what later starts must stay above. */
    boolean raisesCeiling() {
        return raisesCeiling;
    }

    /** Position of the last record that was written. */
    long position() {
        return nextPosition - 1;
    }

    /** What queues have grown by since this was asked last, but for those that have ended. */
    List<Grown> takeGrown() {
        List<Grown> taken = new ArrayList<>(grown.size());
        for (QueueHandle each : grown) {
            if (each.isCoverageDue) {
                each.isCoverageDue = false;
                taken.add(
                        new Grown(
                                each.queueId,
                                each.writtenServer,
                                each.coveredFrom,
                                each.writtenClock));
            }
        }
        grown.clear();
        return taken;
    }

    private void begin() {
        local.begin();
        own.forEach(PartEncoder::begin);
        foreign.clear();
        foreignBytes = 0;
    }

    private int length() {
        int sum = local.length() + foreignBytes;
        for (PartEncoder each : own) {
            sum += each.length();
        }
        return sum;
    }

    private PartEncoder own(int copySet) {
        while (own.size() <= copySet) {
            PartEncoder encoder = new PartEncoder(serverId, handles::get);
            encoder.begin();
            own.add(encoder);
        }
        return own.get(copySet);
    }

    private void encode(OpList list, JournalEntry entry) {
        int left = 0;
        for (int i = 0; i < list.size(); i++) {
            Op op = list.op(i);
            Object subject = list.subject(i);
            if (isWritten(op, subject)) {
                if (subject instanceof Subject.ForeignPart part) {
                    foreign.add(part);
                    foreignBytes += part.body().length;
                    entry.isForeign = true;
                } else {
                    encode(op, subject, list.packetId(i));
                    if (op == Op.SESSION_GONE || op == Op.GROUP_GONE) {
                        queueOf(subject).isCoverageDue = false;
                    }
                }
                if (subject instanceof Subject.Yielded yielded) {
                    endInterval(yielded);
                }
                entry.changesLeader |= op == Op.ADOPTED || op == Op.YIELDED;
                list.keep(i, left++);
            }
        }
        counts.add(StoreMetric.APPENDS, appends);
        appends = 0;
        told += list.told;
        cancelled += list.told - left;
        counts.add(StoreMetric.OPERATIONS, list.told);
        counts.add(StoreMetric.CANCELLED, list.told - left);
        list.cut(left);
        if (left > 0) {
            entry.lists.add(list);
            entry.ops += left;
        }
    }

    private void encode(Op op, Object subject, int packetId) {
        PartEncoder part = partOf(op, subject);
        if (op == Op.APPEND && packetId != 0 && listener != null) {
            // What goes to other nodes they all know, also the oldest that a cluster may have.
            part.encode(op, subject, 0);
            part.encode(Op.IN_FLIGHT, subject, packetId);
        } else {
            part.encode(op, subject, packetId);
        }
    }

    private PartEncoder partOf(Op op, Object subject) {
        if (!op.isOfQueue()) {
            raisesCeiling |= op == Op.QUEUE_IDS;
            return local;
        }
        return own(queueOf(subject).copySet);
    }

    private QueueHandle queueOf(Object subject) {
        return switch (subject) {
            case QueuedMessage entry -> {
                QueueHandle queue = entry.queue;
                yield queue != null ? queue : handles.get(entry.queueId);
            }
            case Inbound inbound -> handles.get(inbound.queueId);
            case Remembered ingress -> handles.get(ingress.queueId);
            case Subject.RowGone row -> handles.get(row.queueId());
            case Subject.InFlightTo put -> queueOf(put.entry());
            case Subject.Got got -> handles.get(got.queueId);
            case Subject.GotGone gone -> handles.get(gone.queueId());
            case Subject.SessionPut put -> {
                maxClock = Math.max(maxClock, put.session().stamp().clock());
                yield handles.get(put.session().queueId());
            }
            case Subject.PrecededBy put -> handles.get(put.queueId());
            case Subject.OfQueue gone -> handles.get(gone.queueId());
            case Subject.Adopted adopted -> handles.get(adopted.queueId());
            case Subject.Yielded yielded -> handles.get(yielded.queueId);
            case Subject.SubscriptionPut put -> handles.get(put.queueId());
            case Subject.SubscriptionGone gone -> handles.get(gone.queueId());
            case Subject.GroupPut put -> handles.get(put.queueId());
            default -> throw new IllegalArgumentException("of no queue: " + subject);
        };
    }

    /**
     * Whether the operation did not cancel; an append that goes into the journal becomes JOURNALED.
     */
    private boolean isWritten(Op op, Object subject) {
        if (!(subject instanceof QueuedMessage entry)) {
            return true;
        }
        if (op == Op.APPEND) {
            // Read first: most are gone by now, and a write would take them from their shard's
            // core.
            if (entry.stored() == QueuedMessage.OPEN
                    && entry.stored(QueuedMessage.OPEN, QueuedMessage.JOURNALED)) {
                appends++;
                cover(entry);
                return true;
            }
            if (entry.qos != 1) {
                entry.note = CANCELLED;
            }
            return false;
        }
        if (op == Op.IN_FLIGHT) {
            // The mark of one that was acknowledged meanwhile is written, too: its removal may be
            // lost in a crash that keeps the marks of later ones, and it would go behind them.
            return entry.qos == 1
                    ? entry.stored() != QueuedMessage.CANCELLED
                    : entry.note != CANCELLED;
        }
        if (op == Op.REMOVE && entry.messageId > soonAbove) {
            removedSoon++;
        }
        return op != Op.RELEASED || entry.note != CANCELLED;
    }

    /** The first append of a start begins the queue's interval anew, right below itself. */
    private void cover(QueuedMessage entry) {
        maxClock = Math.max(maxClock, entry.messageId);
        QueueHandle queue = entry.queue;
        if (queue == null) {
            throw new IllegalStateException("an entry without its queue");
        }
        if (queue.writtenClock == 0) {
            queue.writtenClock = entry.messageId - 1;
            queue.writtenServer = serverId;
            queue.coveredFrom = entry.messageId - 1;
        } else if (entry.messageId <= queue.coveredFrom) {
            // A group's that was in memory when later ones were kept. What is between is of this
            // start, too: no other copy has more of it than this one.
            queue.coveredFrom = entry.messageId - 1;
        }
        if (!queue.isCoverageDue) {
            queue.isCoverageDue = true;
            grown.add(queue);
        }
    }

    /** Others append from now on: if this node does so again, that begins another interval. */
    private void endInterval(Subject.Yielded yielded) {
        QueueHandle queue = queueOf(yielded);
        if (queue.writtenClock != 0) {
            yielded.appendedServer = queue.writtenServer;
            yielded.appendedFrom = queue.coveredFrom;
            yielded.appendedTo = queue.writtenClock;
        }
        queue.writtenClock = 0;
        queue.isCoverageDue = false;
    }

    private void close(JournalEntry entry, List<JournalEntry> entries, int flags)
            throws DiskFailure {
        raiseClock(entry);
        record.clear();
        record.room(length() + PART_HEADERS);
        long newBytes = 0;
        entry.recordBytes = local.recordBytes();
        for (int set = 0; set < own.size(); set++) {
            PartEncoder body = own.get(set);
            newBytes += body.newBytes();
            entry.recordBytes += body.recordBytes();
            if (!body.isEmpty()) {
                int at = Part.writeOwn(record, set, List.of(), body);
                if (listener != null && listener.wants(set)) {
                    byte[] bytes = Arrays.copyOfRange(record.array(), at, record.length());
                    written.add(new Written(++parts, set, bytes));
                }
            }
        }
        for (Subject.ForeignPart part : foreign) {
            Part.writeForeign(record, part);
            newBytes += part.body().length;
        }
        if (!local.isEmpty()) {
            Part.writeLocal(record, local);
        }
        begin(); // A long message is in the record by now, and need not be in memory once more.
        int marks = rules.holds(StoreRule.WHOLE_COMMITS) ? flags : Journal.WHOLE;
        journal.append(entry.position, marks, record.array(), record.length());
        counts.add(StoreMetric.JOURNAL_BYTES, Journal.RECORD_HEADER + record.length());
        record.clear(); // At once, since a long one is given up.
        entry.bytes = newBytes + entry.recordBytes + 64L * entry.ops;
        entries.add(entry);
        nextPosition++;
    }

    /**
     * Raises the ceiling in the same record as what needs it: no id is durable above a durable
     * ceiling.
     */
    private void raiseClock(JournalEntry entry) {
        long clock = Math.max(maxClock, time.sureMs() << 16);
        if (clock > clockCeiling - CLOCK_BLOCK / 2) {
            clockCeiling = clock + CLOCK_BLOCK;
            raisesCeiling = true;
            OpList list = new OpList(null, 0, 1);
            list.add(Op.CLOCK, clockCeiling, 0, 0);
            local.encode(Op.CLOCK, clockCeiling, 0);
            entry.lists.add(list);
            entry.ops++;
        }
    }
}
