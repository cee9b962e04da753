package io.godwit.persistence.queue;

import io.godwit.core.message.QueueHandle;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;
import io.godwit.core.operation.Op;
import io.godwit.core.operation.Subject;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.SessionRecord;
import io.godwit.core.store.StoreMetric;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.health.StoreCounts;
import io.godwit.persistence.health.StoreDamage;
import io.godwit.persistence.journal.JournalEntry;
import io.godwit.persistence.journal.OpList;
import io.godwit.persistence.settings.StoreRule;
import io.godwit.persistence.settings.StoreRules;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes rows of what leaves the journal's window: one atomic write holds the rows of a run of
 * entries, the depths and counts that belong to them, and the position up to which they stand for
 * the journal. Replay goes the same way.
 */
public final class Materialiser {
    private final Disk disk;
    private final StoreRules rules;
    private final StoreCounts counts;
    private final Depths depths;
    private final IngressRows remembered;
    private final QueueRecords records;
    private final Payloads payloads;
    private final AsideRows aside;
    private final RowWriter writer;
    private final RowRun run;
    private final MarkerRun markers;
    private final RowRemovals removals;
    private final DeferredRows deferred;
    private final RowLookup lookup;
    private final Coverages coverages;
    private final QueueLeaders queueLeaders;
    private final Forgetting forgetting;
    private final Purge purge;
    private final List<Subject.Adopted> adopted = new ArrayList<>();
    private AdoptedReader onAdopted = each -> {};
    private final RowProgress progress;
    private final MetaWriter meta = new MetaWriter();
    private final Batch batch = new Batch(1 << 16);
    private long position;

    public Materialiser(
            Disk disk,
            StoreRules rules,
            StoreCounts counts,
            Depths depths,
            IngressRows remembered,
            QueueRecords records,
            RowRemovals removals,
            DeferredRows deferred,
            RowLookup lookup,
            Coverages coverages,
            QueueLeaders queueLeaders,
            Forgetting forgetting,
            RowProgress progress,
            StoreDamage damage,
            long position) {
        this.disk = disk;
        this.rules = rules;
        this.counts = counts;
        this.depths = depths;
        this.remembered = remembered;
        this.records = records;
        this.removals = removals;
        this.deferred = deferred;
        this.lookup = lookup;
        this.coverages = coverages;
        this.queueLeaders = queueLeaders;
        this.forgetting = forgetting;
        this.progress = progress;
        this.position = position;
        progress.written(position);
        payloads = new Payloads(disk, rules);
        aside = new AsideRows(disk, payloads, counts);
        writer = new RowWriter(depths, payloads);
        purge = new Purge(disk, depths, payloads, queueLeaders, records, damage);
        run = new RowRun(writer, lookup, purge, rules);
        markers = new MarkerRun(lookup, depths, deferred);
    }

    /** The position up to which the journal has become rows. */
    public long position() {
        return position;
    }

    /** What an append that is replayed proves. */
    public void covered(
            long queueId, long previousClock, int previousServer, long clock, int server) {
        coverages.learn(queueId, previousClock, previousServer, clock, server);
    }

    /** Takes the coverage of a range of a copy in place of what was known of it. */
    public void coverageReplaced(Subject.CopyRange range) {
        coverages.replace(range);
    }

    /** The end of a queue that is replayed, and whose rows went before: its coverage went too. */
    public void uncovered(long queueId) {
        coverages.gone(queueId);
    }

    /** Tells of a queue that was adopted, from what is on the disk. */
    public interface AdoptedReader {
        void read(Subject.Adopted adopted) throws DiskFailure;
    }

    /** Who tells of adopted queues. */
    public void onAdopted(AdoptedReader reader) {
        onAdopted = reader;
    }

    /** Finds rows of entries that nobody has in memory. */
    public RowLookup rows() {
        return lookup;
    }

    /** The least expiry of rows written since this was called last; 0 at first. */
    public long takeEarliestExpiry() {
        return writer.takeEarliestExpiry();
    }

    /** What sets aside what copies have and their leaders do not. */
    public AsideRows aside() {
        return aside;
    }

    /** What deletes the rows of queues that are gone. */
    public Purge purge() {
        return purge;
    }

