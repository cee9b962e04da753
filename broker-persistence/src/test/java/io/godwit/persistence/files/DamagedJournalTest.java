package io.godwit.persistence.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Journal;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Torn ends are dropped; any other damage refuses a start. */
class DamagedJournalTest extends JournalFiles {
    @Test
    void a_last_record_that_was_torn_in_any_way_is_dropped_and_appending_goes_on()
            throws Exception {
        try (FileJournal journal = crashed(10)) {
            assertThat(replay(journal, 0)).isEqualTo(10);
        }
        for (int kind = 0; kind < 5; kind++) {
            folder = temp.resolve("journal" + kind);
            crashed(10);
            Path last = segments().getLast();
            int start = 512 + 2 * 1024; // 7 records in the first segment, 3 in the second
            switch (kind) {
                case 0 -> overwrite(last, start, new byte[RECORD + 24]);
                case 1 -> overwrite(last, start + 512, new byte[RECORD - 488]);
                case 2 -> overwrite(last, start, new byte[512]);
                case 3 -> overwrite(last, start + 100, garbage(600));
                default -> overwrite(last, start, garbage(RECORD + 24));
            }
            try (FileJournal journal = open()) {
                assertThat(replay(journal, 0)).isEqualTo(9);
                append(journal, 10, 12);
            }
            assertThat(replay(open(), 0)).isEqualTo(12);
        }
    }

    @Test
    void a_record_behind_a_torn_one_is_dropped_too_and_never_comes_back() throws Exception {
        FileJournal journal = open();
        append(journal, 1, 2);
        for (int position = 3; position <= 5; position++) {
            journal.append(position, Journal.WHOLE, record(position), RECORD);
        }
        Path file = segments().getFirst();
        overwrite(file, 512 + 2 * 1024 + 30, garbage(10));
        try (FileJournal again = open()) {
            assertThat(replay(again, 0)).isEqualTo(2);
            again.append(3, Journal.WHOLE, record(3), RECORD);
        }
        assertThat(replay(open(), 0)).isEqualTo(3);
    }

    @Test
    void a_flipped_bit_before_synced_records_is_refused_wherever_it_is() throws Exception {
        Random random = new Random(3);
        for (int round = 0; round < 40; round++) {
            folder = temp.resolve("journal" + round);
            crashed(20);
            Path file = segments().get(random.nextInt(2));
            long record = random.nextInt(7);
            long at = 512 + record * 1024 + random.nextInt(RECORD + 24);
            flip(file, at);
            byte[] before = Files.readAllBytes(file);
            refused(file.getFileName() + " can't be read from byte ");
            assertThat(file).hasBinaryContent(before);
        }
    }

    @Test
    void damage_in_what_rows_stand_for_refuses_nothing_and_hides_nothing() throws Exception {
        for (int kind = 0; kind < 4; kind++) {
            folder = temp.resolve("journal" + kind);
            crashed(21); // 7 records in each segment
            Path first = segments().getFirst();
            switch (kind) {
                case 0 -> flip(first, 512 + 100);
                case 1 -> cut(first, 5000);
                case 2 -> cut(first, 100);
                default -> Files.delete(first);
            }
            assertThat(JournalLook.at(folder).damage(7)).isEmpty();
            assertThat(JournalLook.at(folder).damage(6)).hasSize(kind == 0 ? 0 : 1);
            try (FileJournal journal = FileJournal.open(folder, SEGMENT, 7, 7)) {
                assertThat(replay(journal, 7)).isEqualTo(21);
                append(journal, 22, 22);
            }
            try (FileJournal again = FileJournal.open(folder, SEGMENT, 7, 7)) {
                assertThat(replay(again, 7)).isEqualTo(22);
            }
        }
    }

    @Test
    void the_last_segment_may_be_cut_short_when_rows_stand_for_all_of_it() throws Exception {
        crashed(20).close();
        cut(segments().getLast(), 5000);
        refused(segments().getLast().getFileName() + " is 5000 bytes long instead of 8192");
        assertThat(JournalLook.at(folder).damage(20)).isEmpty();
        try (FileJournal journal = FileJournal.open(folder, SEGMENT, 7, 20)) {
            journal.replay(20, JournalFiles::none);
            append(journal, 21, 22);
        }
        try (FileJournal again = FileJournal.open(folder, SEGMENT, 7, 20)) {
            assertThat(replay(again, 20)).isEqualTo(22);
        }
    }

    @Test
    void looking_goes_on_behind_damage_that_refuses_a_start() throws Exception {
        crashed(11);
        flip(segments().getFirst(), 512 + 2 * 1024 + 100);
        refused("the record of position 3 should be");
        List<Long> seen = new ArrayList<>();
        JournalLook.at(folder).replay(0, 0, (position, flags, record) -> seen.add(position));
        assertThat(seen).containsExactly(1L, 2L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L);
    }

    @Test
    void damage_to_the_end_is_noticed_after_an_orderly_end() throws Exception {
        crashed(10).close();
        flip(segments().getLast(), 512 + 2 * 1024 + 100);
        refused("the record of position 10 should be. Records up to 10 were synced");
    }

    @Test
    void damage_is_named_with_file_and_byte_and_what_follows() throws Exception {
        crashed(20);
        flip(segments().get(2), 512 + 2 * 1024 + 100);
        refused(
                "0000000000000003.segment can't be read from byte 2261 on, where the record of"
                        + " position 17 should be. Records up to 19 were synced and may have been"
                        + " acknowledged; records up to 20 can be read from byte 3584 on");
    }

    @Test
    void missing_cut_and_strange_files_are_refused() throws Exception {
        crashed(20);
        Path aside = temp.resolve("aside");
        for (Path each : segments()) {
            Files.move(each, aside);
            refused("its segment " + each.getFileName() + " is missing");
            Files.move(aside, each);
        }
        Path list = folder.resolve("segments");
        Files.move(list, aside);
        refused("its file segments is missing, but there are 3 segments");
        Files.move(aside, list);
        flip(list, 40);
        refused("its file segments can't be read");
        flip(list, 40);
        flip(segments().getFirst(), 20);
        refused("has no readable header");
        flip(segments().getFirst(), 20);
        try (RandomAccessFile cut = new RandomAccessFile(segments().getFirst().toFile(), "rw")) {
            cut.setLength(5000);
        }
        refused("is 5000 bytes long instead of 8192");
    }

    @Test
    void a_segment_of_another_store_is_refused() throws Exception {
        crashed(20);
        Path ours = folder;
        folder = temp.resolve("other");
        FileJournal other = FileJournal.open(folder, SEGMENT, 99, 0);
        append(other, 1, 20);
        Path theirs = segments().getFirst();
        Files.copy(theirs, ours.resolve(theirs.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        folder = ours;
        refused("belongs to another store");
    }

    @Test
    void a_gap_between_the_rows_and_the_journal_is_refused() throws Exception {
        try (FileJournal journal = open()) {
            append(journal, 1, 30);
            journal.release(20);
            append(journal, 31, 40);
        }
        try (FileJournal journal = open()) {
            assertThatThrownBy(() -> journal.replay(5, JournalFiles::none))
                    .isInstanceOf(DiskFailure.class)
                    .hasMessageContaining("begins at position 15, but rows were flushed only up");
        }
        folder = temp.resolve("missing");
        for (int round = 0; round < 2; round++) {
            try (FileJournal journal = open()) {
                assertThatThrownBy(() -> journal.replay(5, JournalFiles::none))
                        .isInstanceOf(DiskFailure.class)
                        .hasMessageContaining("is missing: rows were flushed up to 5");
            }
        }
    }
}
