package io.godwit.persistence.rocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.KeyRange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Compactions on a disk that is nearly full. */
class CompactionRoomTest {
    private static final long MIB = 1L << 20;
    private static final long FREE = 64 * MIB;

    /** More than those of level 0 at which RocksDB would make writers wait. */
    private static final int FLUSHES = 40;

    @TempDir Path folder;

    private final SplittableRandom random = new SplittableRandom(1);

    /** Tables of the same keys, so that a compaction writes one of them anew. */
    private void flushTable(RocksDisk disk) throws Exception {
        Batch batch = new Batch();
        for (int i = 0; i < 10; i++) {
            byte[] value = new byte[10_000];
            random.nextBytes(value);
            batch.put(Family.QUEUES, new byte[] {1, (byte) i}, value);
        }
        disk.write(batch);
        disk.flush();
    }

    private long tables() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("store"))) {
            return files.filter(each -> each.toString().endsWith(".sst")).count();
        }
    }

    @Test
    @Timeout(60)
    void compactions_wait_until_they_fit_and_nobody_waits_for_them() throws Exception {
        try (RocksDisk disk = RocksDisk.serve(folder.resolve("store"), 0, FREE, FREE / 5)) {
            disk.endStart();
            disk.room(FREE / 5);
            for (int i = 0; i < FLUSHES; i++) {
                flushTable(disk);
            }
            TimeUnit.MILLISECONDS.sleep(1_500);
            assertThat(tables()).isGreaterThanOrEqualTo(FLUSHES);
            KeyRange all = new KeyRange(new byte[] {1}, new byte[] {2});
            disk.compact(Family.QUEUES, all);
            assertThat(tables()).as("one that was asked for").isGreaterThanOrEqualTo(FLUSHES);
            assertThatCode(disk::check).as("what waits has not failed").doesNotThrowAnyException();
            flushTable(disk);

            disk.room(4 * FREE);
            while (tables() > FLUSHES / 4) {
                TimeUnit.MILLISECONDS.sleep(50);
                disk.check();
            }
            flushTable(disk);
        }
    }

    @Test
    void compactions_run_where_there_is_room() throws Exception {
        try (RocksDisk disk = RocksDisk.serve(folder.resolve("store"), 0, FREE, 4 * FREE)) {
            for (int i = 0; i < FLUSHES; i++) {
                flushTable(disk);
            }
            while (tables() > FLUSHES / 4) {
                TimeUnit.MILLISECONDS.sleep(50);
                disk.check();
            }
        }
    }
}
