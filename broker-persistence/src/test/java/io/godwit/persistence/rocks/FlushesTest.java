package io.godwit.persistence.rocks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.FlushOptions;
import org.rocksdb.MutableColumnFamilyOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

class FlushesTest {
    @TempDir Path folder;

    /** RocksDB stops writes while too many files wait to be compacted, and begins no flush then. */
    @Test
    void flush_waits_while_writes_are_stopped() throws Exception {
        RocksDB.loadLibrary();
        try (Options options = new Options().setCreateIfMissing(true);
                RocksDB database = RocksDB.open(options, folder.toString())) {
            stopWrites(database);
            ColumnFamilyHandle family = database.getDefaultColumnFamily();
            Flushes flushes =
                    new Flushes(
                            database,
                            List.of(family),
                            RocksOptions.Use.BROKER,
                            new BackgroundErrors(folder, database));
            flushes.written(1);
            CompletableFuture<Void> flushed = CompletableFuture.runAsync(() -> flush(flushes));
            TimeUnit.MILLISECONDS.sleep(100);
            assertThat(flushed).isNotDone();

            database.continueBackgroundWork();
            flushed.get(30, TimeUnit.SECONDS);
            assertThat(flushes.unflushedBytes()).isZero();
            assertThat(database.getLongProperty("rocksdb.num-entries-active-mem-table")).isZero();
        }
    }

    /** Has three files wait to be compacted where two are too many, and one entry unflushed. */
    private static void stopWrites(RocksDB database) throws RocksDBException {
        try (FlushOptions wait = new FlushOptions().setWaitForFlush(true)) {
            for (int i = 0; i < 3; i++) {
                database.put("key".getBytes(UTF_8), new byte[] {(byte) i});
                database.flush(wait);
            }
        }
        database.put("key".getBytes(UTF_8), new byte[] {3});
        database.pauseBackgroundWork();
        database.setOptions(
                MutableColumnFamilyOptions.builder()
                        .setLevel0FileNumCompactionTrigger(1)
                        .setLevel0SlowdownWritesTrigger(1)
                        .setLevel0StopWritesTrigger(2)
                        .build());
        assertThat(database.getLongProperty("rocksdb.is-write-stopped")).isEqualTo(1);
    }

    private static void flush(Flushes flushes) {
        try {
            flushes.flush();
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        }
    }
}
