package io.godwit.persistence.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Journal;
import io.godwit.persistence.disk.StoreUnusable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileJournalTest {
    private static final int SEGMENT = 8 << 10;

    /** With its header, a record fills one and a half sectors: it begins at n x 1024. */
    private static final int RECORD = 700;

    @TempDir Path temp;
    Path folder;

    @BeforeEach
    void start() {
        folder = temp.resolve("journal");
    }

    @Test
    void what_was_appended_is_replayed_after_opening_again() throws Exception {
        try (FileJournal journal = open()) {
            journal.replay(0, FileJournalTest::none);
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
            journal.replay(20, FileJournalTest::none);
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
        Files.copy(
                theirs,
                ours.resolve(theirs.getFileName()),
                java.nio.file.StandardCopyOption.REPLACE_EXISTING);
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
            assertThatThrownBy(() -> journal.replay(5, FileJournalTest::none))
                    .isInstanceOf(DiskFailure.class)
                    .hasMessageContaining("begins at position 15, but rows were flushed only up");
        }
        folder = temp.resolve("missing");
        for (int round = 0; round < 2; round++) {
            try (FileJournal journal = open()) {
                assertThatThrownBy(() -> journal.replay(5, FileJournalTest::none))
                        .isInstanceOf(DiskFailure.class)
                        .hasMessageContaining("is missing: rows were flushed up to 5");
            }
        }
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
        assertThatThrownBy(() -> open().replay(10, FileJournalTest::none))
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
                    .hasMessageContaining("the journal in memory: java.io.IOException: the disk");
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

    /** As after the end of a process: each record was synced by itself. */
    private FileJournal crashed(int count) throws Exception {
        FileJournal journal = open();
        append(journal, 1, count);
        return journal;
    }

    private FileJournal open() throws StoreUnusable {
        return FileJournal.open(folder, SEGMENT, 7, 0);
    }

    private static void append(FileJournal journal, int from, int to) throws DiskFailure {
        for (int position = from; position <= to; position++) {
            journal.append(position, Journal.WHOLE, record(position), RECORD);
            journal.sync();
        }
    }

    /** Position of the last record; fails unless all behind the first are there. */
    private static long replay(FileJournal journal, long after) throws DiskFailure {
        List<Long> seen = new ArrayList<>();
        journal.replay(
                after,
                (position, flags, record) -> {
                    assertThat(record).isEqualTo(record((int) position));
                    seen.add(position);
                });
        for (int i = 0; i < seen.size(); i++) {
            assertThat(seen.get(i)).isEqualTo(after + 1 + i);
        }
        return after + seen.size();
    }

    private static void none(long position, int flags, byte[] record) {
        throw new AssertionError("record " + position);
    }

    private static byte[] record(int position) {
        byte[] record = new byte[RECORD];
        new Random(position).nextBytes(record);
        return record;
    }

    private static byte[] garbage(int length) {
        byte[] garbage = new byte[length];
        new Random(length).nextBytes(garbage);
        return garbage;
    }

    private List<Path> segments() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(each -> each.toString().endsWith(".segment")).sorted().toList();
        }
    }

    private void refused(String because) {
        assertThatThrownBy(this::open)
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("the journal in " + folder + " is damaged")
                .hasMessageContaining(because);
    }

    private static void overwrite(Path file, long at, byte[] bytes) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.seek(at);
            open.write(bytes);
        }
    }

    private static void cut(Path file, long length) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.setLength(length);
        }
    }

    private static void flip(Path file, long at) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.seek(at);
            int b = open.read();
            open.seek(at);
            open.write(b ^ 0x10);
        }
    }
}
