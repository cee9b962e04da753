package io.godwit.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckedFileTest {
    private static final byte[] CONTENT = {1, 2, 3};

    @TempDir Path folder;

    private CheckedFile file(Path at) {
        return new CheckedFile(at, "something");
    }

    private static void save(CheckedFile file, byte[] content) throws InterruptedException {
        CountDownLatch kept = new CountDownLatch(1);
        file.save(content, kept::countDown);
        assertThat(kept.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void what_was_kept_last_is_loaded() throws Exception {
        Path at = folder.resolve("file");
        assertThat(file(at).load("")).isEmpty();
        CheckedFile file = file(at);
        save(file, new byte[] {9});
        save(file, CONTENT);
        assertThat(file(at).load("")).isEqualTo(CONTENT);
        assertThat(folder).isDirectoryContaining("glob:**file");
        try (var files = Files.list(folder)) {
            assertThat(files).hasSize(1);
        }
    }

    @Test
    void a_damaged_file_is_as_if_nothing_was_saved() throws Exception {
        Path at = folder.resolve("file");
        save(file(at), CONTENT);
        byte[] bytes = Files.readAllBytes(at);
        for (int i = 0; i < bytes.length; i++) {
            byte[] damaged = bytes.clone();
            damaged[i] ^= 4;
            Files.write(at, damaged);
            assertThat(file(at).load("")).as("byte %d", i).isEmpty();
        }
        Files.write(at, new byte[] {1, 0});
        assertThat(file(at).load("")).isEmpty();
    }

    @Test
    void what_can_not_be_written_is_kept_when_it_can_again() throws Exception {
        Path missing = folder.resolve("later");
        Path at = missing.resolve("file");
        CountDownLatch kept = new CountDownLatch(1);
        file(at).save(CONTENT, kept::countDown);
        assertThat(kept.await(300, TimeUnit.MILLISECONDS)).isFalse();
        Files.createDirectory(missing);
        assertThat(kept.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(file(at).load("")).isEqualTo(CONTENT);
    }
}
