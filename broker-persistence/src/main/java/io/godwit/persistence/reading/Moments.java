package io.godwit.persistence.reading;

import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridId;
import io.godwit.core.message.Coverage;
import io.godwit.core.message.Digest;
import io.godwit.core.message.QueueHandle;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.store.FillAsk;
import io.godwit.core.store.QueueState;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Unreadable;
import io.godwit.persistence.health.StoreDamage;
import io.godwit.persistence.journal.JournalEntry;
import io.godwit.persistence.queue.Coverages;
import io.godwit.persistence.queue.DeferredRows;
import io.godwit.persistence.queue.Depth;
import io.godwit.persistence.queue.Depths;
import io.godwit.persistence.queue.IngressRows;
import io.godwit.persistence.queue.Purge;
import io.godwit.persistence.queue.QueueLeaders;
import io.godwit.persistence.queue.QueueRecords;
import io.godwit.persistence.queue.RowLookup;
import io.godwit.persistence.queue.RowNote;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What queues hold at one moment: rows, and what the journal's window says beyond them. Only when
 * somebody asks, since it walks over the window. On the row worker.
 */
public final class Moments {
    private final DiskView disk;
    private final Depths depths;
    private final Coverages coverages;
    private final QueueLeaders queueLeaders;
    private final QueueRecords links;
    private final Purge purge;
    private final RowLookup rows;
    private final IngressRows ingress;
    private final DeferredRows deferred;
    private final StoreDamage damage;
    private final int serverId;

    /**
     * @param serverId of this node
     */
    public Moments(
            int serverId,
            DiskView disk,
            Depths depths,
            Coverages coverages,
            QueueLeaders queueLeaders,
            QueueRecords links,
            Purge purge,
            RowLookup rows,
            IngressRows ingress,
            DeferredRows deferred,
            StoreDamage damage) {
        this.serverId = serverId;
        this.links = links;
        this.disk = disk;
        this.depths = depths;
        this.coverages = coverages;
        this.queueLeaders = queueLeaders;
        this.purge = purge;
        this.rows = rows;
        this.ingress = ingress;
        this.deferred = deferred;
        this.damage = damage;
    }

    /**
     * A queue that is asked about, with what only the commit worker could say at that moment.
     *
     * @param covered coverage that this start has added
     */
    public record Asked(QueueHandle queue, Coverage covered) {}

    /**
     * @param asked rising by queue id, each once
     * @param position of the moment
     * @param window what waits, up to the moment
     */
    public List<QueueState> states(List<Asked> asked, long position, Iterable<JournalEntry> window)
            throws DiskFailure {
        long[] queueIds = asked.stream().mapToLong(each -> each.queue().queueId).toArray();
        QueueMoment[] moments = QueueMoment.of(queueIds, window, rows, deferred, links);
        Digest[] records = recordDigests(moments);
        List<QueueState> states = new ArrayList<>(moments.length);
        for (int i = 0; i < moments.length; i++) {
            states.add(state(asked.get(i), moments[i], records[i], position));
        }
        return states;
    }

    private Digest[] recordDigests(QueueMoment[] moments) throws DiskFailure {
        // Rising as signed numbers; keys rise as unsigned ones.
        int negative = 0;
        while (negative < moments.length && moments[negative].queueId < 0) {
            negative++;
        }
        int count = moments.length;
        Digest[] digests = new Digest[count];
        long first = moments[negative % count].queueId;
        long last = moments[(negative + count - 1) % count].queueId;
        try (MomentRecords records = new MomentRecords(disk, first, last)) {
            for (int i = 0; i < count; i++) {
                int at = (negative + i) % count;
                digests[at] = records.digest(moments[at], hasRows(moments[at]));
            }
        }
        return digests;
    }

    private boolean hasRows(QueueMoment moment) {
        return !moment.isGone && !purge.isKnown(moment.queueId);
    }

    private QueueState state(Asked asked, QueueMoment moment, Digest records, long position)
            throws DiskFailure {
        Depth depth = rowsOf(moment);
        long idle = depth == null ? 0 : depth.idle;
        long bytes = depth == null ? 0 : depth.idleBytes;
        long inFlight = depth == null ? 0 : depth.inFlight;
        for (QueueMoment.Change each : moment.changes.values()) {
            idle -= each.before == RowNote.IDLE ? 1 : 0;
            idle += each.now == RowNote.IDLE ? 1 : 0;
            bytes -= each.before == RowNote.IDLE ? each.bytesBefore : 0;
            bytes += each.now == RowNote.IDLE ? bytes(each) : 0;
            inFlight -= RowNote.isInFlight(each.before) ? 1 : 0;
            inFlight += RowNote.isInFlight(each.now) ? 1 : 0;
        }
        IngressRows.OfQueue known = ingressOf(moment);
        long remembered = known == null ? 0 : known.count;
        for (QueueMoment.IngressChange each : moment.ingress.values()) {
            remembered += (each.now == null ? 0 : 1) - (each.before ? 1 : 0);
        }
        Coverage coverage = coverage(asked);
        return new QueueState(
                moment.queueId,
                asked.queue().copySet,
                position,
                last(coverage, depth, moment),
                coverage,
                idle,
                inFlight,
                remembered,
                bytes,
                contents(moment),
                records);
    }

