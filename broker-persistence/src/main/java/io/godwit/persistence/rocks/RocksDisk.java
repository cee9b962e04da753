package io.godwit.persistence.rocks;

import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.KeyRange;
import io.godwit.persistence.disk.StoreUnusable;
import io.godwit.persistence.disk.Unreadable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Checkpoint;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.CompactRangeOptions;
import org.rocksdb.MutableColumnFamilyOptions;
import org.rocksdb.Range;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.SizeApproximationFlag;
import org.rocksdb.Slice;
import org.rocksdb.Status;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The disk on RocksDB, without its write-ahead log.
 *
 * <p><i>Failure.</i> The first write, flush or compaction that fails ends all writing: what a
 * second attempt would flush is not what failed to be flushed. Reading goes on as far as it can.
 * What can't be read is no such failure: nothing is merged any more, and everything else goes on.
 *
 * <p><i>Concurrency.</i> Any thread; RocksDB orders the writes. Closing waits for whoever is
 * inside.
 */
public final class RocksDisk implements Disk {
    private static final Logger LOG = LoggerFactory.getLogger(RocksDisk.class);
    private static final long CLOSE_MS = 10_000;
    private static final String MEMTABLE_BYTES = "rocksdb.cur-size-all-mem-tables";

    private final Path folder;
    private final RocksDB database;
    private final List<ColumnFamilyHandle> families;
    private final RocksOptions options;
    private final AtomicReference<@Nullable DiskFailure> failure = new AtomicReference<>();
    private final Gate gate = new Gate();

    private final @Nullable CompactionRoom room;
    private final Flushes flushes;
    private final @Nullable DamageReport damage;
    private final BackgroundErrors errors;
    private final AtomicBoolean isDamaged = new AtomicBoolean();

    /** Options of the compaction under way; locked so that nobody ends one that is over. */
    private final AtomicReference<@Nullable CompactRangeOptions> compacting =
            new AtomicReference<>();

    private volatile boolean isCompactingEnded;
    private volatile boolean isStarting = true;
    private final WriteOptions unlogged = new WriteOptions().setDisableWAL(true);

    RocksDisk(
            Path folder,
            RocksDB database,
            List<ColumnFamilyHandle> families,
            RocksOptions options,
            RocksOptions.Use use,
            @Nullable CompactionRoom room,
            @Nullable DamageReport damage) {
        this.room = room;
        this.damage = damage;
        this.errors = new BackgroundErrors(folder, database);
        this.flushes = new Flushes(database, families, use, errors);
        isDamaged.set(damage != null);
        isCompactingEnded = damage != null;
        this.folder = folder;
        this.database = database;
        this.families = families;
        this.options = options;
    }

    /**
     * Opens the store in this folder for a tool; one that is missing or empty becomes an empty
     * store. Errors of the background end all writing at once.
     *
     * @throws StoreUnusable when the folder holds anything but a whole store of this format
     */
    public static RocksDisk open(Path folder) throws StoreUnusable {
        return new RocksOpening(folder, RocksOptions.NATIVE_BYTES_DEFAULT, RocksOptions.Use.TOOL)
                .open();
    }

    /**
     * Opens the store in this folder for a broker: {@link #check} is called every second, and
     * damage in rows of queues closes nothing but these; {@link #damage} says what is known of it.
     *
     * @param nativeBytes what memtables and cached blocks may take outside the heap; 16 MiB is the
     *     least, whatever is asked for; 0: as much as is of use
     * @throws StoreUnusable when the folder holds anything but a store of this format whose
     *     sessions, retained messages and files are all there
     */
    public static RocksDisk serve(Path folder, long nativeBytes) throws StoreUnusable {
        return serve(folder, nativeBytes, null);
    }

    /**
     * Opens the store in this folder for a broker, on a disk that compactions may not fill.
     *
     * @param freeBytes below which the disk alarm is raised
     * @param usableBytes that are free on the disk; see {@link #room}
     */
    public static RocksDisk serve(Path folder, long nativeBytes, long freeBytes, long usableBytes)
            throws StoreUnusable {
        RocksLibrary.load(folder.toAbsolutePath().resolveSibling("native"));
        try {
            CompactionRoom room = new CompactionRoom(freeBytes);
            room.open(Files.isDirectory(folder) ? new RocksFolder(folder).bytes() : 0, usableBytes);
            return serve(folder, nativeBytes, room);
        } catch (RocksDBException e) {
            throw OpenFailures.of(folder, e);
        }
    }

