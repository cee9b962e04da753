package io.godwit.persistence.rocks;

import java.util.List;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.Env;
import org.rocksdb.MutableColumnFamilyOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileManager;
import org.rocksdb.Status;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a compaction begin only when its result fits on the disk beside what it replaces, with a
 * quarter of the free bytes to spare. RocksDB tries one that does not fit again every second.
 *
 * <p>RocksDB bounds the bytes of all tables, not what is free: the bound is what tables take now
 * and what is free. A flush that meets the bound would end all writing, so that the bound and what
 * a compaction leaves are both larger by the same number.
 *
 * <p>Where a compaction may have to wait, writers do not wait for it: their removals make room.
 */
final class CompactionRoom implements AutoCloseable {
    /** How RocksDB's error begins when a compaction does not fit. */
    static final String TOO_LARGE = "Compaction too large";

    private static final Logger LOG = LoggerFactory.getLogger(CompactionRoom.class);
    private static final long OUT_OF_REACH = 1L << 40;
    private static final long UNKNOWN_BYTES = 1L << 60;
    private static final int SPARE_PART = 4;

    /** RocksDB's own; less where the disk is small, so that a compaction needs less room. */
    private static final long LEVEL_BYTES_MAX = 256L << 20;

    private static final long FILE_BYTES_MAX = 64L << 20;
    private static final int LEVEL_PART = 4;
    private static final int FILES_PER_LEVEL = 2;
    private static final int COMPACTION_PART = 2;

    /** RocksDB's own, in tables of level 0. */
    private static final int SLOW_TABLES = 20;

    private static final int STOP_TABLES = 36;
    private static final int NO_STOP_TABLES = 1 << 20;

    private final long freeBytes;
    private final SstFileManager files;
    private boolean isShort;

    /**
     * @param freeBytes below which the disk alarm is raised
     */
    CompactionRoom(long freeBytes) throws RocksDBException {
        this.freeBytes = freeBytes;
        files = new SstFileManager(Env.getDefault());
        files.setCompactionBufferSize(OUT_OF_REACH + freeBytes / SPARE_PART);
    }

    /**
     * Whether a compaction that was asked for does not fit. RocksDB's Java code knows neither this
     * status nor that of a dropped family, and no family is ever dropped.
     */
    static boolean isTooLarge(RocksDBException failure) {
        return failure.getStatus() != null
                && failure.getStatus().getCode() == Status.Code.Undefined;
    }

    SstFileManager files() {
        return files;
    }

    /** Sets what is free before the database is opened. */
    void open(long tableBytes, long usableBytes) {
        bound(tableBytes, usableBytes);
        isShort = mayWait(usableBytes);
    }

    private void bound(long tableBytes, long usableBytes) {
        files.setMaxAllowedSpaceUsage(
                tableBytes + Math.min(usableBytes, UNKNOWN_BYTES) + OUT_OF_REACH);
    }

    /** Whether compactions may not fit: then writers do not wait for them. */
    private boolean mayWait(long usableBytes) {
        return usableBytes < (isShort ? 3 : 2) * freeBytes;
    }

    /** Makes levels and files so small that compactions take no more than a part of the reserve. */
    void size(ColumnFamilyOptions family) {
        long level = Math.min(LEVEL_BYTES_MAX, freeBytes / LEVEL_PART);
        family.setMaxBytesForLevelBase(level)
                .setTargetFileSizeBase(Math.min(FILE_BYTES_MAX, level / FILES_PER_LEVEL))
                .setMaxCompactionBytes(freeBytes / COMPACTION_PART);
        if (isShort) {
            family.setLevel0SlowdownWritesTrigger(NO_STOP_TABLES)
                    .setLevel0StopWritesTrigger(NO_STOP_TABLES);
        }
    }

    /** Sets what is free now. One thread. */
    void set(RocksDB database, List<ColumnFamilyHandle> families, long usableBytes) {
        bound(files.getTotalSize(), usableBytes);
        boolean mayWait = mayWait(usableBytes);
        if (mayWait == isShort) {
            return;
        }
        isShort = mayWait;
        MutableColumnFamilyOptions stops =
                MutableColumnFamilyOptions.builder()
                        .setLevel0SlowdownWritesTrigger(mayWait ? NO_STOP_TABLES : SLOW_TABLES)
                        .setLevel0StopWritesTrigger(mayWait ? NO_STOP_TABLES : STOP_TABLES)
                        .build();
        try {
            for (ColumnFamilyHandle each : families) {
                database.setOptions(each, stops);
            }
        } catch (RocksDBException e) {
            LOG.warn("Can't change when writers wait for compactions: {}", e.getMessage());
        }
    }

    @Override
    public void close() {
        files.close();
    }
}
