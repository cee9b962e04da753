package io.godwit.persistence.rocks;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.FlushOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

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
        try (FlushOptions begin =
                new FlushOptions().setWaitForFlush(false).setAllowWriteStall(true)) {
            do {
                awaitPending(); // as RocksDB would, so that no writer has to wait for this one
            } while (!begin(begin));
        }
        awaitPending();
    }

    /**
     * @return false while writes are stopped, since memtables fill up, or files come, faster than
     *     the disk takes them: RocksDB begins no flush then that it does not wait for
     */
    private boolean begin(FlushOptions options) throws RocksDBException {
        try {
            database.flush(options, families);
            return true;
        } catch (RocksDBException e) {
            if (e.getStatus() == null || e.getStatus().getCode() != Status.Code.TryAgain) {
                throw e;
            }
            lookAndSleep();
            return false;
        }
    }

    /** Waits for flushes that have begun; fails when one of them does. */
    void awaitPending() throws RocksDBException {
        while (database.getAggregatedLongProperty(UNFLUSHED_MEMTABLES) > 0) {
            lookAndSleep();
        }
    }

    private void lookAndSleep() throws RocksDBException {
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