    private static RocksDisk serve(Path folder, long nativeBytes, @Nullable CompactionRoom room)
            throws StoreUnusable {
        long bytes = nativeBytes == 0 ? RocksOptions.NATIVE_BYTES_DEFAULT : nativeBytes;
        return new RocksOpening(folder, bytes, RocksOptions.Use.BROKER, room).open();
    }

    @Override
    public List<String> damage() {
        return damage == null
                ? List.of()
                : damage.tables().stream().map(TableDamage::describe).toList();
    }

    @Override
    public void write(Batch batch) throws DiskFailure {
        if (batch.isEmpty()) {
            return;
        }
        enterToWrite();
        try (WriteBatch wire = new WriteBatch(batch.toBytes())) {
            if (isStarting) {
                flushes.awaitPending();
            }
            database.write(unlogged, wire);
            flushes.written(batch.length());
        } catch (RocksDBException e) {
            throw failed("write to", e);
        } finally {
            gate.leave();
        }
    }

    /**
     * Ends the start: {@link #check} is called from now on. Until then a write looks by itself
     * whether a flush has failed, since it would wait for that flush without end.
     */
    public void endStart() {
        isStarting = false;
    }

    /** Sets what is free on the disk: compactions that do not fit wait. One thread at a time. */
    public void room(long usableBytes) {
        if (room == null || !gate.enter()) {
            return;
        }
        try {
            room.set(database, families, usableBytes);
        } finally {
            gate.leave();
        }
    }

    @Override
    public void flush() throws DiskFailure {
        enterToWrite();
        try {
            flushes.flush();
        } catch (RocksDBException e) {
            throw failed("flush", e);
        } finally {
            gate.leave();
        }
    }

    /** Keys and values; a memtable that filled up and was flushed meanwhile still counts. */
    @Override
    public long unflushedBytes() {
        return flushes.unflushedBytes();
    }

    @Override
    public long tableBytes() {
        if (!gate.enter()) {
            return 0;
        }
        try {
            return options.tableBytes();
        } finally {
            gate.leave();
        }
    }

    @Override
    public byte @Nullable [] get(Family family, byte[] key) throws DiskFailure {
        enter();
        try {
            return database.get(handle(family), key);
        } catch (RocksDBException e) {
            throw unreadable(family, key, e);
        } finally {
            gate.leave();
        }
    }

    @Override
    public Cursor scan(Family family, byte[] from, byte @Nullable [] to) {
        if (!gate.enter()) {
            throw new IllegalStateException("the store in " + folder + " is closed");
        }
        ReadOptions bounds = new ReadOptions();
        Slice upper = to == null ? null : new Slice(to);
        if (upper != null) {
            bounds.setIterateUpperBound(upper);
        }
        return new RocksCursor(
                (at, cause) -> unreadable(family, at, cause),
                from,
                database.newIterator(handle(family), bounds),
                bounds,
                upper,
                gate);
    }

    @Override
    public long bytes(Family family, KeyRange range) throws DiskFailure {
        enter();
        try (Slice from = new Slice(range.from());
                Slice to = new Slice(range.to())) {
            return database.getApproximateSizes(
                            handle(family),
                            List.of(new Range(from, to)),
                            SizeApproximationFlag.INCLUDE_FILES)[0];
        } finally {
            gate.leave();
        }
    }

    /** Finds damage before a compaction does, which would end all writing. */
    private void readAll(Family family, KeyRange range) throws DiskFailure {
        try (Cursor cursor = scan(family, range.from(), range.to())) {
            while (!isCompactingEnded && cursor.next()) {
                // its checksums are looked at
            }
        }
    }

    /** Beside RocksDB's own compactions, and never where it would make writers wait. */
    @Override
    public void compact(Family family, KeyRange range) throws DiskFailure {
        readAll(family, range);
        enterToWrite();
        CompactRangeOptions chosen =
                new CompactRangeOptions()
                        .setExclusiveManualCompaction(false)
                        .setAllowWriteStall(false);
        compacting.set(chosen);
        try {
            if (!isCompactingEnded) {
                database.compactRange(handle(family), range.from(), range.to(), chosen);
            }
        } catch (RocksDBException e) {
            if (e.getStatus() != null && e.getStatus().getCode() == Status.Code.Corruption) {
                throw unreadable(
                        family, range.from(), e); // the rest of a file that is in the range
            }
            if (!isCompactingEnded && !CompactionRoom.isTooLarge(e)) {
                throw failed("compact " + family.columnFamily() + " of", e);
            }
        } finally {
            synchronized (compacting) {
                compacting.set(null);
                chosen.close();
            }
            gate.leave();
        }
    }

