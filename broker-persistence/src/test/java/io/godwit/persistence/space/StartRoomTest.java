package io.godwit.persistence.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.persistence.disk.StoreUnusable;
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
    void ballast_stays_where_there_is_room() throws Exception {
        Path ballast = Files.write(folder.resolve("ballast"), new byte[1]);
        StartRoom.check(folder, () -> StartRoom.NEEDED_BYTES);
        assertThat(ballast).exists();
    }
}
