package io.godwit.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
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
        String said = new String(process.getInputStream().readAllBytes());
        return new Ended(process.waitFor(), said);
    }

    @Test
    void the_nth_write_fails_and_all_after_it() throws Exception {
        disk.fail(DiskFault.Call.WRITE, DiskFault.Which.LOGS, DiskFault.Error.ENOSPC, 4, false);
        Ended ended = dd(folder.resolve("1.log"));
        assertThat(ended.code()).isNotZero();
        assertThat(ended.said()).contains("No space left on device");
        assertThat(folder.resolve("1.log")).hasSize(400);
        assertThat(dd(folder.resolve("2.log")).code()).isNotZero();
        assertThat(disk.failures()).isEqualTo(2);
    }

    @Test
    void a_failing_write_may_have_written_half() throws Exception {
        disk.fail(DiskFault.Call.WRITE, DiskFault.Which.ALL, DiskFault.Error.EIO, 4, true);
        assertThat(dd(folder.resolve("1.log")).said()).contains("Input/output error");
        assertThat(folder.resolve("1.log")).hasSize(450);
    }

    @Test
    void one_sync_fails_and_then_none() throws Exception {
        disk.failOnce(DiskFault.Call.SYNC, DiskFault.Which.ALL, DiskFault.Error.EIO, 0);
        assertThat(dd(folder.resolve("1.log"), "conv=fdatasync").code()).isNotZero();
        assertThat(dd(folder.resolve("1.log"), "conv=fdatasync").code()).isZero();
        assertThat(disk.failures()).isOne();
        assertThat(disk.syncs()).isGreaterThan(1); // dd tries again itself
    }

    @Test
    void other_files_and_other_folders_are_left_alone() throws Exception {
        disk.fail(DiskFault.Call.WRITE, DiskFault.Which.LOGS, DiskFault.Error.EIO, 0, false);
        assertThat(dd(folder.resolve("1.sst")).code()).isZero();
        assertThat(dd(scratch.resolve("1.log")).code()).isZero();
        disk.heal();
        assertThat(dd(folder.resolve("1.log")).code()).isZero();
        assertThat(disk.failures()).isZero();
        assertThat(disk.writes()).isEqualTo(20);
    }

    @Test
    void a_power_cut_leaves_what_was_synced_and_part_of_the_rest() throws Exception {
        Path synced = folder.resolve("synced.log");
        Path grown = folder.resolve("grown.log");
        Path never = folder.resolve("never.log");
        dd(synced, "conv=fdatasync");
        dd(grown, "conv=fdatasync");
        dd(grown, "oflag=append", "conv=notrunc");
        dd(never);
        assertThat(Files.readString(disk.record())).contains("create ", " 1000 ").contains("sync");
        boolean[] gone = new boolean[2];
        Tally tally = new Tally();
        for (int seed = 0; seed < 50; seed++) {
            Path copy = Files.createTempDirectory(scratch, "copy");
            for (Path file : List.of(synced, grown, never)) {
                // A link keeps the inode, which the record knows.
                Files.createLink(copy.resolve(file.getFileName()), file);
            }
            byte[] record = Files.readAllBytes(disk.record());
            byte[] whole = Files.readAllBytes(grown);
            byte[] neverWhole = Files.readAllBytes(never);
            PowerCut.of(copy, disk.record(), new SplittableRandom(seed), tally);
            assertThat(synced).hasSize(1000);
            assertThat(Files.size(grown)).isBetween(1000L, 2000L);
            assertThat(Files.readAllBytes(grown)).startsWith(new byte[1000]);
            gone[Files.exists(copy.resolve("never.log")) ? 0 : 1] = true;
            Files.write(disk.record(), record);
            Files.write(grown, whole);
            Files.write(never, neverWhole);
        }
        assertThat(gone).containsOnly(true);
        assertThat(tally.of(Happening.UNSYNCED_TAILS)).isGreaterThan(50);
        assertThat(tally.of(Happening.UNSYNCED_BYTES_KEPT))
                .isPositive()
                .isLessThan(tally.of(Happening.UNSYNCED_BYTES));
        assertThat(tally.of(Happening.CUTS_WITH_SEVERAL_LOGS)).isEqualTo(50);
        assertThat(tally.of(Happening.FILES_GONE)).isPositive();
    }
}
