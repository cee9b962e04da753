package io.godwit.persistence.rocks;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Family;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RocksMemoryTest {
    private static final long MIB = 1L << 20;

    @TempDir Path folder;

    @ParameterizedTest
    @CsvSource({"1, 11, 16", "16, 11, 16", "24, 17, 24", "112, 80, 112", "4096, 80, 4096"})
    void memtables_and_cache_share_what_the_operator_gives(
            long givenMib, long memtablesMib, long allMib) throws Exception {
        RocksLibrary.load(folder);
        try (RocksOptions options = new RocksOptions(givenMib * MIB, RocksOptions.Use.BROKER)) {
            assertThat(options.memtableBytes() / MIB).isEqualTo(memtablesMib);
            assertThat(options.memtableBytes() + options.cacheBytes()).isEqualTo(allMib * MIB);
        }
    }

    @Test
    void little_memory_means_files_sooner() throws Exception {
        byte[] value = new byte[64 << 10];
        try (RocksDisk disk = RocksDisk.serve(folder.resolve("store"), 16 * MIB)) {
            long mostInMemory = 0;
            for (int i = 0; i < 640; i++) { // 40 MiB: would fit into larger memtables
                Batch batch = new Batch();
                batch.put(Family.QUEUES, new byte[] {(byte) (i >> 8), (byte) i}, value);
                disk.write(batch);
                mostInMemory = Math.max(mostInMemory, disk.memtableBytes());
            }
            assertThat(mostInMemory).isBetween(MIB, 12 * MIB);
        }
    }
}
