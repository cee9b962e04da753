package io.godwit.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a power cut leaves of the files of {@code dd}; all that it may leave does occur. */
class PowerCutTest {
    private static final int SECTOR = 512;
    private static final int CUTS = 200;

    @TempDir Path scratch;

    private Path folder;
    private DiskFault disk;
    private final Tally tally = new Tally();

    @BeforeEach
    void shim() {
        NativeTools.need(DiskFault.problem());
        folder = scratch.resolve("disk");
        disk = DiskFault.of(folder, scratch);
    }

    /** Writes this letter so many times, at this byte. */
    private void dd(Path file, char letter, int at, int count, String... more)
            throws IOException, InterruptedException {
        Path input = scratch.resolve("input");
        Files.writeString(input, String.valueOf(letter).repeat(count));
        ProcessBuilder builder =
                new ProcessBuilder(
                        "dd", "if=" + input, "of=" + file, "bs=" + count, "oflag=seek_bytes");
        builder.command().addAll(List.of("seek=" + at, "conv=notrunc" + String.join("", more)));
        builder.environment().putAll(disk.environment());
        Process process = builder.redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
    }

    /** What many cuts of the same moment left of a file; the empty string when it was gone. */
    private Set<String> left(Path file) throws IOException {
        Map<Path, byte[]> files = new LinkedHashMap<>();
        for (Path each : List.of(file, disk.record())) {
            files.put(each, Files.readAllBytes(each));
        }
        Path link = Files.createLink(scratch.resolve("link"), file); // keeps the inode
        Set<String> left = new HashSet<>();
        for (int seed = 0; seed < CUTS; seed++) {
            PowerCut.of(
                    folder,
                    disk.record(),
                    PowerCut.Survivors.values(),
                    new SplittableRandom(seed),
                    tally);
            assertThat(disk.record()).isEmptyFile();
            if (Files.exists(file)) {
                left.add(Files.readString(file, StandardCharsets.ISO_8859_1));
            } else {
                left.add("");
                Files.createLink(file, link);
            }
            for (Map.Entry<Path, byte[]> each : files.entrySet()) {
                restore(each.getKey(), each.getValue());
            }
        }
        return left;
    }

    /** Never empty in between: ext4 would write it to the disk at once. */
    private static void restore(Path file, byte[] content) throws IOException {
        Files.write(file, content, StandardOpenOption.WRITE);
        try (FileChannel open = FileChannel.open(file, StandardOpenOption.WRITE)) {
            open.truncate(content.length);
        }
    }

    private static String of(char letter, int count) {
        return String.valueOf(letter).repeat(count);
    }

    @Test
    void what_was_synced_stays() throws Exception {
        Path file = folder.resolve("1" + PowerCut.SUFFIX);
        dd(file, 'a', 0, 3_000, ",fdatasync");
        syncFolder();
        assertThat(left(file)).containsExactly(of('a', 3_000));
        assertThat(tally.of(Happening.UNSYNCED_SEGMENTS)).isZero();
        assertThat(tally.of(Happening.FILES_GONE)).isZero();
    }

    private void syncFolder() throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("sync", folder.toString());
        builder.environment().putAll(disk.environment());
        assertThat(builder.start().waitFor()).isZero();
    }

    @Test
    void a_file_whose_folder_was_not_synced_may_be_gone() throws Exception {
        Path file = folder.resolve("1" + PowerCut.SUFFIX);
        dd(file, 'a', 0, 3_000, ",fdatasync");
        assertThat(left(file)).containsOnly("", of('a', 3_000));
        assertThat(tally.of(Happening.FILES_GONE)).isBetween(CUTS / 4L, CUTS * 3L / 4);
    }

    @Test
    void an_older_record_comes_back_sector_by_sector() throws Exception {
        Path file = folder.resolve("1" + PowerCut.SUFFIX);
        dd(file, 'a', 0, 4 * SECTOR, ",fdatasync");
        syncFolder();
        dd(file, 'b', SECTOR / 2, 2 * SECTOR);
        Set<String> left = left(file);
        Set<String> garbage = new HashSet<>();
        Set<String> states = new HashSet<>();
        for (String each : left) {
            assertThat(each).hasSize(4 * SECTOR);
            assertThat(each.substring(0, SECTOR / 2)).isEqualTo(of('a', SECTOR / 2));
            assertThat(each.substring(SECTOR * 5 / 2)).isEqualTo(of('a', SECTOR * 3 / 2));
            String state = "";
            for (int[] part : new int[][] {{256, 512}, {512, 1024}, {1024, 1280}}) {
                String bytes = each.substring(part[0], part[1]);
                boolean whole = bytes.equals(of(bytes.charAt(0), bytes.length()));
                if (whole && "ab".indexOf(bytes.charAt(0)) >= 0) {
                    state += bytes.charAt(0);
                } else {
                    garbage.add(bytes);
                }
            }
            states.add(state);
        }
        assertThat(states)
                .contains("aaa", "aab", "aba", "abb", "baa", "bab", "bba", "bbb")
                .allMatch(state -> state.length() >= 2); // one is torn at most
        assertThat(garbage).hasSizeGreaterThan(3).contains(of((char) 0, SECTOR));
        assertThat(tally.of(Happening.SEGMENTS_USED_AGAIN)).isEqualTo(CUTS);
        assertThat(tally.of(Happening.TORN_SECTORS)).isPositive();
        assertThat(tally.of(Happening.UNSYNCED_BYTES)).isEqualTo(CUTS * 2L * SECTOR);
        assertThat(tally.of(Happening.UNSYNCED_BYTES_KEPT))
                .isPositive()
                .isLessThan(CUTS * 2L * SECTOR);
    }

    @Test
    void of_several_writes_to_a_sector_any_may_be_the_last_one_left() throws Exception {
        Path file = folder.resolve("1" + PowerCut.SUFFIX);
        dd(file, 'a', 0, 100, ",fdatasync");
        syncFolder();
        for (char letter : "bcd".toCharArray()) {
            dd(file, letter, 0, 100);
        }
        Set<String> left = left(file);
        assertThat(left).contains(of('a', 100), of('b', 100), of('c', 100), of('d', 100));
    }

    @Test
    void a_file_that_grew_ends_anywhere_behind_what_was_synced() throws Exception {
        Path file = folder.resolve("1" + PowerCut.SUFFIX);
        dd(file, 'a', 0, 1_000, ",fdatasync");
        syncFolder();
        dd(file, 'b', 1_000, 2_000);
        Set<String> left = left(file);
        assertThat(left)
                .allMatch(each -> each.startsWith(of('a', 1_000)) && each.length() <= 3_000)
                .contains(of('a', 1_000), of('a', 1_000) + of('b', 2_000));
        assertThat(left.stream().mapToInt(String::length).distinct().count()).isGreaterThan(20);
        assertThat(left).anyMatch(each -> each.contains("b" + of((char) 0, SECTOR)));
    }

    @Test
    void an_entry_that_the_kill_cut_off_counts_as_not_written() throws Exception {
        Path file = folder.resolve("1" + PowerCut.SUFFIX);
        dd(file, 'a', 0, 100, ",fdatasync");
        syncFolder();
        dd(file, 'b', 0, 100);
        byte[] whole = Files.readAllBytes(disk.record());
        Files.write(disk.record(), Arrays.copyOf(whole, whole.length - 1));
        assertThat(left(file)).containsExactly(of('b', 100));
    }
}