    /**
     * Writes a run of entries; they leave the journal.
     *
     * @param from where they arrived
     */
    public void write(List<JournalEntry> entries, Arrivals from) throws DiskFailure {
        for (JournalEntry entry : entries) {
            for (OpList list : entry.lists) {
                for (int i = 0; i < list.size(); i++) {
                    apply(list, i, from);
                }
            }
        }
        position = entries.get(entries.size() - 1).position;
        if (!rules.holds(StoreRule.ROWS_WITH_POSITION)) {
            putPosition();
            flush();
        }
        int rows = run.write(batch);
        if (rules.holds(StoreRule.ROWS_WITH_POSITION)) {
            putPosition();
        }
        if (!rules.holds(StoreRule.COUNTS_WITH_ROWS)) {
            flush();
        }
        queueLeaders.eachChanged(depths::leaderChanged);
        depths.write(batch);
        if (!rules.holds(StoreRule.USES_WITH_ROWS)) {
            flush();
        }
        payloads.write(batch, progress);
        coverages.writeLearned(batch);
        queueLeaders.write(batch);
        flush();
        depths.written();
        forgetting.written();
        counts.add(StoreMetric.ROWS, rows);
        counts.add(StoreMetric.PAYLOADS, payloads.takeBrought());
        progress.rowsGone(writer.takeDeleted());
        progress.written(position);
        run.tell();
        run.clear();
        markers.written();
        removals.written();
        tellAdopted();
    }

    private void tellAdopted() throws DiskFailure {
        for (Subject.Adopted each : adopted) {
            onAdopted.read(each);
        }
        adopted.clear();
    }

    /** Does what was put off since rows could not be read, as far as they can be now. */
    public void doDeferred() throws DiskFailure {
        if (deferred.isEmpty()) {
            return;
        }
        removals.again(batch, run::remove);
        deferred.changes.again(batch, lookup, run);
        markers.again(batch);
        run.write(batch);
        depths.write(batch);
        payloads.write(batch, progress);
        flush();
        depths.written();
        progress.rowsGone(writer.takeDeleted());
        run.clear();
        markers.written();
        removals.written();
        deferred.changes.written();
    }

    /** The journal is replayed: the first try at what was put off, before anybody is told. */
    public void replayed() throws DiskFailure {
        doDeferred();
        markers.countDeferred();
        deferred.changes.count(depths);
    }

    /** Forgets what was gone before then; true when there is more. */
    public boolean forgetSome(long untilMs) throws DiskFailure {
        boolean more = forgetting.sweep(batch, untilMs);
        flush();
        return more;
    }

    /** One slice of what queues have grown by, when that is asked for; true when there is more. */
    public boolean coverSome() throws DiskFailure {
        if (!coverages.isDue()) {
            return false;
        }
        coverages.writeGrown(batch);
        flush();
        coverages.writtenGrown();
        return coverages.isDue();
    }

    /** One slice of what is left of queues that are gone; true when there is more. */
    public boolean purgeSome() throws DiskFailure {
        if (!purge.isDue()) {
            return false;
        }
        int deleted = purge.slice(batch);
        depths.write(batch);
        payloads.write(batch, progress);
        queueLeaders.write(batch);
        flush();
        depths.written();
        progress.rowsGone(deleted);
        return purge.isDue();
    }

    private void putPosition() {
        batch.put(Family.META, Keys.MATERIALISED, Keys.position(position));
    }

    private void flush() throws DiskFailure {
        if (!batch.isEmpty()) {
            disk.write(batch);
            batch.clear();
        }
    }

