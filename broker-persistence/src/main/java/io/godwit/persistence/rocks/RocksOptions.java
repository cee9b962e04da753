package io.godwit.persistence.rocks;

import io.godwit.persistence.disk.Family;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;

/**
 * Every option of the database, in one place.
 *
 * <p><i>Native memory</i> is bounded by what the operator gives: two memtables of each family (one
 * is filled while the other is flushed) take five sevenths of it and no more than 80 MiB, one cache
 * for the blocks, indexes and filters of all files has the rest; iterators and the buffers of a
 * flush or compaction come on top, a few MiB. Memtables stay small because a skip list of 16 MiB
 * costs half the CPU per insert of one of 64 MiB.
 *
 * <p><i>No write-ahead log</i>: the journal has it all. A memtable that fills up is flushed with
 * those of all other families, at one point between two batches.
 */
final class RocksOptions implements AutoCloseable {
    /** The least that makes sense: with less, memtables would be flushed every few hundred KiB. */
    static final long NATIVE_BYTES_MIN = 16L << 20;

    /** The bytes with which memtables are as large as they get. */
    static final long NATIVE_BYTES_DEFAULT = 112L << 20;

    private static final int MEMTABLES_PER_FAMILY = 2;
    private static final long UNITS = unitsOfAll();
    private static final long UNIT_BYTES_MAX = 1L << 20;

    private static final int OPEN_FILES_MAX = 512;
    private static final int BACKGROUND_JOBS = 2;
    private static final long INFO_LOG_BYTES = 2L << 20;
    private static final int INFO_LOG_FILES = 4;
    private static final long MANIFEST_BYTES = 16L << 20;
    private static final long BLOCK_BYTES = 16L << 10;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final Use use;
    private final long unitBytes;
    private final long cacheBytes;
    private final LRUCache cache;
    private final @Nullable CompactionRoom room;
    private final TableBytes tables = keep(new TableBytes());

    /** What the database is opened for. */
    enum Use {
        /** A tool: any error of the background ends all writing at once. */
        TOOL,

        /**
         * A broker: a merge that meets a damaged block ends nothing but itself. RocksDB then leaves
         * it to us to notice that a flush has failed, and to look whether all files are there.
         */
        BROKER,

        /** A broker on a store with damaged blocks: nothing is merged. */
        BROKER_BESIDE_DAMAGE
    }

    /**
     * @param nativeBytes what the database may take outside the heap, but for what runs for a
     *     moment; not below {@link #NATIVE_BYTES_MIN}
     */
    RocksOptions(long nativeBytes, Use use) {
        this(nativeBytes, use, null);
    }

    /**
     * @param room bounds compactions by what is free on the disk, and is closed with the options;
     *     null: they have no bound
     */
    RocksOptions(long nativeBytes, Use use, @Nullable CompactionRoom room) {
        this.use = use;
        this.room = room == null ? null : keep(room);
        long bytes = Math.max(nativeBytes, NATIVE_BYTES_MIN);
        unitBytes = Math.min(bytes / 7 * 5 / UNITS, UNIT_BYTES_MAX);
        cacheBytes = bytes - unitBytes * UNITS;
        cache = keep(new LRUCache(cacheBytes));
    }

    /** All memtables when each is full. */
    long memtableBytes() {
        return unitBytes * UNITS;
    }

    long cacheBytes() {
        return cacheBytes;
    }

    /** Bytes of all table files that were written. */
    long tableBytes() {
        return tables.written();
    }

    DBOptions database() {
        DBOptions chosen = keep(new DBOptions());
        if (room != null) {
            chosen.setSstFileManager(room.files());
        }
        return chosen.setStatistics(tables.statistics())
                .setParanoidChecks(use == Use.TOOL)
                // Without a log, nothing else holds the families together after a crash.
                .setAtomicFlush(true)
                .setAvoidFlushDuringShutdown(true) // RocksDisk does so before, and hears of errors
                .setMaxBgErrorResumeCount(0) // what failed once is never tried again
                .setMaxBackgroundJobs(BACKGROUND_JOBS)
                .setMaxSubcompactions(1)
                .setBytesPerSync(
                        1L << 20) // no burst at the end of a file beside the journal's syncs
                .setMaxOpenFiles(OPEN_FILES_MAX)
                .setMaxManifestFileSize(MANIFEST_BYTES)
                .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
                .setMaxLogFileSize(INFO_LOG_BYTES)
                .setKeepLogFileNum(INFO_LOG_FILES)
                .setStatsDumpPeriodSec(0)
                .setStatsPersistPeriodSec(0)
                .setSkipStatsUpdateOnDbOpen(true);
    }

    /** All families, in the order of their numbers. */
    List<ColumnFamilyDescriptor> families() {
        List<ColumnFamilyDescriptor> all = new ArrayList<>();
        for (Family family : Family.values()) {
            all.add(
                    new ColumnFamilyDescriptor(
                            family.columnFamily().getBytes(StandardCharsets.US_ASCII),
                            options(family)));
        }
        return all;
    }

    private ColumnFamilyOptions options(Family family) {
        BlockBasedTableConfig table =
                new BlockBasedTableConfig()
                        .setBlockCache(cache)
                        .setBlockSize(BLOCK_BYTES) // rows are read in pages, never one by one
                        .setCacheIndexAndFilterBlocks(true) // else they have no bound
                        .setPinL0FilterAndIndexBlocksInCache(true);
        ColumnFamilyOptions chosen = keep(new ColumnFamilyOptions());
        if (room != null) {
            room.size(chosen);
        }
        return chosen.setWriteBufferSize(units(family) * unitBytes)
                .setMaxWriteBufferNumber(MEMTABLES_PER_FAMILY)
                .setDisableAutoCompactions(use == Use.BROKER_BESIDE_DAMAGE)
                .setCompressionType(compression(family))
                .setTableFormatConfig(table);
    }

    /** How the families share what memtables may take. */
    private static long units(Family family) {
        return switch (family) {
            case QUEUES -> 16;
            case PAYLOADS, RETAINED -> 8;
            case META, EXPIRY -> 4;
        };
    }

    private static CompressionType compression(Family family) {
        return switch (family) {
            case META -> CompressionType.NO_COMPRESSION; // short-lived, or small
            case QUEUES, PAYLOADS, RETAINED, EXPIRY -> CompressionType.LZ4_COMPRESSION;
        };
    }

    private static long unitsOfAll() {
        long units = 0;
        for (Family family : Family.values()) {
            units += MEMTABLES_PER_FAMILY * units(family);
        }
        return units;
    }

    private <T extends AutoCloseable> T keep(T opened) {
        open.push(opened);
        return opened;
    }

    /** Closes all options; the database was closed before. */
    @Override
    public void close() {
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (Exception e) {
                throw new IllegalStateException("a RocksDB option can't be closed", e);
            }
        }
    }
}
