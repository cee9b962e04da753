package io.godwit.persistence;

import io.godwit.core.id.IdFloor;
import io.godwit.core.message.Coverage;
import io.godwit.core.message.Digest;
import io.godwit.core.metrics.TimeHistogram;
import io.godwit.core.store.CommitOutcome;
import io.godwit.core.store.DigestReader;
import io.godwit.core.store.FillAsk;
import io.godwit.core.store.FillReader;
import io.godwit.core.store.PartListener;
import io.godwit.core.store.QueueState;
import io.godwit.core.store.Recovery;
import io.godwit.core.store.RowRead;
import io.godwit.core.store.ShardStore;
import io.godwit.core.store.Store;
import io.godwit.core.store.StoreListener;
import io.godwit.core.store.StoreMetric;
import io.godwit.core.time.TimeSource;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Journal;
import io.godwit.persistence.disk.Unreadable;
import io.godwit.persistence.health.StoreCounts;
import io.godwit.persistence.health.StoreDamage;
import io.godwit.persistence.health.StoreDamaged;
import io.godwit.persistence.health.StoreHealth;
import io.godwit.persistence.journal.JournalEntry;
import io.godwit.persistence.journal.QueueHandles;
import io.godwit.persistence.journal.ShardPart;
import io.godwit.persistence.queue.QueueLeaders;
import io.godwit.persistence.reading.AdoptedParts;
import io.godwit.persistence.reading.PageReads;
import io.godwit.persistence.settings.StoreRules;
import io.godwit.persistence.settings.StoreSettings;
import io.godwit.persistence.work.Workers;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store on a disk (design section 5). A commit goes to the journal; what it holds waits in
 * memory for a while, and what is still there then becomes rows, which are read back in pages.
 *
 * <p><b>Threads.</b> Shards fill their own lists. The commit worker writes the journal; the row
 * worker writes everything else and is the only one that changes depths and counts of payloads; the
 * read workers only read; the upkeep worker flushes, and one more compacts. An entry's state is
 * what they meet in.
 *
 * <p><b>Failure.</b> The first write or sync that fails ends all writing: every commit from then on
 * fails, and the node is told once.
 */
public final class DiskStore implements Store {
    private static final Logger LOG = LoggerFactory.getLogger(DiskStore.class);
    private static final long SWEEP_NANOS = 1_000_000_000L;
    private static final long NEXT_PAGE_NANOS = 10_000_000L;

    private final Disk disk;
    private final Journal journal;
    private final StoreSettings settings;
    private final TimeSource time;
    private final Workers workers;
    private final StoreRules rules;
    private final int serverId;
    private final StoreStart start;
    private final QueueHandles handles;
    private final QueueLeaders queueLeaders;
    private final StoreCounts counts;
    private final StoreDamage damage;
    private final PageReads reads;
    private volatile @Nullable StartedStore started;

    /**
     * @param disk closed with the store, as is the journal
     * @param time wall clock for expiry and ids, monotonic for the window
     * @param rules {@link StoreRules#ALL} but in the simulator
     * @param serverId of this node
     */
    public DiskStore(
            Disk disk,
            Journal journal,
            StoreSettings settings,
            TimeSource time,
            Workers workers,
            StoreRules rules,
            int serverId) {
        this.disk = disk;
        this.journal = journal;
        this.settings = settings;
        this.time = time;
        this.workers = workers;
        this.rules = rules;
        this.serverId = serverId;
        start = new StoreStart(disk, journal, settings, time, workers, rules, serverId);
        handles = start.handles;
        queueLeaders = start.queueLeaders;
        counts = start.counts;
        damage = start.damage;
        reads = start.reads;
    }

    /**
     * @throws StoreDamaged when what it holds cannot be read
     */
    @Override
    public IdFloor start(int shards, StoreListener listener) {
        try {
            StartedStore there = start.run(new StoreHealth(listener));
            started = there;
            return there.floor();
        } catch (DiskFailure e) {
            throw new StoreDamaged("the store cannot be opened: " + e.getMessage(), e);
        }
    }

    /**
     * What of a queue's ids is here or known to be gone, as it is on the disk: up to the last
     * flush.
     */
    public Coverage coverage(long queueId) throws DiskFailure {
        return started().state().coverages.of(queueId);
    }

    /** Queues of sessions and groups that it remembers in memory; those that have ended go. */
    int knownQueues() {
        return handles.size();
    }