    private void apply(OpList list, int i, Arrivals from) throws DiskFailure {
        Op op = list.op(i);
        Object subject = list.subject(i);
        switch (op) {
            case APPEND -> {
                QueuedMessage entry = (QueuedMessage) subject;
                if (!from.isRemoved(entry.queueId)) {
                    run.append(entry, list.outcome);
                    if (list.packetId(i) != 0) {
                        run.inFlight(entry, list.packetId(i));
                    }
                }
            }
            case IN_FLIGHT, IN_FLIGHT_TO, RELEASED -> {
                if (!Thinning.isVoid(subject)) {
                    change(op, subject, list.packetId(i));
                }
            }
            case REMOVE -> {
                // While it is replayed an entry may be nothing but its row.
                if (subject instanceof RemovedRows rows) {
                    rows.forEach(each -> change(op, each, 0));
                    return;
                }
                QueuedMessage entry =
                        subject instanceof Subject.RowGone gone
                                ? lookup.findOrUnread(gone.queueId(), gone.clock(), gone.server())
                                : (QueuedMessage) subject;
                if (entry != null) {
                    change(op, entry, 0);
                }
            }
            case ROW_GONE -> {
                Subject.RowGone gone = (Subject.RowGone) subject;
                QueuedMessage row =
                        removals.find(
                                batch,
                                run::isIdleAgain,
                                gone.queueId(),
                                gone.clock(),
                                gone.server());
                if (row != null) {
                    run.remove(row);
                }
            }
            case GOT -> {
                Subject.Got got = (Subject.Got) subject;
                from.left(got);
                if (!got.isVoid && !from.isRemoved(got.queueId)) {
                    markers.put(batch, got);
                }
            }
            case GOT_GONE -> {
                markers.delete(batch, (Subject.GotGone) subject);
            }
            case INBOUND -> {
                Inbound inbound = (Inbound) subject;
                if (!from.isRemoved(inbound.queueId)) {
                    Inbounds.put(batch, inbound);
                }
            }
            case INBOUND_TAKEN -> Inbounds.taken(batch, (Inbound) subject);
            case INBOUND_GONE -> Inbounds.gone(batch, (Inbound) subject);
            case REMEMBERED -> {
                Remembered ingress = (Remembered) subject;
                if (!from.isRemoved(ingress.queueId)
                        && rules.holds(StoreRule.INGRESS_OUTLIVES_WINDOW)) {
                    remembered.put(batch, ingress);
                }
            }
            case FORGOTTEN -> remembered.delete(batch, (Remembered) subject);
            case SESSION -> {
                Subject.SessionPut put = (Subject.SessionPut) subject;
                SessionRecord record = put.session();
                beginAgain(record.queueId());
                forgetting.put(
                        record.queueId(), record.generation(), record.stamp(), put.clientId());
                meta.session(batch, put);
                records.put(record.queueId());
            }
            case SESSION_GONE, GROUP_GONE -> {
                Subject.OfQueue gone = (Subject.OfQueue) subject;
                if (gone.isRemembered()) {
                    forgetting.sessionGone(batch, gone.queueId(), gone.stamp());
                } // Else a copy's, whose leader does not know it any more.
                from.left(gone);
                queueGone(gone.queueId());
            }
            case SUBSCRIPTION -> {
                Subject.SubscriptionPut put = (Subject.SubscriptionPut) subject;
                if (!from.isRemoved(put.queueId())) {
                    meta.subscription(batch, put);
                }
            }
            case SUBSCRIPTION_GONE ->
                    meta.subscriptionGone(batch, (Subject.SubscriptionGone) subject);
            case PRECEDED_BY -> records.put(batch, (Subject.PrecededBy) subject);
            case ADOPTED -> adopted.add((Subject.Adopted) subject);
            case YIELDED -> {} // It was noted when it arrived.
            case COPY_RANGE -> throw new IllegalStateException("stands for other operations");
            case GROUP -> {
                Subject.GroupPut put = (Subject.GroupPut) subject;
                beginAgain(put.queueId());
                depths.touch(put.queueId()).kind = QueueHandle.Kind.GROUP_PART;
                meta.group(batch, put);
                records.put(put.queueId());
            }
            case RETAINED -> meta.retained(batch, (Subject.RetainedPut) subject);
            case RETAINED_GONE -> {
                Subject.RetainedGone gone = (Subject.RetainedGone) subject;
                forgetting.retainedGone(batch, gone.topic(), gone.stamp());
            }
            case CLOCK -> batch.put(Family.META, Keys.CLOCK, Keys.position((Long) subject));
            case QUEUE_IDS -> meta.queueIds(batch, (Long) subject);
            case STREAM -> meta.stream(batch, (Subject.StreamAt) subject);
        }
    }

    private void change(Op op, Object subject, int packetId) {
        if (deferred.changes.takes(batch, op, subject, packetId)) {
            return;
        }
        if (subject instanceof Subject.InFlightTo put) {
            run.inFlightTo(put.entry(), packetId, put.to());
            return;
        }
        QueuedMessage entry = (QueuedMessage) subject;
        switch (op) {
            case IN_FLIGHT -> run.inFlight(entry, packetId);
            case RELEASED -> run.released(entry, packetId);
            default -> run.remove(entry);
        }
    }

    /** A queue has a session or group again: what it had before its end goes first. */
    private void beginAgain(long queueId) throws DiskFailure {
        if (purge.isKnown(queueId)) {
            run.forget(queueId);
            markers.forget(queueId);
            progress.rowsGone(purge.finish(batch, queueId));
        }
    }

    private void queueGone(long queueId) throws DiskFailure {
        remembered.gone(queueId);
        records.gone(batch, queueId);
        coverages.gone(queueId);
        purge.inbound(batch, queueId);
        meta.queueGone(batch, queueId);
        purge.add(queueId);
    }
}
