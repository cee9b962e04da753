package io.godwit.persistence.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SimulatedDiskTest {
    @Test
    void a_power_cut_keeps_what_was_synced_and_a_prefix_of_the_rest() throws Exception {
        TreeSet<Integer> survivors = new TreeSet<>();
        for (int seed = 0; seed < 200; seed++) {
            SimulatedDisk disk = new SimulatedDisk();
            put(disk, 0, false);
            put(disk, 1, true);
            for (int i = 2; i < 6; i++) {
                put(disk, i, false);
            }
            assertThat(disk.unsyncedBatches()).isEqualTo(4);
            SimulatedDisk after = disk.powerCut(new Random(seed));
            int count = after.count(Family.QUEUES);
            for (int i = 0; i < count; i++) {
                assertThat(after.get(Family.QUEUES, new byte[] {(byte) i})).isNotNull();
            }
            survivors.add(count);
            assertThatThrownBy(() -> put(disk, 9, true)).isInstanceOf(DiskFailure.class);
        }
        assertThat(survivors).containsExactly(2, 3, 4, 5, 6);
    }

    @Test
    void a_killed_process_loses_nothing_that_was_written() throws Exception {
        SimulatedDisk disk = new SimulatedDisk();
        put(disk, 0, false);
        put(disk, 1, false);
        assertThat(disk.kill().count(Family.QUEUES)).isEqualTo(2);
    }

    @Test
    void a_sync_that_fails_keeps_its_batch_from_the_reader_and_ends_all_writing() throws Exception {
        int[] left = {2};
        SimulatedDisk disk =
                new SimulatedDisk(
                        new SimulatedDisk.Weather() {
                            @Override
                            public void beforeWrite(boolean sync) throws IOException {
                                if (--left[0] == 0) {
                                    throw new IOException("no");
                                }
                            }

                            @Override
                            public void beforeRead() {}
                        });
        put(disk, 0, true);
        assertThatThrownBy(() -> put(disk, 1, true)).isInstanceOf(DiskFailure.class);
        assertThat(disk.count(Family.QUEUES)).isEqualTo(1);
        assertThatThrownBy(() -> put(disk, 2, true)).hasMessageContaining("failed before");
        assertThatThrownBy(disk::syncLog).hasMessageContaining("failed before");
        TreeSet<Integer> survivors = new TreeSet<>();
        SimulatedDisk.Weather fair = SimulatedDisk.Weather.FAIR;
        survivors.add(disk.powerCut(new Random(3), fair).count(Family.QUEUES));
        assertThat(survivors.first()).isBetween(1, 2);
    }

    private static void put(SimulatedDisk disk, int key, boolean sync) throws DiskFailure {
        Batch batch = new Batch();
        batch.put(Family.QUEUES, new byte[] {(byte) key}, new byte[1]);
        disk.write(batch, sync);
    }
}