    /** Returns the digest of a queue's entries and of what it remembers. */
    private Digest contents(QueueMoment moment) {
        Digest digest = new Digest();
        Depth depth = rowsOf(moment);
        if (depth != null) {
            digest.add(depth.digest);
        }
        IngressRows.OfQueue known = ingressOf(moment);
        if (known != null) {
            digest.add(known.digest);
        }
        moment.addTo(digest);
        return digest;
    }

    /**
     * A queue that is to be filled, with what only the commit worker could say at that moment.
     *
     * @param epoch number of the epoch under which this node leads it
     * @param grown coverage that this start has added
     */
    public record Led(long queueId, long epoch, Coverage grown) {}

    /**
     * Opens a piece of another node's copy; to be closed.
     *
     * @param led the queues of the ask
     * @throws Unreadable when it is not known yet how entries of a queue stand
     */
    public FillPiece fill(FillAsk ask, List<Led> led, Iterable<JournalEntry> window)
            throws DiskFailure {
        long[] queueIds = ask.queueIds().clone();
        Arrays.sort(queueIds);
        QueueMoment[] moments = QueueMoment.of(queueIds, window, rows, deferred, links);
        List<FillPiece.Queue> queues = new ArrayList<>(moments.length);
        for (Led each : led) {
            long queueId = each.queueId;
            boolean isOthers = queueLeaders.isCopy(queueId);
            if (isOthers && ask.endsOthers() == null) {
                throw new Unreadable(
                        "queue " + Long.toUnsignedString(queueId) + " is another node's",
                        new IllegalStateException("a copy"));
            }
            deferred.changes.assertNoneOf(queueId);
            Coverage grown = coverages.withLearned(queueId, each.grown);
            QueueMoment moment = moments[Arrays.binarySearch(queueIds, queueId)];
            boolean isBefore = moment.isBefore || !moment.isGone && links.successor(queueId) != 0;
            queues.add(
                    new FillPiece.Queue(
                            moment,
                            each.epoch,
                            isOthers,
                            hasRows(moment),
                            isBefore,
                            grown,
                            contents(moment)));
        }
        return new FillPiece(disk, serverId, ask, queues);
    }

    /**
     * Opens the digests of some copies; to be closed.
     *
     * @param queueIds rising by {@link Long#compareUnsigned}
     */
    public CopyDigests copies(long[] queueIds, Iterable<JournalEntry> window) throws DiskFailure {
        long[] sorted = queueIds.clone();
        Arrays.sort(sorted);
        QueueMoment[] moments = QueueMoment.of(sorted, window, rows, deferred, links);
        List<CopyDigests.Copy> copies = new ArrayList<>(moments.length);
        for (long queueId : queueIds) {
            QueueMoment moment = moments[Arrays.binarySearch(sorted, queueId)];
            boolean isKnown = !deferred.changes.isOf(queueId) && !damage.isOf(queueId);
            boolean hasRows = hasRows(moment);
            Coverage stored = hasRows ? coverages.of(queueId) : new Coverage();
            Epoch epoch = queueLeaders.epoch(queueId);
            copies.add(
                    new CopyDigests.Copy(
                            moment,
                            hasRows,
                            isKnown ? contents(moment) : null,
                            epoch == null ? 0 : epoch.number(),
                            coverages.withLearned(queueId, stored)));
        }
        return new CopyDigests(disk, copies);
    }

    /** Opens the digests of all queues; to be closed. */
    public AllDigests digests(Iterable<JournalEntry> window) throws DiskFailure {
        long[] queueIds =
                QueueMoment.queues(window, links).stream()
                        .mapToLong(Long::longValue)
                        .sorted()
                        .toArray();
        QueueMoment[] moments = QueueMoment.of(queueIds, window, rows, deferred, links);
        return new AllDigests(disk, rows, moments, purge.all(), queueLeaders.then());
    }

    /** The last id is known of a copy too, and of a queue whose messages all died: by coverage. */
    private static HybridId last(Coverage coverage, @Nullable Depth depth, QueueMoment moment) {
        HybridId last = coverage.last();
        if (depth != null) {
            last = later(last, new HybridId(depth.last, depth.lastServer));
        }
        return moment.changes.isEmpty() ? last : later(last, moment.changes.lastKey());
    }

    private static int bytes(QueueMoment.Change change) {
        QueuedMessage entry = change.entry;
        return change.before == RowNote.NONE && entry != null ? entry.bytes : change.bytesBefore;
    }

    private static HybridId later(HybridId a, HybridId b) {
        return a.compareTo(b) < 0 ? b : a;
    }

    private @Nullable Depth rowsOf(QueueMoment moment) {
        return moment.isGone || purge.isKnown(moment.queueId) ? null : depths.find(moment.queueId);
    }

    private IngressRows.@Nullable OfQueue ingressOf(QueueMoment moment) {
        return moment.isGone ? null : ingress.find(moment.queueId);
    }

    /**
     * Never more than what has arrived: what it says of ids whose operations have not would make
     * others believe that they are gone.
     */
    private Coverage coverage(Asked asked) throws DiskFailure {
        long queueId = asked.queue().queueId;
        Coverage coverage = coverages.of(queueId);
        coverage.add(asked.covered());
        return coverages.withLearned(queueId, coverage);
    }
}
