package io.godwit.persistence.rocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.KeyRange;
import io.godwit.persistence.disk.StoreUnusable;
import io.godwit.persistence.disk.Unreadable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DamagedTableTest {
    private static final String TABLES = "\\d+\\.sst";

    @TempDir Path temp;
    Path store;
    Path table;

    /** 100 entries of queues 0 to 9 in one table file of 7 blocks; 20 more are lost. */
    @BeforeEach
    void start() throws Exception {
        store = StoreFiles.killed(temp.resolve("store"), 120, 99);
        table = largest(StoreFiles.files(store, TABLES));
    }

    @Test
    void a_damaged_block_is_found_by_its_reader_and_the_next_start_names_queues_and_counts()
            throws Exception {
        StoreFiles.flip(table, 40_000); // the third block of the table
        try (RocksDisk disk = open(store)) {
            assertThat(disk.get(Family.QUEUES, StoreFiles.key(0))).isNotNull();
            assertThatThrownBy(() -> disk.get(Family.QUEUES, StoreFiles.key(40)))
                    .isInstanceOf(DiskFailure.class)
                    .hasMessageContaining("can't read queues (queue 0000000000000004)")
                    .hasMessageContaining(table.getFileName().toString());
            assertThatThrownBy(() -> StoreFiles.prefix(disk))
                    .isInstanceOf(DiskFailure.class)
                    .hasMessageContaining("can't read queues (queue 0000000000000003)")
                    .hasMessageContaining("block checksum mismatch");
        }
        toolsRefuse("up to 17 of 100 entries of the queues 0000000000000003 to 0000000000000004");
        toolsRefuse(table.toString());
        servedBesideDamage();
    }

    @Test
    void writing_goes_on_beside_damage_and_nothing_is_merged_any_more() throws Exception {
        StoreFiles.flip(table, 40_000);
        try (RocksDisk disk = open(store)) {
            KeyRange all = new KeyRange(new byte[0], new byte[] {-1});
            StoreFiles.put(disk, 100);
            disk.flush();
            assertThatThrownBy(() -> disk.compact(Family.QUEUES, all))
                    .isInstanceOf(Unreadable.class)
                    .hasMessageContaining(table.getFileName().toString());
            // So many tables would be merged otherwise, and that would end all writing.
            for (int number = 101; number < 112; number++) {
                StoreFiles.put(disk, number);
                disk.flush();
            }
            TimeUnit.SECONDS.sleep(1);
            disk.check();
            assertThat(table).exists();
            StoreFiles.put(disk, 112);
            disk.flush();
            assertThat(disk.get(Family.QUEUES, StoreFiles.key(112))).isNotNull();
            assertThat(disk.get(Family.QUEUES, StoreFiles.key(0))).isNotNull();
        }
        toolsRefuse("up to 17 of 100 entries of the queues 0000000000000003 to 0000000000000004");
    }

    @Test
    void a_merge_of_the_databases_own_that_meets_damage_first_ends_no_writing() throws Exception {
        StoreFiles.flip(table, 40_000);
        try (RocksDisk disk = RocksDisk.serve(store, 0)) {
            Unreadable met = null;
            for (long end = System.nanoTime() + 20_000_000_000L;
                    met == null && System.nanoTime() < end; ) {
                // From the fourth table on RocksDB merges them, since their keys overlap.
                StoreFiles.put(disk, 0);
                StoreFiles.put(disk, 99);
                disk.flush();
                try {
                    disk.check();
                    TimeUnit.MILLISECONDS.sleep(20);
                } catch (Unreadable e) {
                    met = e;
                }
            }
            assertThat(met)
                    .hasMessageContaining("can't compact tables of the store in " + store)
                    .hasMessageContaining("block checksum mismatch")
                    .hasMessageContaining(table.getFileName().toString());
            for (int more = 0; more < 8; more++) {
                StoreFiles.put(disk, 100 + more);
                disk.flush();
                TimeUnit.MILLISECONDS.sleep(200);
                disk.check(); // it is not tried again
            }
            assertThat(disk.get(Family.QUEUES, StoreFiles.key(107))).isNotNull();
            assertThat(disk.get(Family.QUEUES, StoreFiles.key(0))).isNotNull();
        }
        servedBesideDamage();
    }

    /** A start finds what an earlier one has met, and says so. */
    private void servedBesideDamage() throws Exception {
        try (RocksDisk disk = RocksDisk.serve(store, 0)) {
            assertThat(disk.damage())
                    .singleElement()
                    .asString()
                    .contains(
                            table.toString(),
                            "up to 17 of 100 entries of the queues 0000000000000003 to"
                                    + " 0000000000000004 can't be read");
            for (int number = 200; number < 210; number++) {
                StoreFiles.put(disk, number);
                disk.flush();
            }
            TimeUnit.MILLISECONDS.sleep(500);
            disk.check();
            assertThat(disk.get(Family.QUEUES, StoreFiles.key(209))).isNotNull();
            assertThat(disk.get(Family.QUEUES, StoreFiles.key(0))).isNotNull();
            assertThatThrownBy(() -> disk.get(Family.QUEUES, StoreFiles.key(40)))
                    .isInstanceOf(Unreadable.class);
        }
        assertThatThrownBy(() -> RocksDisk.open(store)).isInstanceOf(StoreUnusable.class);
    }

    @Test
    void damage_of_sessions_is_no_start_for_a_broker_either() throws Exception {
        Path meta = null;
        try (RocksLook look = RocksLook.open(store)) {
            for (TableFile each : look.tables()) {
                meta = each.family() == Family.META ? store.resolve(each.name()) : meta;
            }
        }
        assertThat(meta).isNotNull();
        StoreFiles.flip(meta, 100);
        Files.writeString(store.resolve("damaged"), "can't read\n");
        refused(meta.getFileName().toString());
    }

    @Test
    void what_can_be_read_again_is_no_reason_not_to_start() throws Exception {
        Files.writeString(store.resolve("damaged"), "can't read\n");
        try (RocksDisk disk = open(store)) {
            assertThat(StoreFiles.prefix(disk)).isEqualTo(100);
        }
        assertThat(store.resolve("damaged")).doesNotExist();
    }

    @Test
    void a_table_with_another_end_or_length_is_refused() throws Exception {
        StoreFiles.flip(table, Files.size(table) - 30);
        refused(table + " can't be read at all");
        StoreFiles.flip(table, Files.size(table) - 30);
        StoreFiles.cut(table, 100);
        refused(table.getFileName().toString());
    }

    @Test
    void missing_files_are_named_and_the_rest_is_not_opened() throws Exception {
        Path aside = temp.resolve("aside");
        for (String pattern : new String[] {TABLES, "MANIFEST-.*"}) {
            Path file = StoreFiles.newest(store, pattern);
            Files.move(file, aside);
            refused(file.getFileName().toString());
            Files.move(aside, file);
        }
        try (RocksDisk disk = open(store)) {
            assertThat(StoreFiles.prefix(disk)).isEqualTo(100);
        }
    }

    @Test
    void a_folder_without_current_is_never_opened_as_an_empty_store() throws Exception {
        Files.delete(store.resolve("CURRENT"));
        refused("holds ");
        Files.createFile(store.resolve("CURRENT"));
        refused("CURRENT file does not end with newline");
    }

    @Test
    void a_damaged_manifest_is_refused() throws Exception {
        StoreFiles.flip(StoreFiles.newest(store, "MANIFEST-.*"), 200);
        refused("MANIFEST");
    }

    private static Path largest(List<Path> files) throws IOException {
        Path largest = files.getFirst();
        for (Path each : files) {
            largest = Files.size(each) > Files.size(largest) ? each : largest;
        }
        return largest;
    }

    /** By a broker and by tools. */
    private void refused(String because) throws IOException {
        refused(because, () -> RocksDisk.serve(store, 0));
        toolsRefuse(because);
    }

    private void toolsRefuse(String because) throws IOException {
        refused(because, () -> open(store));
    }

    private void refused(String because, ThrowingCallable opens) throws IOException {
        TreeMap<String, Integer> before = contents(store);
        assertThatThrownBy(opens)
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining(store.toString())
                .hasMessageContaining(" not opened")
                .hasMessageContaining(because);
        assertThat(contents(store)).isEqualTo(before);
    }

    /** Hash of every file that matters: RocksDB's own reports may change. */
    static TreeMap<String, Integer> contents(Path folder) throws IOException {
        TreeMap<String, Integer> contents = new TreeMap<>();
        for (Path each : StoreFiles.files(folder, "(?!LOG|LOCK).*")) {
            contents.put(each.getFileName().toString(), Arrays.hashCode(Files.readAllBytes(each)));
        }
        return contents;
    }

    private static RocksDisk open(Path store) throws StoreUnusable {
        return RocksDisk.open(store);
    }
}
