package io.godwit.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One broker after the other whose disk begins to fail; clients go on with what it left. */
@Tag("alone")
class DiskFaultIT {
    @TempDir Path folder;
    @TempDir Path scratch;

    private DiskFault disk;

    @BeforeEach
    void shim() {
        NativeTools.need(DiskFault.problem());
        disk = DiskFault.of(folder.resolve("data"), scratch);
    }

    @Test
    void a_disk_that_fails_ends_the_broker_and_loses_nothing_acknowledged() {
        List<Endings.Ending> endings =
                List.of(
                        fault(DiskFault.Call.SYNC, DiskFault.Which.JOURNAL, DiskFault.Error.EIO),
                        fault(
                                DiskFault.Call.WRITE,
                                DiskFault.Which.JOURNAL,
                                DiskFault.Error.ENOSPC),
                        DiskEndings.fault(
                                disk,
                                DiskFault.Call.WRITE,
                                DiskFault.Which.JOURNAL,
                                DiskFault.Error.EIO,
                                true),
                        fault(DiskFault.Call.WRITE, DiskFault.Which.TABLES, DiskFault.Error.ENOSPC),
                        fault(DiskFault.Call.SYNC, DiskFault.Which.TABLES, DiskFault.Error.EIO),
                        fault(DiskFault.Call.SYNC, DiskFault.Which.MANIFESTS, DiskFault.Error.EIO));
        Plan plan =
                Plan.kills(5, endings.size(), 500, folder)
                        .load(40, 800)
                        .ending((round, random) -> endings.get((round - 1) % endings.size()))
                        .with(DiskEndings.SMALL_JOURNAL, disk.environment());
        ChaosRun.Report report = ChaosRun.run(plan, line -> {});
        assertThat(report.violations()).as("%s", report).isEmpty();
        assertThat(report.tally().of(Happening.FAULTS)).isEqualTo(endings.size());
    }

    private Endings.Ending fault(
            DiskFault.Call call, DiskFault.Which which, DiskFault.Error error) {
        return DiskEndings.fault(disk, call, which, error, false);
    }
}