    private StartedStore started() {
        StartedStore there = started;
        if (there == null) {
            throw new IllegalStateException("not started");
        }
        return there;
    }

    @Override
    public void recover(Recovery to) {
        StartedStore store = started();
        try {
            int orphans = StartedStore.load(serverId, disk, store.state(), queueLeaders).tell(to);
            if (orphans > 0 || queueLeaders.copies() > 0) {
                LOG.info(
                        "Store: copies of {} queues of other nodes; {} queues without a session or"
                                + " group on this node",
                        queueLeaders.copies(),
                        orphans);
            }
        } catch (DiskFailure e) {
            throw new StoreDamaged("the store cannot be read: " + e.getMessage(), e);
        }
        store.window().purge();
        workers.rows().schedule(this::sweep, SWEEP_NANOS);
    }

    private void sweep() {
        StartedStore store = started();
        store.window()
                .run(() -> {
                    store.state().materialiser.doDeferred();
                    if (store.state().materialiser.purge().tryAgain()) {
                        store.window().purge();
                    }
                    boolean more = store.sweep().page();
                    more |=
                            store.state()
                                    .materialiser
                                    .forgetSome(time.sureMs() - StoreSettings.FORGET_AFTER_MS);
                    store.state()
                            .materialiser
                            .aside()
                            .takeNews(time.monotonicMs())
                            .forEach(each -> LOG.warn("Copies: {}", each));
                    store.upkeep()
                            .look(
                                    counts.get(StoreMetric.QUEUED)
                                            + counts.get(StoreMetric.COPIES_QUEUED),
                                    counts.get(StoreMetric.QUEUED_BYTES)
                                            + counts.get(StoreMetric.COPIES_QUEUED_BYTES));
                    workers.rows().schedule(this::sweep, more ? NEXT_PAGE_NANOS : SWEEP_NANOS);
                });
    }

    @Override
    public ShardStore open(int shard, CommitOutcome outcome) {
        StartedStore store = started();
        ShardPart.Rows rows =
                new ShardPart.Rows() {
                    @Override
                    public void read(CommitOutcome of, RowRead read) {
                        reads.read(of, read);
                    }

                    @Override
                    public void describe(long queueId, QueueState.Reader to) {
                        store.states().ask(queueId, to);
                    }

                    @Override
                    public void rowGone(long queueId, long messageId, int server) {
                        store.state().removals.add(queueId, messageId, server);
                    }
                };
        return new ShardPart(
                outcome,
                shard,
                store.commits(),
                rows,
                rules,
                Math.max(1, settings.recordOps() / 2),
                serverId,
                handles);
    }

    @Override
    public void ship(PartListener to) {
        handles.divide();
        started().commits().ship(to);
    }

    @Override
    public void readFill(FillAsk ask, FillReader to) {
        StartedStore store = started();
        store.momentReads().ask(new FillQuestion(ask, to, handles, store.moments(), rules));
    }

    @Override
    public void queuesOf(int copySet, Consumer<long[]> then) {
        workers.reads().getLast().execute(() -> then.accept(own(handles.queuesOf(copySet))));
    }

    @Override
    public void adoptedOf(int copySet, Consumer<List<byte[]>> then) {
        workers.reads()
                .getLast()
                .execute(() -> {
                    long[] queueIds = own(handles.queuesOf(copySet));
                    then.accept(AdoptedParts.of(serverId, queueIds, queueLeaders));
                });
    }

    @Override
    public void copiesOf(int leader, Consumer<long[]> then) {
        StartedStore store = started();
        JournalEntry.Mark mark =
                new JournalEntry.Mark() {
                    @Override
                    public void reached(long position, Iterable<JournalEntry> window) {
                        // The row worker knows the leaders of all that was written before.
                        workers.reads()
                                .getLast()
                                .execute(() -> then.accept(queueLeaders.copiesOf(leader)));
                    }

                    @Override
                    public void lost(Throwable cause) {} // The store is closed, or the node ends.
                };
        workers.commits().execute(() -> store.commits().mark(() -> {}, mark));
    }

    @Override
    public void describeCopies(long[] queueIds, Consumer<List<Digest>> then) {
        StartedStore store = started();
        store.momentReads().ask(new CopiesQuestion(queueIds, then, store.moments()));
    }

