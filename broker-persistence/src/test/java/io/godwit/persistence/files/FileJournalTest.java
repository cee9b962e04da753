package io.godwit.persistence.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Journal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FileJournalTest extends JournalFiles {
    @Test
    void what_was_appended_is_replayed_after_opening_again() throws Exception {
        try (FileJournal journal = open()) {
            journal.replay(0, JournalFiles::none);
            append(journal, 1, 30);
            assertThat(journal.bytes()).isBetween(30L * RECORD, 30L * 1024);
        }
        try (FileJournal journal = open()) {
            assertThat(replay(journal, 0)).isEqualTo(30);
            append(journal, 31, 31);
        }
        assertThat(replay(open(), 12)).isEqualTo(31);
    }

    @Test
    void released_segments_are_used_again() throws Exception {
        try (FileJournal journal = open()) {
            for (int position = 1; position <= 500; position++) {
                append(journal, position, position);
                journal.release(position - 10);
            }
            assertThat(journal.bytes()).isLessThan(12 * 1024 + SEGMENT);
            assertThat(segments()).hasSizeLessThan(6);
            assertThat(journal.diskBytes()).isEqualTo((long) segments().size() * SEGMENT);
            journal.release(500);
            assertThat(journal.bytes()).isZero();
        }
        assertThat(replay(open(), 500)).isEqualTo(500);
    }

    @Test
    void what_one_flush_gives_back_is_used_again_up_to_the_next() throws Exception {
        try (FileJournal journal = open()) {
            append(journal, 1, 84);
            int made = segments().size();
            assertThat(made).isBetween(12, 15);
            journal.release(84);
            append(journal, 85, 93); // in one more: the list still names those given back
            List<Path> kept = segments();
            assertThat(kept).as("none was deleted").hasSize(made + 1);
            append(journal, 94, 150);
            assertThat(segments()).as("and none made").isEqualTo(kept);
        }
        assertThat(replay(open(), 84)).isEqualTo(150);
    }

    @Test
    void the_next_segment_is_made_beforehand_and_none_is_kept_while_the_disk_is_nearly_full()
            throws Exception {
        List<Runnable> tasks = new ArrayList<>();
        try (FileJournal journal = open()) {
            journal.prepareOn(tasks::add);
            append(journal, 1, 3);
            assertThat(tasks).isEmpty();
            append(journal, 4, 6);
            assertThat(tasks).as("once").hasSize(1);
            tasks.removeFirst().run();
            Path spare = segments().getLast();
            assertThat(spare).hasFileName("spare-0000000000000002.segment").hasSize(SEGMENT);
            append(journal, 7, 9);
            assertThat(segments()).as("the spare one is used").hasSize(2);
            append(journal, 10, 12);

            journal.keepFree(false);
            tasks.removeFirst().run();
            assertThat(segments()).hasSize(2);
            append(journal, 13, 22); // each is made when it is needed
            assertThat(tasks).isEmpty();
            journal.release(22);
            append(journal, 23, 30);
            assertThat(segments()).as("what is not needed is deleted").hasSizeLessThan(4);
            journal.keepFree(true);
        }
        assertThat(replay(open(), 22)).isEqualTo(30);
    }

    @Test
    void a_spare_segment_that_was_cut_short_is_deleted_and_a_whole_one_is_used() throws Exception {
        crashed(3).close();
        Files.write(folder.resolve("spare-0000000000000002.segment"), new byte[100]);
        Files.write(folder.resolve("spare-0000000000000003.segment"), new byte[SEGMENT]);
        try (FileJournal journal = open()) {
            append(journal, 4, 5);
        }
        assertThat(segments())
                .map(each -> each.getFileName().toString())
                .containsExactly("0000000000000001.segment", "spare-0000000000000003.segment");
        assertThat(replay(open(), 0)).isEqualTo(5);
    }

    @Test
    void rows_may_be_ahead_of_what_was_never_synced() throws Exception {
        crashed(10);
        try (FileJournal journal = open()) {
            assertThat(replay(journal, 50)).isEqualTo(50);
            append(journal, 51, 52);
        }
        try (FileJournal journal = open()) {
            assertThat(replay(journal, 50)).isEqualTo(52);
        }
        assertThatThrownBy(() -> open().replay(10, JournalFiles::none))
                .isInstanceOf(DiskFailure.class);
    }

    @Test
    void a_record_larger_than_a_segment_has_one_of_its_own() throws Exception {
        byte[] large = garbage(1_000_000);
        try (FileJournal journal = open()) {
            append(journal, 1, 3);
            journal.append(4, Journal.WHOLE, large, large.length);
            append(journal, 5, 6);
            journal.sync();
        }
        try (FileJournal journal = open()) {
            journal.replay(
                    3,
                    (position, flags, record) ->
                            assertThat(record)
                                    .isEqualTo(position == 4 ? large : record((int) position)));
            journal.release(6);
            append(journal, 7, 40);
            assertThat(journal.diskBytes()).isLessThan(20 * SEGMENT);
        }
    }

    @Test
    void what_failed_is_never_tried_again() throws Exception {
        for (int failAfter = 0; failAfter < 2; failAfter++) {
            SectorStorage storage = new SectorStorage(new Random(1));
            FileJournal journal = FileJournal.open(storage, "memory", SEGMENT, 1, 0);
            append(journal, 1, 1);
            int steps = failAfter;
            storage.failAfter = steps;
            assertThatThrownBy(
                            () -> {
                                journal.append(2, Journal.WHOLE, record(2), RECORD);
                                journal.append(3, Journal.WHOLE, record(3), RECORD);
                                journal.sync();
                            })
                    .isInstanceOf(DiskFailure.class)
                    .hasMessageContaining("the journal in memory: the disk");
            storage.failAfter = -1;
            assertThatThrownBy(() -> journal.append(4, Journal.WHOLE, record(4), RECORD))
                    .hasMessageContaining("has failed before");
            assertThatThrownBy(journal::sync).hasMessageContaining("has failed before");
            journal.close();
            assertThat(FileJournal.open(storage.powerCut(), "memory", SEGMENT, 1, 0).last())
                    .isBetween(1L, 3L);
        }
    }

    @Test
    void a_copy_holds_what_is_synced_and_lives_by_itself() throws Exception {
        Path copy = temp.resolve("copy");
        try (FileJournal journal = open()) {
            append(journal, 1, 30);
            journal.release(12);
            journal.append(31, Journal.WHOLE, record(31), RECORD);
            assertThat(journal.copyTo(copy)).isEqualTo(30);
            assertThatThrownBy(() -> journal.copyTo(copy)).isInstanceOf(DiskFailure.class);
            append(journal, 32, 33);
            journal.release(33);
            assertThat(journal.copyTo(temp.resolve("empty"))).isEqualTo(33);
        }
        assertThat(replay(open(), 33)).isEqualTo(33);
        folder = temp.resolve("empty");
        assertThat(replay(open(), 33)).isEqualTo(33);
        folder = copy;
        try (FileJournal journal = open()) {
            assertThat(replay(journal, 12)).isEqualTo(30);
            append(journal, 31, 31);
        }
    }
}
