package io.godwit.persistence.space;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A ballast takes all its room also where a file system stores equal blocks once. */
class BallastTest {
    private static final int BLOCK = 4_096;

    /** More than its one chunk of random bytes, and no multiple of it. */
    private static final int BYTES = (20 << 20) + 3 * BLOCK;

    @TempDir Path folder;

    @Test
    void no_two_blocks_are_equal() throws Exception {
        Path file = folder.resolve("ballast");
        Ballast ballast = new Ballast(file, BYTES, new Random(1));
        assertThat(ballast.isThere()).isFalse();
        ballast.make();
        assertThat(ballast.isThere()).isTrue();

        byte[] made = Files.readAllBytes(file);
        assertThat(made).hasSize(BYTES);
        Set<ByteBuffer> blocks = new HashSet<>();
        for (int at = 0; at < BYTES; at += BLOCK) {
            blocks.add(ByteBuffer.wrap(made, at, BLOCK));
        }
        assertThat(blocks).hasSize(BYTES / BLOCK);
    }
}
