package io.godwit.persistence.rocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.StoreFormat;
import io.godwit.persistence.disk.StoreUnusable;
import io.godwit.persistence.files.FileJournal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.DBOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;

class OpeningTest {
    @TempDir Path temp;

    @Test
    void a_missing_and_an_empty_folder_become_an_empty_store() throws Exception {
        Path deep = temp.resolve("a/b/c");
        try (RocksDisk disk = open(deep)) {
            assertThat(StoreFiles.prefix(disk)).isZero();
        }
        Path empty = temp.resolve("empty");
        Files.createDirectories(empty.resolve("lost+found"));
        try (RocksDisk disk = open(empty)) {
            assertThat(disk.get(Family.META, StoreFormat.key())).hasSize(4);
        }
    }

    @Test
    void a_start_that_was_cut_while_it_made_the_store_is_begun_again() throws Exception {
        Path store = temp.resolve("store");
        Files.createDirectories(store);
        Files.createFile(store.resolve("creating"));
        Files.writeString(store.resolve("MANIFEST-000001"), "half");
        try (RocksDisk disk = open(store)) {
            StoreFiles.put(disk, 0);
        }
        assertThat(store.resolve("creating")).doesNotExist();
        try (RocksDisk disk = open(store)) {
            assertThat(StoreFiles.prefix(disk)).isEqualTo(1);
        }
    }

    @Test
    void a_folder_of_something_else_is_left_alone() throws Exception {
        Path store = temp.resolve("store");
        Files.createDirectories(store);
        Files.writeString(store.resolve("thesis.txt"), "ten years of work");
        refused(store, "holds 1 files (thesis.txt) but no file CURRENT");
        assertThat(store.resolve("thesis.txt")).hasContent("ten years of work");
    }

    @Test
    void a_journal_without_its_database_is_no_empty_store() throws Exception {
        Path store = temp.resolve("store");
        open(store).close();
        FileJournal.open(store.resolve(FileJournal.FOLDER), 4096, 1, 0).close();
        open(store).close();
        for (Path each : StoreFiles.files(store, ".*")) {
            if (!each.endsWith(FileJournal.FOLDER)) {
                Files.delete(each);
            }
        }
        refused(store, "holds 1 files (journal) but no file CURRENT");
    }

    @Test
    void a_file_where_the_folder_should_be_is_named() throws Exception {
        Path store = Files.createFile(temp.resolve("store"));
        refused(store, "a file of this name exists already");
    }

    @Test
    void a_second_opening_of_the_same_folder_is_refused() throws Exception {
        Path store = temp.resolve("store");
        try (RocksDisk disk = open(store)) {
            StoreFiles.put(disk, 0);
            refused(store, "another process has it open");
            ChildProcess other = ChildProcess.opens(store);
            assertThat(other.output()).contains("another process has it open", store.toString());
            StoreFiles.put(disk, 1);
        }
        assertThat(ChildProcess.opens(store).output()).contains("opened 2 entries");
    }

    @Test
    void another_format_is_named_with_what_can_be_done() throws Exception {
        Path store = temp.resolve("store");
        setFormat(store, StoreFormat.VERSION + 1);
        refused(store, "has format 4, and this Godwit reads format 3: start the newer Godwit");
        Path old = temp.resolve("old");
        setFormat(old, StoreFormat.VERSION - 1);
        refused(
                old,
                "has format 2, and this Godwit reads format 3: write it to a file with the older Godwit");
    }

    @Test
    void a_store_without_a_format_is_refused() throws Exception {
        Path store = temp.resolve("store");
        try (RocksDisk disk = open(store)) {
            Batch batch = new Batch();
            batch.delete(Family.META, StoreFormat.key());
            disk.write(batch);
        }
        refused(store, "has no format number");
    }

    @Test
    void a_newer_format_with_more_families_is_named_by_its_number() throws Exception {
        Path store = temp.resolve("store");
        setFormat(store, 7);
        addFamily(store, "more");
        refused(store, "has format 7, and this Godwit reads format 3: start the newer Godwit");
    }

    @Test
    void other_families_under_the_same_format_are_refused() throws Exception {
        Path store = temp.resolve("store");
        open(store).close();
        addFamily(store, "more");
        refused(store, "it was not made by Godwit, or is damaged");
    }

    private void setFormat(Path store, int version) throws Exception {
        try (RocksDisk disk = open(store)) {
            setFormat(disk, version);
        }
    }

    private static void setFormat(Disk disk, int version) throws DiskFailure {
        Batch batch = new Batch();
        batch.put(Family.META, StoreFormat.key(), ByteBuffer.allocate(4).putInt(version).array());
        disk.write(batch);
    }

    private static void addFamily(Path store, String name) throws Exception {
        List<ColumnFamilyDescriptor> families = new ArrayList<>();
        for (Family each : Family.values()) {
            families.add(
                    new ColumnFamilyDescriptor(
                            each.columnFamily().getBytes(StandardCharsets.US_ASCII)));
        }
        List<ColumnFamilyHandle> handles = new ArrayList<>();
        try (Options options = new Options();
                DBOptions database = new DBOptions(options);
                RocksDB opened = RocksDB.open(database, store.toString(), families, handles)) {
            handles.add(
                    opened.createColumnFamily(
                            new ColumnFamilyDescriptor(name.getBytes(StandardCharsets.US_ASCII))));
            handles.forEach(ColumnFamilyHandle::close);
        }
    }

    private static void refused(Path store, String because) {
        assertThatThrownBy(() -> open(store))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining(store.toString())
                .hasMessageContaining(because);
    }

    private static RocksDisk open(Path store) throws StoreUnusable {
        return RocksDisk.open(store);
    }
}
