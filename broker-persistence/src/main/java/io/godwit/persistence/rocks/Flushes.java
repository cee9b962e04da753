package io.godwit.persistence.rocks;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.FlushOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** Flushes all families together, and counts what is not flushed yet. Any thread. */
final class Flushes {
    private static final String UNFLUSHED_MEMTABLES = "rocksdb.num-immutable-mem-table";

    private final RocksDB database;
    private final List<ColumnFamilyHandle> families;
    private final RocksOptions.Use use;
    private final BackgroundErrors errors;
    private final AtomicLong writtenBytes = new AtomicLong();
    private final AtomicLong flushedBytes = new AtomicLong();

    Flushes(
            RocksDB database,
            List<ColumnFamilyHandle> families,
            RocksOptions.Use use,
            BackgroundErrors errors) {
        this.database = database;
        this.families = families;
        this.use = use;
        this.errors = errors;
    }

    void written(long bytes) {
        writtenBytes.addAndGet(bytes);
    }

    long unflushedBytes() {
        long flushed = flushedBytes.get();
        return writtenBytes.get() - flushed;
    }

    void flush() throws RocksDBException {
        long before = writtenBytes.get();
        if (use == RocksOptions.Use.TOOL) {
            try (FlushOptions wait = new FlushOptions().setWaitForFlush(true)) {
                database.flush(wait, families);
            }
        } else {
            flushWatched();
        }
        flushedBytes.accumulateAndGet(before, Math::max);
    }

    /** Opened for a broker, RocksDB would wait for ever for a flush that fails, and say nothing. */
    private void flushWatched() throws RocksDBException {
        awaitPending(); // as RocksDB would, so that no writer has to wait for this one
        try (FlushOptions begin =
                new FlushOptions().setWaitForFlush(false).setAllowWriteStall(true)) {
            database.flush(begin, families);
        }
        awaitPending();
    }

    /** Waits for flushes that have begun; fails when one of them does. */
    void awaitPending() throws RocksDBException {
        while (database.getAggregatedLongProperty(UNFLUSHED_MEMTABLES) > 0) {
            String cause = errors.lookForFailure();
            if (cause != null) {
                throw new RocksDBException(cause);
            }
            try {
                TimeUnit.MILLISECONDS.sleep(1);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new RocksDBException("interrupted");
            }
        }
    }
}
