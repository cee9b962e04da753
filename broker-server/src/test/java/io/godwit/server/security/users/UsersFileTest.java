package io.godwit.server.security.users;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.server.reload.FileMemory;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UsersFileTest {
    private static final String HASH = new NewHashes(new SecureRandom()).ofToken("right").text();

    private @TempDir Path folder;
    private Path file;
    private final FileMemory memory = new FileMemory(1 << 30);

    @BeforeEach
    void name() {
        file = folder.resolve("users");
    }

    @Test
    void file_of_100_000_users_is_read_within_a_second() throws Exception {
        Files.writeString(file, lines(100_000));
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long bestNanos = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) { // the first compiles; others run beside it
            long began = threads.getCurrentThreadCpuTime();
            assertThat(parse().size()).isEqualTo(100_000);
            bestNanos = Math.min(bestNanos, threads.getCurrentThreadCpuTime() - began);
        }
        assertThat(bestNanos).isLessThan(1_000_000_000L);
    }

    @Test
    void remarks_empty_lines_ends_of_windows_and_a_byte_order_mark_are_left_out() throws Exception {
        Files.writeString(file, "\uFEFF# users\r\n\r\na:" + HASH + "\r\n  # b:x\n\nb:" + HASH);
        assertThat(parse().size()).isEqualTo(2);
        assertThat(parse().find("a")).isNotNull();
        assertThat(parse().find("b")).isNotNull();
    }

    @Test
    void broken_line_is_named_by_its_number_and_its_text_is_not_repeated() throws Exception {
        String[] lines = lines(100_000).split("\n");
        lines[49_999] = "u49999:hunter2";
        Files.writeString(file, String.join("\n", lines));
        assertMistake(", line 50000: no hash that Godwit knows");
        assertThatThrownBy(this::parse).message().doesNotContain("hunter2");
    }

    @Test
    void second_line_of_a_user_names_the_first() throws Exception {
        Files.writeString(file, "a:" + HASH + "\nb:" + HASH + "\na:" + HASH + "\n");
        assertMistake(", line 3: the user a stands in line 1 already");
    }

    @Test
    void line_without_a_colon_or_with_an_illegal_name_is_a_mistake() throws Exception {
        Files.writeString(file, "alice\n");
        assertMistake(", line 1: there is no colon");
        Files.writeString(file, "al\u0007ice:" + HASH);
        assertMistake(", line 1: a user name must not contain control characters");
        Files.writeString(file, ":" + HASH);
        assertMistake(", line 1: the user name is empty");
        Files.writeString(file, "a".repeat(65_536) + ":" + HASH);
        assertMistake("must not have more than 65535 bytes");
        Files.writeString(file, "a".repeat(65_535) + ":" + HASH);
        assertThat(parse().size()).isOne();
    }

    @Test
    void bytes_that_are_no_utf_8_are_named_by_their_line() throws Exception {
        Files.write(
                file, ("a:" + HASH + "\nb\u00FF:" + HASH).getBytes(StandardCharsets.ISO_8859_1));
        assertMistake(", line 2: it is not UTF-8 text");
    }

    @Test
    void file_of_a_gigabyte_is_refused_before_it_is_read_whole() throws Exception {
        try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
            sparse.setLength(1L << 30);
        }
        assertMistake(": has more than 64 MiB");
    }

    @Test
    void file_that_is_missing_or_is_a_folder_is_a_mistake() throws Exception {
        assertMistake(": can't be read: it does not exist");
        Files.createDirectory(file);
        assertMistake(": can't be read: is a directory");
        Files.delete(file);
        // What the kernel lets nobody read, as root may read all others.
        Files.createSymbolicLink(file, Path.of("/sys/bus/platform/uevent"));
        assertMistake(": can't be read: permission denied");
    }

    @Test
    void hash_that_takes_more_memory_than_the_node_has_for_one_is_refused() throws Exception {
        Files.writeString(
                file,
                "a:$argon2id$v=19$m=65536,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA");
        assertThat(parse().size()).isOne();
        assertThatThrownBy(() -> new UsersFile(file, 32 << 20, memory).parse(UsersFile.bytes(file)))
                .isInstanceOf(UsersMistake.class)
                .hasMessageContaining(
                        ", line 1: the hash takes 64 MiB of memory, and this node has 32");
    }

    @Test
    void users_that_do_not_fit_into_memory_are_refused_and_others_counted() throws Exception {
        Files.writeString(file, lines(10));
        parse();
        assertThat(memory.bytes()).isEqualTo(3 * Files.size(file));
        assertThatThrownBy(() ->
                        new UsersFile(file, 64 << 20, new FileMemory(100))
                                .parse(UsersFile.bytes(file)))
                .hasMessageStartingWith(file + ": takes about 1 MiB of memory, and 1 MiB are left");
    }

    private UserTable parse() throws UsersMistake {
        return new UsersFile(file, 64 << 20, memory).parse(UsersFile.bytes(file));
    }

    private void assertMistake(String why) {
        assertThatThrownBy(this::parse)
                .isInstanceOf(UsersMistake.class)
                .hasMessageStartingWith(file.toString())
                .hasMessageContaining(why);
    }

    private static String lines(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "u" + i + ":" + HASH)
                .collect(Collectors.joining("\n"));
    }
}
