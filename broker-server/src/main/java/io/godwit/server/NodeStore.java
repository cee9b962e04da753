package io.godwit.server;

import io.godwit.core.id.IdFloor;
import io.godwit.core.message.Digest;
import io.godwit.core.metrics.TimeHistogram;
import io.godwit.core.store.CommitOutcome;
import io.godwit.core.store.DigestReader;
import io.godwit.core.store.FillAsk;
import io.godwit.core.store.FillReader;
import io.godwit.core.store.PartListener;
import io.godwit.core.store.Recovery;
import io.godwit.core.store.ShardStore;
import io.godwit.core.store.Store;
import io.godwit.core.store.StoreListener;
import io.godwit.core.store.StoreMetric;
import io.godwit.core.time.TimeSource;
import io.godwit.persistence.DiskStore;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.StoreUnusable;
import io.godwit.persistence.disk.Unreadable;
import io.godwit.persistence.files.FileJournal;
import io.godwit.persistence.files.StoreOwner;
import io.godwit.persistence.health.StoreDamaged;
import io.godwit.persistence.inspect.StoreBackup;
import io.godwit.persistence.recovery.Restored;
import io.godwit.persistence.rocks.RocksDisk;
import io.godwit.persistence.settings.StoreRules;
import io.godwit.persistence.settings.StoreSettings;
import io.godwit.persistence.space.DiskSpace;
import io.godwit.persistence.space.StallWatch;
import io.godwit.persistence.space.StartRoom;
import io.godwit.persistence.space.Volume;
import io.godwit.persistence.work.Workers;
import io.godwit.server.data.PrivateMode;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The store on a real disk: with the threads that it needs, and an eye on the disk's room. */
public final class NodeStore implements Store {
    private static final Logger LOG = LoggerFactory.getLogger(NodeStore.class);
    private static final long CLOSE_STALLED_MS = 1_000;

    private final Path folder;
    private final StoreSettings settings;
    private final RocksDisk disk;
    private final FileJournal journal;
    private final DiskStore store;
    private final StallWatch stall;
    private final Limits limits;
    private final WorkerThread stallWatch = new WorkerThread("store-stall", this::onFault);
    private final WorkerThread watch = new WorkerThread("store-watch", this::onFault);
    private final WorkerThread commits = new WorkerThread("store-commits", this::onFault);
    private final WorkerThread rows = new WorkerThread("store-rows", this::onFault);
    private final WorkerThread reads = new WorkerThread("store-reads-1", this::onFault);
    private final WorkerThread moreReads = new WorkerThread("store-reads-2", this::onFault);
    private final WorkerThread upkeep = new WorkerThread("store-upkeep", this::onFault);
    private final WorkerThread compactions = new WorkerThread("store-compactions", this::onFault);
    private final WorkerThread segments = new WorkerThread("store-segments", this::onFault);
    private volatile @Nullable StoreListener listener;
    private volatile @Nullable DiskSpace space;

    /**
     * The share of this machine that the store may take.
     *
     * @param nativeBytes for its tables, outside the heap; 0 = as much as is of use
     * @param stallMs after which a disk that does not answer is said to be stalled; 0 = never
     * @param hungMs after which it is given up; 0 = never
     * @param closeMs that closing may take: what is left then is read from the journal at the start
     */
    public record Limits(long nativeBytes, long stallMs, long hungMs, long closeMs) {}

    private NodeStore(
            Path folder,
            StoreSettings settings,
            Limits limits,
            TimeSource time,
            RocksDisk disk,
            FileJournal journal,
            int serverId) {
        this.folder = folder;
        this.settings = settings;
        this.limits = limits;
        this.disk = disk;
        this.journal = journal;
        journal.prepareOn(segments::execute);
        store =
                new DiskStore(
                        disk,
                        journal,
                        settings,
                        time,
                        new Workers(commits, rows, List.of(reads, moreReads), upkeep, compactions),
                        StoreRules.ALL,
                        serverId);
        stall = new StallWatch(folder, limits.stallMs(), limits.hungMs(), store::giveUp);
    }

    /**
     * Opens the store in a folder of its own; one that is missing becomes an empty store.
     *
     * @param serverId of this node
     * @throws StoreUnusable says what the operator can do; nothing is left open
     */
    public static NodeStore open(
            Path folder, StoreSettings settings, Limits limits, TimeSource time, int serverId)
            throws StoreUnusable {
        long usable = StartRoom.check(folder);
        long newStore = new SecureRandom().nextLong();
        StoreOwner.expect(folder, serverId);
        RocksDisk disk =
                RocksDisk.serve(folder, limits.nativeBytes(), settings.diskFreeBytes(), usable);
        FileJournal journal = null;
        try {
            PrivateMode.restrict(folder);
            StoreOwner.bind(folder, serverId);
            journal =
                    FileJournal.open(
                            folder.resolve(FileJournal.FOLDER),
                            FileJournal.SEGMENT_BYTES,
                            newStore,
                            Restored.neededBehind(disk));
            return new NodeStore(folder, settings, limits, time, disk, journal, serverId);
        } catch (DiskFailure e) {
            throw new StoreUnusable("the store in " + folder + ": " + e.getMessage(), e);
        } finally {
            if (journal == null) {
                disk.close();
            }
        }
    }

