package io.godwit.persistence.rocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.persistence.StoreSettings;
import io.godwit.persistence.disk.StoreUnusable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DamagedLogTest {
    private static final String LOGS = "\\d+\\.log";

    @TempDir Path temp;

    @Test
    void a_record_that_was_torn_off_the_end_is_dropped_wherever_it_was_torn() throws Exception {
        Path killed = temp.resolve("killed");
        List<Long> ends = new ArrayList<>();
        try (RocksDisk disk = open(temp.resolve("live"))) {
            Path log = StoreFiles.newest(temp.resolve("live"), LOGS);
            for (int i = 0; i < 100; i++) {
                StoreFiles.put(disk, i);
                ends.add(Files.size(log));
            }
            StoreFiles.copy(temp.resolve("live"), killed);
        }
        Random random = new Random(1);
        for (int round = 0; round < 12; round++) {
            Path store = temp.resolve("store" + round);
            StoreFiles.copy(killed, store);
            int cut = 1 + random.nextInt(round < 6 ? 40_000 : 1000);
            StoreFiles.cut(StoreFiles.newest(store, LOGS), cut);
            int whole = (int) ends.stream().filter(end -> end <= ends.getLast() - cut).count();
            try (RocksDisk disk = open(store)) {
                assertThat(StoreFiles.prefix(disk)).isEqualTo(whole).isBetween(55, 99);
                StoreFiles.put(disk, whole);
            }
            try (RocksDisk disk = open(store)) {
                assertThat(StoreFiles.prefix(disk)).isEqualTo(whole + 1);
            }
        }
    }

    @Test
    void a_last_record_of_full_length_with_parts_that_never_came_is_dropped() throws Exception {
        Path store = StoreFiles.killed(temp.resolve("store"), 100);
        Path log = StoreFiles.newest(store, LOGS);
        StoreFiles.overwrite(log, Files.size(log) - 300, new byte[200]);
        try (RocksDisk disk = open(store)) {
            assertThat(StoreFiles.prefix(disk)).isEqualTo(99);
        }
    }

    @Test
    void a_length_that_was_written_before_its_content_is_no_damage() throws Exception {
        Path store = StoreFiles.killed(temp.resolve("store"), 100);
        Path log = StoreFiles.newest(store, LOGS);
        StoreFiles.overwrite(log, Files.size(log), new byte[100_000]);
        try (RocksDisk disk = open(store)) {
            assertThat(StoreFiles.prefix(disk)).isEqualTo(100);
        }
    }

    @Test
    void damage_within_a_log_is_named_with_file_and_position_and_nothing_is_changed()
            throws Exception {
        Path killed = StoreFiles.killed(temp.resolve("killed"), 100);
        Random random = new Random(2);
        for (int round = 0; round < 12; round++) {
            Path store = temp.resolve("store" + round);
            StoreFiles.copy(killed, store);
            Path log = StoreFiles.newest(store, LOGS);
            long at = random.nextLong(Files.size(log) - 1100);
            StoreFiles.flip(log, at);
            LogScan scan = LogScan.of(log);
            assertThat(scan.whole()).isBetween(at - 1072, at);
            assertThat(scan.validAgain()).isBetween(at, at + 1100);
            refused(store, log + " can't be read from byte " + scan.whole());
        }
    }

    @Test
    void a_hole_that_the_database_would_skip_is_damage() throws Exception {
        Path store = StoreFiles.killed(temp.resolve("store"), 100);
        Path log = StoreFiles.newest(store, LOGS);
        StoreFiles.overwrite(log, 32 << 10, new byte[32 << 10]);
        refused(store, log + " can't be read from byte 3");
    }

    @Test
    void an_older_log_that_is_too_short_or_missing_is_damage() throws Exception {
        // The journal's memtable holds the first log back when the queues' is flushed.
        Path killed = StoreFiles.killed(temp.resolve("killed"), 100, 30, 60);
        assertThat(StoreFiles.files(killed, LOGS)).hasSize(3);
        Path cut = temp.resolve("cut");
        StoreFiles.copy(killed, cut);
        StoreFiles.cut(StoreFiles.files(cut, LOGS).getFirst(), 500);
        refused(cut, "Size mismatch: WAL");
        Path missing = temp.resolve("missing");
        StoreFiles.copy(killed, missing);
        Files.delete(StoreFiles.files(missing, LOGS).get(1));
        refused(missing, "Missing WAL");
        Path none = temp.resolve("none");
        StoreFiles.copy(killed, none);
        for (Path each : StoreFiles.files(none, LOGS)) {
            Files.delete(each);
        }
        refused(none, "It has no write-ahead log");
    }

    @Test
    void several_whole_logs_are_replayed_in_order() throws Exception {
        try (RocksDisk disk = open(StoreFiles.killed(temp.resolve("store"), 100, 30, 60))) {
            assertThat(StoreFiles.prefix(disk)).isEqualTo(100);
        }
    }

    private static void refused(Path store, String because) throws IOException {
        var before = DamagedTableTest.contents(store);
        assertThatThrownBy(() -> open(store))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("the store in " + store + " is damaged and was not opened")
                .hasMessageContaining(because)
                .hasMessageContaining("godwit store set-aside");
        assertThat(DamagedTableTest.contents(store)).isEqualTo(before);
    }

    private static RocksDisk open(Path store) throws StoreUnusable {
        return RocksDisk.open(store, StoreSettings.DEFAULTS);
    }
}
