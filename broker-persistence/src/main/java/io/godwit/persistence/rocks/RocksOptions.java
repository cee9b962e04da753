package io.godwit.persistence.rocks;

import io.godwit.persistence.disk.Family;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
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
 * <p><i>Native memory</i> is bounded by {@link #NATIVE_BYTES_MAX}: two memtables of each family
 * (one is filled while the other is flushed) and one cache for the blocks, indexes and filters of
 * all files; iterators and the buffers of a flush or compaction come on top, a few MiB. Memtables
 * are small because a skip list of 16 MiB costs half the CPU per insert of one of 64 MiB.
 *
 * <p><i>No write-ahead log</i>: the journal has it all. A memtable that fills up is flushed with
 * those of all other families, at one point between two batches.
 */
final class RocksOptions implements AutoCloseable {
    static final long BLOCK_CACHE_BYTES = 32L << 20;
    private static final int MEMTABLES_PER_FAMILY = 2;

    /** What the database takes outside the heap, but for what runs for a moment. */
    static final long NATIVE_BYTES_MAX = nativeBytesMax();

    private static final int OPEN_FILES_MAX = 512;
    private static final int BACKGROUND_JOBS = 2;
    private static final long INFO_LOG_BYTES = 2L << 20;
    private static final int INFO_LOG_FILES = 4;
    private static final long MANIFEST_BYTES = 16L << 20;
    private static final long BLOCK_BYTES = 16L << 10;

    /** Reads after a range delete rebuild what a memtable holds of them: 1000 cost 0.2 ms. */
    private static final int RANGE_DELETES_PER_MEMTABLE = 1000;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final LRUCache cache;

    RocksOptions() {
        cache = keep(new LRUCache(BLOCK_CACHE_BYTES));
    }

    DBOptions database() {
        return keep(new DBOptions())
                .setParanoidChecks(true)
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
        return keep(new ColumnFamilyOptions())
                .setWriteBufferSize(memtableBytes(family))
                .setMaxWriteBufferNumber(MEMTABLES_PER_FAMILY)
                .setCompressionType(compression(family))
                .setMemtableMaxRangeDeletions(RANGE_DELETES_PER_MEMTABLE)
                .setTableFormatConfig(table);
    }

    private static long memtableBytes(Family family) {
        return switch (family) {
            case QUEUES -> 16L << 20;
            case PAYLOADS, RETAINED -> 8L << 20;
            case META, EXPIRY -> 4L << 20;
        };
    }

    private static CompressionType compression(Family family) {
        return switch (family) {
            case META -> CompressionType.NO_COMPRESSION; // short-lived, or small
            case QUEUES, PAYLOADS, RETAINED, EXPIRY -> CompressionType.LZ4_COMPRESSION;
        };
    }

    private static long nativeBytesMax() {
        long bytes = BLOCK_CACHE_BYTES;
        for (Family family : Family.values()) {
            bytes += MEMTABLES_PER_FAMILY * memtableBytes(family);
        }
        return bytes;
    }

    private <T extends AutoCloseable> T keep(T opened) {
        open.push(opened);
        return opened;
    }

    /** After the database. */
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
