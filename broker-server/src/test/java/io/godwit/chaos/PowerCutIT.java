package io.godwit.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The real broker on a real disk that loses of what was not synced whatever a power cut may lose:
 * see {@link PowerCut}.
 */
class PowerCutIT {
    @TempDir Path folder;
    @TempDir Path scratch;

    private DiskFault disk;

    @BeforeEach
    void shim() {
        NativeTools.need(DiskFault.problem());
        disk = DiskFault.of(folder.resolve("data"), scratch);
    }

    /** So much that segments of the journal are used again and rows are written all the time. */
    private ChaosRun.Report run(int rounds, String sync, PowerCut.Survivors... survivors) {
        disk.slowSyncs(2_000);
        long seed = Long.getLong("chaos.seed", System.nanoTime() & 0xFFFF);
        Plan plan =
                Plan.kills(seed, rounds, 1_200, folder)
                        .load(40, 800)
                        .ending((round, random) ->
                                round == 1 ? Endings::stop : DiskEndings.powerCut(disk, survivors))
                        .with(
                                Stream.concat(
                                                DiskEndings.SMALL_JOURNAL.stream(),
                                                Stream.of("durability.sync=" + sync))
                                        .toList(),
                                disk.environment());
        return ChaosRun.run(plan, line -> {});
    }

    @Test
    void nothing_acknowledged_is_lost_when_the_power_goes() {
        ChaosRun.Report report = run(8, "commit", PowerCut.Survivors.values());
        assertThat(report.violations()).as("%s", report).isEmpty();
        for (Happening each :
                List.of(
                        Happening.UNSYNCED_SEGMENTS,
                        Happening.UNSYNCED_BYTES,
                        Happening.CUTS_WITH_SEVERAL_SEGMENTS,
                        Happening.SEGMENTS_USED_AGAIN,
                        Happening.ACKNOWLEDGED_UNDELIVERED_AT_END,
                        Happening.ENDS_WITH_UNACKNOWLEDGED)) {
            assertThat(report.tally().of(each)).as("%s in%n%s", each, report).isPositive();
        }
    }

    @Test
    void without_syncs_the_same_run_misses_acknowledged_messages() {
        // Were it left to chance, now and then every cut would let everything survive.
        ChaosRun.Report report = run(6, "os", PowerCut.Survivors.NONE);
        assertThat(report.violations())
                .as("%s", report)
                .extracting(Violation::kind)
                .contains(Violation.Kind.LOST);
    }
}