    @Override
    public IdFloor start(int shards, StoreListener listener) {
        this.listener = listener;
        IdFloor floor = replay(shards, listener);
        disk.endStart();
        DiskSpace watched =
                new DiskSpace(
                        folder, Volume.of(folder), settings, new SplittableRandom(), listener);
        space = watched;
        watch.execute(() -> look(watched));
        stallWatch.execute(this::lookForStall);
        return floor;
    }

    private IdFloor replay(int shards, StoreListener listener) {
        long journalBytes = journal.bytes();
        Volume volume = Volume.of(folder);
        StartRoom.makeRoom(folder, volume, journalBytes);
        try {
            return store.start(shards, listener);
        } catch (StoreDamaged e) {
            String full = StartRoom.explain(folder, volume, journalBytes, e);
            if (full == null) {
                throw e;
            }
            throw new StoreDamaged(full, e);
        }
    }

    /** On a thread that never waits for the disk. */
    private void lookForStall() {
        stall.tick(store.stalledMs());
        stallWatch.schedule(this::lookForStall, TimeUnit.MILLISECONDS.toNanos(StallWatch.TICK_MS));
    }

    private void look(DiskSpace watched) {
        watched.tick();
        journal.keepFree(!watched.isAlarm());
        store.onDiskRoom(watched.usableBytes(), watched.isAlarm());
        disk.room(watched.usableBytes());
        try {
            disk.check();
        } catch (Unreadable e) {
            store.onDamage(e);
        } catch (DiskFailure e) {
            onFault(e);
            return;
        }
        watch.schedule(() -> look(watched), TimeUnit.MILLISECONDS.toNanos(watched.tickMs()));
    }

    /** What a thread throws is no failure that the store knows of: nothing may go on with it. */
    private void onFault(Throwable fault) {
        StoreListener told = listener;
        if (told != null) {
            told.onFailed(fault);
        }
    }

    /**
     * Copies everything into a folder that does not exist yet, while the broker goes on; what was
     * acknowledged before is in it. May take long: not on a thread that others wait for.
     *
     * @return bytes of the copy
     */
    public long backup(Path to) throws DiskFailure, IOException {
        return StoreBackup.take(StoreBackup.of(disk, journal), to);
    }

    @Override
    public List<String> damage() {
        return store.damage();
    }

    @Override
    public boolean keeps() {
        return store.keeps();
    }

    @Override
    public void ship(PartListener to) {
        store.ship(to);
    }

    @Override
    public void queuesOf(int copySet, Consumer<long[]> then) {
        store.queuesOf(copySet, then);
    }

    @Override
    public void adoptedOf(int copySet, Consumer<List<byte[]>> then) {
        store.adoptedOf(copySet, then);
    }

    @Override
    public void copiesOf(int leader, Consumer<long[]> then) {
        store.copiesOf(leader, then);
    }

    @Override
    public void describeCopies(long[] queueIds, Consumer<List<Digest>> then) {
        store.describeCopies(queueIds, then);
    }

    @Override
    public void adoptableOf(int leader, int copySet, Consumer<List<Adoptable>> then) {
        store.adoptableOf(leader, copySet, then);
    }

    @Override
    public void notLedOf(long[] queueIds, Consumer<long[]> then) {
        store.notLedOf(queueIds, then);
    }

    @Override
    public void countQueues(Consumer<int[]> then) {
        store.countQueues(then);
    }

    @Override
    public void readFill(FillAsk ask, FillReader to) {
        store.readFill(ask, to);
    }

    @Override
    public void describeAll(DigestReader to) {
        store.describeAll(to);
    }

    @Override
    public void recover(Recovery to) {
        store.recover(to);
    }

    @Override
    public ShardStore open(int shard, CommitOutcome outcome) {
        return store.open(shard, outcome);
    }

    @Override
    public void endWindow() {
        store.endWindow();
    }

    @Override
    public boolean isBehind() {
        return store.isBehind();
    }

    @Override
    public long alarmReserveBytes() {
        return store.alarmReserveBytes();
    }

    @Override
    public long windowBytes() {
        return store.windowBytes();
    }

    @Override
    public @Nullable TimeHistogram syncTimes() {
        return store.syncTimes();
    }

    @Override
    public long value(StoreMetric metric) {
        DiskSpace watched = space;
        return switch (metric) {
            case DISK_FREE_BYTES -> watched == null ? 0 : watched.usableBytes();
            case STALLED -> stall.isStalled() ? 1 : 0;
            case DISK_ALARM -> watched != null && watched.isAlarm() ? 1 : 0;
            default -> store.value(metric);
        };
    }

    /**
     * Ends in bounded time whatever the disk does: what could not be written by then stands in the
     * journal, or was not acknowledged.
     */
    @Override
    public void close() {
        stallWatch.close();
        Thread closing = new Thread(this::closeStore, "store-close");
        closing.setDaemon(true);
        closing.start();
        try {
            closing.join(Math.max(1, stall.isStalled() ? CLOSE_STALLED_MS : limits.closeMs()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (closing.isAlive()) {
            LOG.error(
                    "The disk under {} does not answer: the store is left open. Everything"
                            + " acknowledged is in its journal",
                    folder);
        }
    }

    private void closeStore() {
        watch.close();
        store.close();
        List.of(commits, rows, reads, moreReads, upkeep, compactions, segments)
                .forEach(WorkerThread::close);
    }
}
