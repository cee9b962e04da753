package io.godwit.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The shim under a program that is simpler than a broker. */
class DiskFaultTest {
    @TempDir Path scratch;

    private Path folder;
    private DiskFault disk;

    @BeforeEach
    void shim() {
        NativeTools.need(DiskFault.problem());
        folder = scratch.resolve("disk");
        disk = DiskFault.of(folder, scratch);
    }

    private record Ended(int code, String said) {}

    /** Writes 10 blocks of 100 bytes, each synced if so wanted. */
    private Ended dd(Path file, String... more) throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder("dd", "if=/dev/zero", "of=" + file, "bs=100", "count=10");
        builder.command().addAll(List.of(more));
        builder.environment().putAll(disk.environment());
        Process process = builder.redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), said);
    }

    @Test
    void the_nth_write_fails_and_all_after_it() throws Exception {
        disk.fail(DiskFault.Call.WRITE, DiskFault.Which.JOURNAL, DiskFault.Error.ENOSPC, 4, false);
        Ended ended = dd(folder.resolve("1.segment"));
        assertThat(ended.code()).isNotZero();
        assertThat(ended.said()).contains("No space left on device");
        assertThat(folder.resolve("1.segment")).hasSize(400);
        assertThat(dd(folder.resolve("2.segment")).code()).isNotZero();
        assertThat(disk.failures()).isEqualTo(2);
    }

    @Test
    void a_failing_write_may_have_written_half() throws Exception {
        disk.fail(DiskFault.Call.WRITE, DiskFault.Which.ALL, DiskFault.Error.EIO, 4, true);
        assertThat(dd(folder.resolve("1.segment")).said()).contains("Input/output error");
        assertThat(folder.resolve("1.segment")).hasSize(450);
    }

    @Test
    void one_sync_fails_and_then_none() throws Exception {
        disk.failOnce(DiskFault.Call.SYNC, DiskFault.Which.ALL, DiskFault.Error.EIO, 0);
        assertThat(dd(folder.resolve("1.segment"), "conv=fdatasync").code()).isNotZero();
        assertThat(dd(folder.resolve("1.segment"), "conv=fdatasync").code()).isZero();
        assertThat(disk.failures()).isOne();
        assertThat(disk.syncs()).isGreaterThan(1); // dd tries again itself
    }

    @Test
    void folder_reports_less_room_than_there_is_and_others_do_not() throws Exception {
        Files.createDirectories(folder);
        disk.reportFree(1 << 20);
        assertThat(freeBytes(folder)).isBetween(1L, 1L << 20);
        assertThat(freeBytes(scratch)).isGreaterThan(1 << 20);
        assertThat(dd(folder.resolve("1.segment")).code()).isZero();
        disk.reportFree(0);
        assertThat(freeBytes(folder)).isGreaterThan(1 << 20);
    }

    private long freeBytes(Path of) throws IOException, InterruptedException {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        ProcessBuilder builder =
                new ProcessBuilder(
                        java.toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Room.class.getName(),
                        of.toString());
        builder.environment().putAll(disk.withoutRecord());
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return Long.parseLong(said.strip());
    }

    /** Prints how many bytes are free under a folder, as a JVM finds it out. */
    static final class Room {
        private Room() {}

        public static void main(String[] arguments) throws IOException {
            Path of = Path.of(arguments[0]);
            System.out.println(Files.getFileStore(of).getUsableSpace());
        }
    }

    @Test
    void other_files_and_other_folders_are_left_alone() throws Exception {
        disk.fail(DiskFault.Call.WRITE, DiskFault.Which.JOURNAL, DiskFault.Error.EIO, 0, false);
        assertThat(dd(folder.resolve("1.sst")).code()).isZero();
        assertThat(dd(scratch.resolve("1.segment")).code()).isZero();
        disk.heal();
        assertThat(dd(folder.resolve("1.segment")).code()).isZero();
        assertThat(disk.failures()).isZero();
        assertThat(disk.writes()).isEqualTo(20);
    }
}
