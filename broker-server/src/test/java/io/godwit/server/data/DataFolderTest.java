package io.godwit.server.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.server.StartFailed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataFolderTest {
    @TempDir Path folder;

    @Test
    void the_server_id_is_random_and_stays() throws StartFailed {
        int first;
        try (DataFolder data = DataFolder.open(folder.resolve("a/b"))) {
            first = data.serverId();
            assertThat(first).isBetween(0, (1 << 24) - 1);
        }
        try (DataFolder data = DataFolder.open(folder.resolve("a/b"))) {
            assertThat(data.serverId()).isEqualTo(first);
        }
        int sum = 0;
        for (int i = 0; i < 8; i++) {
            try (DataFolder data = DataFolder.open(folder.resolve("other" + i))) {
                sum += data.serverId() == first ? 1 : 0;
            }
        }
        assertThat(sum).as("eight others all alike").isLessThan(8);
    }

    @Test
    void new_folder_and_the_store_in_an_old_one_are_for_their_owner_alone() throws Exception {
        Path made = folder.resolve("new");
        DataFolder.open(made).close();
        assertThat(Files.getPosixFilePermissions(made))
                .isEqualTo(PosixFilePermissions.fromString("rwx------"));
        Path old = Files.createDirectory(folder.resolve("old"));
        Files.setPosixFilePermissions(old, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path store = Files.createDirectory(old.resolve("store"));
        Files.setPosixFilePermissions(store, PosixFilePermissions.fromString("rwxr-xr-x"));
        DataFolder.open(old).close();
        assertThat(Files.getPosixFilePermissions(old))
                .as("a folder that others made stays as it is")
                .isEqualTo(PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(Files.getPosixFilePermissions(store))
                .isEqualTo(PosixFilePermissions.fromString("rwx------"));
        assertThat(Files.getPosixFilePermissions(old.resolve("server-id")))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void a_second_broker_on_the_folder_is_told_who_has_it() throws StartFailed {
        try (DataFolder data = DataFolder.open(folder)) {
            assertThatThrownBy(() -> DataFolder.open(data.path()))
                    .isInstanceOf(StartFailed.class)
                    .hasMessage(
                            "node.data: the folder "
                                    + folder
                                    + " is in use by another broker (process "
                                    + ProcessHandle.current().pid()
                                    + ")");
        }
        DataFolder.open(folder).close();
    }

    @Test
    void a_damaged_server_id_is_never_replaced() throws Exception {
        Path file = folder.resolve("server-id");
        for (String bad : new String[] {"", "x", "16777216", "-1"}) {
            Files.writeString(file, bad);

            assertThatThrownBy(() -> DataFolder.open(folder))
                    .isInstanceOf(StartFailed.class)
                    .hasMessageContaining(file + " should hold this node's number, 0..16777215");
            assertThat(file).hasContent(bad);
        }
        Files.writeString(file, "16777215\n");
        try (DataFolder data = DataFolder.open(folder)) {
            assertThat(data.serverId()).isEqualTo(16_777_215);
        }
    }

    @Test
    void a_file_in_place_of_the_folder_is_told() throws Exception {
        Path file = Files.createFile(folder.resolve("file"));

        assertThatThrownBy(() -> DataFolder.open(file))
                .isInstanceOf(StartFailed.class)
                .hasMessageStartingWith("node.data: can't use the folder " + file);
    }
}
