package io.godwit.persistence.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class SimulatedDiskTest {
    @Test
    void a_crash_keeps_what_was_flushed_and_a_prefix_of_the_rest() throws Exception {
        TreeSet<Integer> survivors = new TreeSet<>();
        Random random = new Random(1);
        for (int round = 0; round < 200; round++) {
            SimulatedDisk disk = new SimulatedDisk();
            put(disk, 0);
            put(disk, 1);
            disk.flush();
            for (int i = 2; i < 6; i++) {
                put(disk, i);
            }
            assertThat(disk.unflushedBatches()).isEqualTo(4);
            SimulatedDisk after = disk.crash(random);
            int count = after.count(Family.QUEUES);
            for (int i = 0; i < count; i++) {
                assertThat(after.get(Family.QUEUES, new byte[] {(byte) i})).isNotNull();
            }
            survivors.add(count);
            assertThatThrownBy(() -> put(disk, 9)).isInstanceOf(DiskFailure.class);
        }
        assertThat(survivors).containsExactly(2, 3, 4, 5, 6);
    }

    @Test
    void a_flush_that_fails_ends_all_writing() throws Exception {
        int[] left = {3};
        SimulatedDisk disk =
                new SimulatedDisk(
                        new SimulatedDisk.Weather() {
                            @Override
                            public void beforeWrite(boolean sync) throws IOException {
                                if (--left[0] == 0) {
                                    throw new IOException("no");
                                }
                            }
                        });
        put(disk, 0);
        put(disk, 1);
        assertThatThrownBy(disk::flush).isInstanceOf(DiskFailure.class);
        assertThat(disk.count(Family.QUEUES)).isEqualTo(2);
        assertThatThrownBy(() -> put(disk, 2)).hasMessageContaining("failed before");
        assertThatThrownBy(disk::flush).hasMessageContaining("failed before");
        SimulatedDisk.Weather fair = SimulatedDisk.Weather.FAIR;
        assertThat(disk.crash(new Random(3), fair).count(Family.QUEUES)).isBetween(0, 2);
    }

    @Test
    void what_is_written_inside_a_flush_is_not_in_it() throws Exception {
        AtomicReference<SimulatedDisk> inside = new AtomicReference<>();
        SimulatedDisk disk =
                new SimulatedDisk(
                        new SimulatedDisk.Weather() {
                            @Override
                            public void beforeWrite(boolean sync) {}

                            @Override
                            public void insideFlush() throws IOException {
                                try {
                                    put(Objects.requireNonNull(inside.get()), 7);
                                } catch (DiskFailure e) {
                                    throw new IOException(e);
                                }
                            }
                        });
        inside.set(disk);
        put(disk, 0);
        put(disk, 1);
        disk.flush();
        assertThat(disk.unflushedBatches()).isEqualTo(1);
        assertThat(disk.get(Family.QUEUES, new byte[] {7})).isNotNull();
        disk.flush();
        assertThat(disk.unflushedBatches()).as("the one of the second flush").isEqualTo(1);
        SimulatedDisk.Weather fair = SimulatedDisk.Weather.FAIR;
        assertThat(disk.crash(new Random(3), fair).count(Family.QUEUES)).isEqualTo(3);
    }

    @Test
    void a_flush_that_fails_in_its_middle_has_written_nothing() throws Exception {
        SimulatedDisk disk =
                new SimulatedDisk(
                        new SimulatedDisk.Weather() {
                            @Override
                            public void beforeWrite(boolean sync) {}

                            @Override
                            public void insideFlush() throws IOException {
                                throw new IOException("no");
                            }
                        });
        put(disk, 0);
        assertThatThrownBy(disk::flush).isInstanceOf(DiskFailure.class);
        assertThat(disk.unflushedBatches()).isEqualTo(1);
        assertThatThrownBy(() -> put(disk, 2)).hasMessageContaining("failed before");
    }

    private static void put(SimulatedDisk disk, int key) throws DiskFailure {
        Batch batch = new Batch();
        batch.put(Family.QUEUES, new byte[] {(byte) key}, new byte[1]);
        disk.write(batch);
    }
}
