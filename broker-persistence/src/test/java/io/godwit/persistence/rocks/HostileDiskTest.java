package io.godwit.persistence.rocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.StoreUnusable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** File systems that are full, read-only, or let nothing be executed. */
@Tag("alone")
class HostileDiskTest {
    @TempDir Path temp;

    private interface Opening {
        RocksDisk open(Path store) throws StoreUnusable;
    }

    private static final Opening BROKER = store -> RocksDisk.serve(store, 0);

    @Test
    @Timeout(180)
    void a_full_disk_fails_the_flush_and_all_that_follows_and_loses_nothing_flushed()
            throws Exception {
        fullDisk(HostileDiskTest::open);
    }

    @Test
    @Timeout(180)
    void a_full_disk_fails_the_flush_of_a_broker_too() throws Exception {
        fullDisk(BROKER);
    }

    private void fullDisk(Opening opening) throws Exception {
        try (MountedDisk small = MountedDisk.at(temp.resolve("small"), "size=12m")) {
            Path store = small.folder().resolve("data/store");
            int written = 0;
            int flushed = 0;
            try (RocksDisk disk = opening.open(store)) {
                DiskFailure failure = null;
                while (failure == null) {
                    try {
                        StoreFiles.put(disk, written);
                        written++;
                        if (written % 500 == 0) {
                            disk.flush();
                            flushed = written;
                        }
                    } catch (DiskFailure e) {
                        failure = e;
                    }
                }
                assertThat(failure).hasMessageContaining("No space left on device");
                int next = written;
                small.remount(
                        "size=40m"); // room again: what failed is not tried again all the same
                assertThatThrownBy(() -> StoreFiles.put(disk, next))
                        .isInstanceOf(DiskFailure.class)
                        .hasMessageContaining("has failed before");
                assertThatThrownBy(disk::flush).hasMessageContaining("has failed before");
            }
            try (RocksDisk disk = open(store)) {
                assertThat(StoreFiles.prefix(disk)).isEqualTo(flushed).isGreaterThan(1000);
            }
        }
    }

    @Test
    @Timeout(180)
    void a_flush_that_fails_ends_all_writing() throws Exception {
        failingFlush(HostileDiskTest::open);
    }

    @Test
    @Timeout(180)
    void a_flush_of_a_broker_that_fails_ends_all_writing() throws Exception {
        failingFlush(BROKER);
    }

    private void failingFlush(Opening opening) throws Exception {
        Path store = temp.resolve("store");
        try (RocksDisk disk = opening.open(store)) {
            StoreFiles.put(disk, 0);
            disk.flush();
            StoreFiles.put(disk, 1);
            block(store);
            assertThatThrownBy(() -> disk.flush())
                    .isInstanceOf(DiskFailure.class)
                    .hasMessageContaining("can't flush the store in " + store)
                    .hasMessageContaining(".sst: Is a directory");
            assertThatThrownBy(() -> StoreFiles.put(disk, 1))
                    .isInstanceOf(DiskFailure.class)
                    .hasMessageContaining("has failed before: can't flush");
        }
        unblock(store);
        try (RocksDisk disk = open(store)) {
            assertThat(StoreFiles.prefix(disk)).isEqualTo(1);
        }
    }

    @Test
    void a_flush_that_failed_in_the_background_is_noticed() throws Exception {
        Path store = temp.resolve("store");
        try (RocksDisk disk = open(store)) {
            disk.check();
            block(store);
            // A memtable of 16 MiB fills up, and is flushed in the background.
            DiskFailure failure = null;
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
            for (int number = 0; failure == null && System.nanoTime() < end; number++) {
                try {
                    if (number < 18_000) {
                        StoreFiles.put(disk, number);
                    }
                    disk.check();
                } catch (DiskFailure e) {
                    failure = e;
                }
            }
            assertThat(failure)
                    .hasMessageContaining("the store in " + store)
                    .hasMessageMatching("can't (flush or compact|write to) .*");
            assertThatThrownBy(() -> StoreFiles.put(disk, 0)).isInstanceOf(DiskFailure.class);
        }
    }

