package io.godwit.persistence.space;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.random.RandomGenerator;

/** A file that takes room only to give it back. */
final class Ballast {
    static final String FILE = "ballast";

    private static final int CHUNK = 1 << 20;

    /** Odd, so that a chunk begins at no place twice. */
    private static final int STEP = 4_099;

    private final Path file;
    private final long bytes;
    private final RandomGenerator random;

    Ballast(Path file, long bytes, RandomGenerator random) {
        this.file = file;
        this.bytes = bytes;
        this.random = random;
    }

    long bytes() {
        return bytes;
    }

    boolean isThere() throws IOException {
        return bytes > 0 && Files.exists(file) && Files.size(file) == bytes;
    }

    /**
     * Writes it out: a file with a length alone takes no room, and one of zeros takes none where
     * the file system compresses. Each chunk is the same random bytes, begun somewhere else, so
     * that no two blocks are equal: to make them all takes a tenth of the CPU of a start.
     */
    void make() throws IOException {
        boolean isWhole = false;
        try (FileChannel out =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE)) {
            byte[] chunk = new byte[CHUNK];
            random.nextBytes(chunk);
            int from = 0;
            for (long left = bytes; left > 0; ) {
                ByteBuffer next = ByteBuffer.wrap(chunk, from, (int) Math.min(CHUNK - from, left));
                left -= next.remaining();
                while (next.hasRemaining()) {
                    out.write(next);
                }
                from = (from + STEP) % CHUNK;
            }
            out.force(true);
            isWhole = true;
        } finally {
            if (!isWhole) {
                Files.deleteIfExists(file);
            }
        }
    }

    void giveUp() throws IOException {
        Files.deleteIfExists(file);
    }
}