    @Override
    public void endCompaction() {
        isCompactingEnded = true;
        synchronized (compacting) {
            CompactRangeOptions underWay = compacting.get();
            if (underWay != null) {
                underWay.setCanceled(true);
            }
        }
    }

    /**
     * By a counter: the event that RocksDB has for it doesn't reach Java when a flush fails that no
     * log depends on: here, every one.
     */
    @Override
    public void check() throws DiskFailure {
        enterToWrite();
        try {
            String cause = errors.lookForFailure();
            if (cause != null) {
                throw failed("flush or compact", new RocksDBException(cause));
            }
            String met = errors.takeDamage();
            if (met != null) {
                endMerges();
                String text = "can't compact tables of the store in " + folder + ": " + met;
                ReadFailure.mark(folder, text);
                throw new Unreadable(text, new RocksDBException(met));
            }
        } catch (RocksDBException e) {
            throw failed("look at", e);
        } finally {
            gate.leave();
        }
    }

    /**
     * Nothing is merged any more once something can't be read: a compaction that met it would end
     * all writing. Without compactions the database never makes writers wait for one.
     */
    private Unreadable unreadable(Family family, byte[] key, RocksDBException cause) {
        endMerges();
        return ReadFailure.of(folder, family, key, cause);
    }

    private void endMerges() {
        if (!isDamaged.getAndSet(true)) {
            endCompaction();
            MutableColumnFamilyOptions none =
                    MutableColumnFamilyOptions.builder().setDisableAutoCompactions(true).build();
            try {
                for (ColumnFamilyHandle each : families) {
                    database.setOptions(each, none);
                }
            } catch (RocksDBException e) {
                LOG.warn(
                        "Can't stop the compactions of the store in {}: {}",
                        folder,
                        e.getMessage());
            }
        }
    }

    /** What memtables take now, outside the heap. */
    long memtableBytes() throws DiskFailure {
        enter();
        try {
            return database.getAggregatedLongProperty(MEMTABLE_BYTES);
        } catch (RocksDBException e) {
            throw failed("look at", e);
        } finally {
            gate.leave();
        }
    }

    @Override
    public long bytes() {
        return new RocksFolder(folder).bytes();
    }

    /**
     * A consistent copy of everything that was written, in a folder that does not exist yet. Table
     * files are hard links where the file system can: no second copy of what is there.
     */
    public void checkpoint(Path to) throws DiskFailure {
        flush();
        enterToWrite();
        try (Checkpoint checkpoint = Checkpoint.create(database)) {
            checkpoint.createCheckpoint(to.toString());
        } catch (RocksDBException e) {
            throw new DiskFailure(
                    "can't copy the store in " + folder + " to " + to + ": " + e.getMessage(), e);
        } finally {
            gate.leave();
        }
    }

    /** What the memtables hold becomes files, so that the next start has little to replay. */
    @Override
    public void close() {
        endCompaction();
        if (!gate.close(CLOSE_MS)) {
            LOG.warn("The store in {} is left open: it is still being read", folder);
            return;
        }
        if (failure.get() == null) {
            try {
                flushes.flush();
            } catch (RocksDBException e) {
                LOG.warn(
                        "Can't flush the store in {}; everything is in the journal: {}",
                        folder,
                        e.getMessage());
            }
        }
        families.forEach(ColumnFamilyHandle::close);
        database.close();
        unlogged.close();
        options.close();
    }

    private ColumnFamilyHandle handle(Family family) {
        return families.get(family.ordinal());
    }

    private void enter() throws DiskFailure {
        if (!gate.enter()) {
            throw new DiskFailure(
                    "the store in " + folder + " is closed", new IllegalStateException("closed"));
        }
    }

    private void enterToWrite() throws DiskFailure {
        enter();
        DiskFailure before = failure.get();
        if (before != null) {
            gate.leave();
            throw new DiskFailure(
                    "the store in " + folder + " has failed before: " + before.getMessage(),
                    before);
        }
    }

    private DiskFailure failed(String what, RocksDBException cause) {
        DiskFailure failed =
                new DiskFailure(
                        "can't " + what + " the store in " + folder + ": " + cause.getMessage(),
                        cause);
        failure.compareAndSet(null, failed);
        return failed;
    }
}