    @Test
    @Timeout(180)
    void a_flush_of_a_broker_that_failed_in_the_background_is_noticed_while_a_write_waits()
            throws Exception {
        Path store = temp.resolve("store");
        Thread writer = null;
        try (RocksDisk disk = BROKER.open(store)) {
            disk.check();
            block(store);
            writer =
                    new Thread(() -> {
                        try {
                            for (int number = 0; number < 60_000; number++) {
                                StoreFiles.put(disk, number);
                            }
                        } catch (DiskFailure e) {
                            // What was looked for ends it.
                        }
                    });
            writer.start();
            DiskFailure failure = null;
            while (failure == null) {
                try {
                    disk.check();
                    TimeUnit.MILLISECONDS.sleep(20);
                } catch (DiskFailure e) {
                    failure = e;
                }
            }
            assertThat(failure).hasMessageContaining(".sst: Is a directory");
            assertThatThrownBy(() -> StoreFiles.put(disk, 0)).isInstanceOf(DiskFailure.class);
            unblock(store);
            writer.join();
        }
    }

    @Test
    void a_disk_that_is_full_at_start_is_named() throws Exception {
        try (MountedDisk small = MountedDisk.at(temp.resolve("small"), "size=4k")) {
            Path store = small.folder().resolve("store");
            assertThatThrownBy(() -> open(store))
                    .isInstanceOf(StoreUnusable.class)
                    .hasMessageContaining(store.toString())
                    .hasMessageContaining("the disk is full. Make room");
        }
    }

    @Test
    void a_read_only_file_system_is_named() throws Exception {
        try (MountedDisk disk = MountedDisk.at(temp.resolve("disk"), "size=40m")) {
            Path store = StoreFiles.killed(disk.folder().resolve("store"), 10, 9);
            disk.remount("ro");
            assertThatThrownBy(() -> open(store))
                    .isInstanceOf(StoreUnusable.class)
                    .hasMessageContaining(store.toString())
                    .hasMessageContaining("mounted read-only");
            Path missing = disk.folder().resolve("missing");
            assertThatThrownBy(() -> open(missing))
                    .isInstanceOf(StoreUnusable.class)
                    .hasMessageContaining("mounted read-only");
            disk.remount("rw");
            try (RocksDisk opened = open(store)) {
                assertThat(StoreFiles.prefix(opened)).isEqualTo(10);
            }
        }
    }

    @Test
    void a_folder_without_a_right_to_execute_gives_way_to_the_temporary_one() throws Exception {
        try (MountedDisk noexec = MountedDisk.at(temp.resolve("noexec"), "size=80m,noexec")) {
            Path store = noexec.folder().resolve("store");
            assertThat(ChildProcess.opens(store).output()).contains("opened 0 entries");
            ChildProcess neither = ChildProcess.opens(store, "-Djava.io.tmpdir=" + noexec.folder());
            assertThat(neither.output())
                    .contains(
                            "can't load RocksDB's native library",
                            "failed to map segment from shared object",
                            "not mounted noexec",
                            "ROCKSDB_SHAREDLIB_DIR",
                            "-Djava.io.tmpdir",
                            "glibc 2.17");
            Path chosen = Files.createDirectory(temp.resolve("chosen"));
            ChildProcess other =
                    ChildProcess.opens(
                            store,
                            Map.of("ROCKSDB_SHAREDLIB_DIR", chosen.toString()),
                            "-Djava.io.tmpdir=" + noexec.folder());
            assertThat(other.output()).contains("opened 0 entries");
        }
    }

    @Test
    void a_library_for_another_system_is_reported_with_every_place_that_was_tried() {
        Path beside = temp.resolve("native");
        List<@Nullable String> tried = new ArrayList<>();
        assertThatThrownBy(() ->
                        RocksLibrary.load(
                                RocksLibrary.places(beside, null),
                                folder -> {
                                    tried.add(folder);
                                    throw new UnsatisfiedLinkError("GLIBC_2.17 not found");
                                }))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining(beside + ": GLIBC_2.17 not found")
                .hasMessageContaining(System.getProperty("java.io.tmpdir"));
        assertThat(tried).containsExactly(beside.toString(), null);
    }

    @Test
    void a_folder_that_the_operator_chose_is_the_only_one() throws IOException {
        assertThat(RocksLibrary.places(temp, "/opt/native"))
                .containsExactly(Path.of("/opt/native"));
    }

    /** Folders where the next table files would be. */
    private static void block(Path store) throws IOException {
        for (int number = 8; number < 60; number++) {
            Path table = store.resolve(String.format("%06d.sst", number));
            if (!Files.exists(table)) {
                Files.createDirectory(table);
            }
        }
    }

    private static void unblock(Path store) throws IOException {
        for (Path each : StoreFiles.files(store, "\\d+\\.sst")) {
            if (Files.isDirectory(each)) {
                Files.delete(each);
            }
        }
    }

    private static RocksDisk open(Path store) throws StoreUnusable {
        return RocksDisk.open(store);
    }
}
