package io.godwit.persistence.rocks;

import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;

/** Stores for tests, as a killed process leaves them, and what can happen to their files. */
final class StoreFiles {
    static final int VALUE_BYTES = 1000;

    private StoreFiles() {}

    /**
     * A store that was killed: entries 0..count-1 in {@link Family#QUEUES}; after those of {@code
     * flushes} everything was flushed.
     */
    static Path killed(Path folder, int count, Integer... flushes) throws Exception {
        Path live = folder.resolveSibling("live-" + folder.getFileName());
        List<Integer> flushAfter = Arrays.asList(flushes);
        try (Disk disk = RocksDisk.open(live)) {
            for (int i = 0; i < count; i++) {
                put(disk, i);
                if (flushAfter.contains(i)) {
                    disk.flush();
                }
            }
            copy(live, folder);
        }
        return folder;
    }

    static void put(Disk disk, int number) throws DiskFailure {
        Batch batch = new Batch();
        byte[] value = new byte[VALUE_BYTES];
        new Random(number).nextBytes(value);
        batch.put(Family.QUEUES, key(number), value);
        batch.put(Family.META, key(number), new byte[0]);
        disk.write(batch);
    }

    /** Queue {@code number / 10}. */
    static byte[] key(int number) {
        return ByteBuffer.allocate(12).putLong(number / 10).putInt(number).array();
    }

    /** How many entries are there; fails unless they are the first ones, and whole. */
    static int prefix(Disk disk) throws DiskFailure {
        int count = 0;
        try (Cursor cursor = disk.scan(Family.QUEUES, new byte[0], null)) {
            while (cursor.next()) {
                Assertions.assertArrayEquals(key(count), cursor.key());
                byte[] value = new byte[VALUE_BYTES];
                new Random(count).nextBytes(value);
                Assertions.assertArrayEquals(value, cursor.value());
                count++;
            }
        }
        return count;
    }

    static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path each : files.toList()) {
                Files.copy(each, to.resolve(each.getFileName()));
            }
        }
    }

    static List<Path> files(Path folder, String pattern) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(each -> each.getFileName().toString().matches(pattern))
                    .sorted()
                    .toList();
        }
    }

    static Path newest(Path folder, String pattern) throws IOException {
        return files(folder, pattern).getLast();
    }

    static void cut(Path file, long bytes) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.setLength(open.length() - bytes);
        }
    }

    static void overwrite(Path file, long at, byte[] bytes) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.seek(at);
            open.write(bytes);
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
