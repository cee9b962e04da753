package io.godwit.persistence.reading;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Coverage;
import io.godwit.core.message.Digest;
import io.godwit.core.message.QueueHandle;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;
import io.godwit.core.store.QueueState;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Unreadable;
import io.godwit.persistence.journal.JournalEntry;
import io.godwit.persistence.queue.Coverages;
import io.godwit.persistence.queue.DeferredRows;
import io.godwit.persistence.queue.Depth;
import io.godwit.persistence.queue.Depths;
import io.godwit.persistence.queue.IngressRows;
import io.godwit.persistence.queue.Purge;
import io.godwit.persistence.queue.QueueLeaders;
import io.godwit.persistence.queue.RowLookup;
import io.godwit.persistence.queue.RowNote;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
    private final Purge purge;
    private final RowLookup rows;
    private final IngressRows ingress;
    private final DeferredRows deferred;

    public Moments(
            DiskView disk,
            Depths depths,
            Coverages coverages,
            QueueLeaders queueLeaders,
            Purge purge,
            RowLookup rows,
            IngressRows ingress,
            DeferredRows deferred) {
        this.disk = disk;
        this.depths = depths;
        this.coverages = coverages;
        this.queueLeaders = queueLeaders;
        this.purge = purge;
        this.rows = rows;
        this.ingress = ingress;
        this.deferred = deferred;
    }

    /**
     * A queue that is asked about, with what only the commit worker could say at that moment.
     *
     * @param covered coverage of a queue of this node's own; of a copy it is asked for later
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
        QueueMoment[] moments = QueueMoment.of(queueIds, window, rows, deferred);
        List<QueueState> states = new ArrayList<>(moments.length);
        for (int i = 0; i < moments.length; i++) {
            states.add(state(asked.get(i), moments[i], position));
        }
        return states;
    }

    private QueueState state(Asked asked, QueueMoment moment, long position) throws DiskFailure {
        Depth depth = rowsOf(moment);
        long idle = depth == null ? 0 : depth.idle;
        long bytes = depth == null ? 0 : depth.idleBytes;
        long inFlight = depth == null ? 0 : depth.inFlight;
        Digest digest =
                depth == null ? new Digest() : new Digest(depth.digest.high(), depth.digest.low());
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
        if (known != null) {
            digest.add(known.digest);
        }
        for (Optional<Remembered> each : moment.ingress.values()) {
            remembered += each.isPresent() ? 1 : -1;
        }
        moment.addTo(digest);
        Coverage coverage = coverage(asked);
        return new QueueState(
                moment.queueId,
                asked.queue().replicaSet,
                position,
                last(coverage, depth, moment),
                coverage,
                idle,
                inFlight,
                remembered,
                bytes,
                digest);
    }

    /**
     * Opens a page for another node's copy; to be closed.
     *
     * @param above where the page begins
     * @param wantsRemembered whether it is to say what the queue remembers
     * @throws Unreadable when it is not known yet how entries of the queue stand
     */
    public CopyReader open(
            Asked asked, HybridId above, boolean wantsRemembered, Iterable<JournalEntry> window)
            throws DiskFailure {
        long queueId = asked.queue().queueId;
        deferred.changes.assertNoneOf(queueId);
        QueueMoment moment = QueueMoment.of(new long[] {queueId}, window, rows, deferred)[0];
        Depth depth = rowsOf(moment);
        Coverage coverage = coverage(asked);
        HybridId last = last(coverage, depth, moment);
        if (!wantsRemembered) {
            moment.ingress.clear();
        }
        boolean hasIngress = wantsRemembered && ingressOf(moment) != null;
        return new CopyReader(disk, moment, depth != null, hasIngress, above, last, coverage);
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
        Coverage coverage = queueLeaders.isCopy(queueId) ? coverages.of(queueId) : new Coverage();
        coverage.add(asked.covered());
        coverages.addLearned(queueId, coverage);
        return coverage;
    }
}
