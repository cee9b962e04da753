package io.godwit.persistence.rocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.persistence.disk.StoreUnusable;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDBException;

/** Each sentence as an operator reads it. */
class OpenFailuresTest {
    private static final Path STORE = Path.of("/data/store");
    private static final String BEGIN = "can't open the store in /data/store: ";

    @TempDir Path temp;

    private static String sentence(IOException cause) {
        return String.valueOf(OpenFailures.of(STORE, cause).getMessage());
    }

    @Test
    void store_that_a_file_system_refuses_says_so_without_the_name_of_a_class() {
        String file = "/data/store/LOCK";
        assertThat(sentence(new AccessDeniedException(file)))
                .isEqualTo(
                        BEGIN
                                + "user "
                                + System.getProperty("user.name")
                                + " may not write there. Give the folder and its files to that"
                                + " user. (/data/store/LOCK: permission denied)");
        assertThat(sentence(new FileSystemException(file, null, "Read-only file system")))
                .startsWith(BEGIN + "the file system is mounted read-only. Mount it for writing")
                .endsWith("(/data/store/LOCK: read-only file system)");
        assertThat(sentence(new FileSystemException(file, null, "No space left on device")))
                .isEqualTo(
                        BEGIN
                                + "the disk is full. Make room, then start again."
                                + " (/data/store/LOCK: no space left on device)");
        assertThat(sentence(new IOException("Disk quota exceeded")))
                .startsWith(BEGIN + "the disk is full.");
        assertThat(sentence(new FileSystemException(file, null, "Too many open files")))
                .startsWith(BEGIN + "too many open files. Raise the limit (ulimit -n).");
        assertThat(sentence(new NoSuchFileException(file)))
                .isEqualTo(BEGIN + "/data/store/LOCK: it does not exist");
    }

    @Test
    void store_that_another_process_holds_says_so() {
        String held = "While lock file: /data/store/LOCK: Resource temporarily unavailable";
        assertThat(OpenFailures.of(STORE, new RocksDBException(held)).getMessage())
                .startsWith(BEGIN + "another process has it open.")
                .contains("node.data")
                .endsWith("(" + held + ")");
    }

    @Test
    void native_library_that_does_not_load_says_why_without_the_name_of_a_class() {
        List<Path> places = new ArrayList<>(List.of(temp.resolve("native")));
        assertThatThrownBy(() ->
                        RocksLibrary.load(
                                new ArrayList<>(places),
                                folder -> {
                                    throw new UnsatisfiedLinkError(
                                            folder + "/x.so: failed to map segment");
                                }))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining(
                        "from "
                                + temp.resolve("native")
                                + ": "
                                + temp.resolve("native")
                                + "/x.so: failed to map segment. It is unpacked into")
                .message()
                .doesNotContain("Error:", "java.lang");
    }

    @Test
    void native_library_whose_folder_is_a_file_says_so() throws Exception {
        Path file = Files.createFile(temp.resolve("native"));
        assertThatThrownBy(() -> RocksLibrary.load(new ArrayList<>(List.of(file)), folder -> {}))
                .hasMessageContaining("from " + file + ": a file of this name exists already.");
    }
}
