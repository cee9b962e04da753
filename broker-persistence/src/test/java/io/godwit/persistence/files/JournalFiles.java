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
import org.junit.jupiter.api.io.TempDir;

/** A journal in a folder of its own, and what can happen to its files. */
abstract class JournalFiles {
    static final int SEGMENT = 8 << 10;

    /** With its header, a record fills one and a half sectors: it begins at n x 1024. */
    static final int RECORD = 700;

    @TempDir Path temp;

    Path folder;

    @BeforeEach
    void start() {
        folder = temp.resolve("journal");
    }

    /** As after the end of a process: each record was synced by itself. */
    FileJournal crashed(int count) throws Exception {
        FileJournal journal = open();
        append(journal, 1, count);
        return journal;
    }

    FileJournal open() throws StoreUnusable {
        return FileJournal.open(folder, SEGMENT, 7, 0);
    }

    static void append(FileJournal journal, int from, int to) throws DiskFailure {
        for (int position = from; position <= to; position++) {
            journal.append(position, Journal.WHOLE, record(position), RECORD);
            journal.sync();
        }
    }

    /** Position of the last record; fails unless all behind the first are there. */
    static long replay(FileJournal journal, long after) throws DiskFailure {
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

    static void none(long position, int flags, byte[] record) {
        throw new AssertionError("record " + position);
    }

    static byte[] record(int position) {
        byte[] record = new byte[RECORD];
        new Random(position).nextBytes(record);
        return record;
    }

    static byte[] garbage(int length) {
        byte[] garbage = new byte[length];
        new Random(length).nextBytes(garbage);
        return garbage;
    }

    List<Path> segments() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(each -> each.toString().endsWith(".segment")).sorted().toList();
        }
    }

    void refused(String because) {
        assertThatThrownBy(this::open)
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("the journal in " + folder + " is damaged")
                .hasMessageContaining(because);
    }

    static void overwrite(Path file, long at, byte[] bytes) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.seek(at);
            open.write(bytes);
        }
    }

    static void cut(Path file, long length) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.setLength(length);
        }
    }

    static void flip(Path file, long at) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.seek(at);
            int b = open.read();
            open.seek(at);
            open.write(b ^ 0x10);
        }
    }
}