    @Override
    public void adoptableOf(int leader, int copySet, Consumer<List<Adoptable>> then) {
        StartedStore store = started();
        store.momentReads()
                .askFirst(
                        new DigestQuestion(
                                new AdoptableQueues(leader, copySet, then), store.moments()));
    }

    @Override
    public void notLedOf(long[] queueIds, Consumer<long[]> then) {
        workers.reads()
                .getLast()
                .execute(() -> then.accept(handles.notLedOf(queueIds, queueLeaders::isCopy)));
    }

    /** Leaves out queues that another node leads now. */
    private long[] own(long[] queueIds) {
        return LongStream.of(queueIds).filter(each -> !queueLeaders.isCopy(each)).toArray();
    }

    @Override
    public void countQueues(Consumer<int[]> then) {
        workers.reads()
                .getLast()
                .execute(() -> then.accept(handles.countBySet(queueLeaders::isCopy)));
    }

    @Override
    public void describeAll(DigestReader to) {
        StartedStore store = started();
        store.momentReads().askFirst(new DigestQuestion(to, store.moments()));
    }

    /**
     * The room on the disk, as it is now. Any thread, once started.
     *
     * @param isAlarm it is nearly full
     */
    public void onDiskRoom(long usableBytes, boolean isAlarm) {
        started().compaction().room(usableBytes, isAlarm);
    }

    /** For how long commits have waited for the disk; 0 when they do not. Any thread. */
    public long stalledMs() {
        StartedStore store = started;
        return store == null ? 0 : store.commits().stalledMs();
    }

    /** A merge of the disk's own has met damage: everything else goes on. Any thread. */
    public void onDamage(Unreadable met) {
        damage.of("compacting its tables", met);
    }

    /** The disk is given up: as after a write that failed. Any thread. */
    public void giveUp(DiskFailure why) {
        started().health().fail(why);
    }

    @Override
    public void endWindow() {
        started().window().end();
    }

    @Override
    public boolean isBehind() {
        StartedStore store = started;
        return store != null && store.commits().isBehind();
    }

    @Override
    public long alarmReserveBytes() {
        return settings.alarmReserveBytes();
    }

    @Override
    public long windowBytes() {
        StartedStore store = started;
        return store == null ? 0 : store.window().bytes();
    }

    @Override
    public long value(StoreMetric metric) {
        return switch (metric) {
            case WINDOW_BYTES -> windowBytes();
            case COMMIT_BYTES -> {
                StartedStore there = started;
                yield there == null ? 0 : there.commits().waitingBytes();
            }
            case DAMAGED -> damage.queues();
            case COPIES -> queueLeaders.copies();
            case DISK_BYTES -> disk.bytes() + journal.bytes();
            case TABLE_BYTES -> disk.tableBytes();
            case COMMITS,
                    OPERATIONS,
                    CANCELLED,
                    JOURNAL_BYTES,
                    APPENDS,
                    ROWS,
                    PAYLOADS,
                    ROWS_READ,
                    SYNCS,
                    SYNC_MICROS,
                    QUEUED,
                    QUEUED_BYTES,
                    COPIES_QUEUED,
                    COPIES_QUEUED_BYTES,
                    ASIDE_ENTRIES,
                    ASIDE_BYTES,
                    ASIDE_QUEUES,
                    PARTS_REFUSED,
                    DISK_FREE_BYTES,
                    DISK_ALARM,
                    STALLED ->
                    counts.get(metric);
        };
    }

    @Override
    public @Nullable TimeHistogram syncTimes() {
        StartedStore store = started;
        return store == null ? null : store.commits().syncTimes();
    }

    @Override
    public List<String> damage() {
        return damage.text();
    }

    /**
     * Writes what the shards have closed, makes rows of it and closes the disk, on the calling
     * thread; a task of a worker that is under way ends first, and later ones do nothing.
     */
    @Override
    public void close() {
        StartedStore store = started;
        if (store != null) {
            store.commits().close();
            store.window().close();
            store.momentReads().close();
            reads.close();
            store.compaction().close();
            store.upkeep().close();
            if (store.health().cause() == null) {
                flushLast(store);
            }
        }
        journal.close();
        disk.close();
    }

    private void flushLast(StartedStore store) {
        try {
            journal.sync();
            store.coverage().writeLast();
            store.upkeep().flush();
        } catch (DiskFailure e) {
            store.health().fail(e);
        }
    }
}
