package io.godwit.persistence.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.persistence.disk.StoreUnusable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartRoomTest {
    @TempDir Path folder;

    @Test
    void full_disk_refuses_the_start_with_folder_free_space_and_need() {
        assertThatThrownBy(() -> StartRoom.check(folder, () -> 5 << 10))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContainingAll(folder.toString(), "5 KiB are free", "8 MiB");
    }

    @Test
    void ballast_is_deleted_when_the_start_needs_its_room() throws Exception {
        Path ballast = Files.write(folder.resolve("ballast"), new byte[1]);
        StartRoom.check(folder, () -> Files.exists(ballast) ? 0 : StartRoom.NEEDED_BYTES);
        assertThat(ballast).doesNotExist();
    }

    @Test
    void start_that_finds_no_space_for_its_tables_names_folder_free_space_and_need() {
        Exception full = new IOException("can't write to the store: No space left on device");
        assertThat(StartRoom.explain(folder, () -> 3 << 20, 20 << 20, full))
                .isEqualTo(
                        "the disk under "
                                + folder
                                + " is full: 3072 KiB are free, and this start needs up to 28 MiB,"
                                + " since it writes tables of what only the journal holds. Free"
                                + " disk space, then start again; nothing is lost");
        assertThat(
                        StartRoom.explain(
                                folder, () -> 3 << 20, 20 << 20, new IOException("Corruption")))
                .isNull();
    }

    @Test
    void ballast_is_deleted_when_the_journal_needs_its_room() throws Exception {
        Path ballast = Files.write(folder.resolve("ballast"), new byte[1]);
        StartRoom.makeRoom(folder, () -> StartRoom.NEEDED_BYTES + 10, 10);
        assertThat(ballast).exists();
        StartRoom.makeRoom(folder, () -> StartRoom.NEEDED_BYTES + 10, 11);
        assertThat(ballast).doesNotExist();
    }

    @Test
    void ballast_stays_where_there_is_room() throws Exception {
        Path ballast = Files.write(folder.resolve("ballast"), new byte[1]);
        StartRoom.check(folder, () -> StartRoom.NEEDED_BYTES);
        assertThat(ballast).exists();
    }
}
