package io.godwit.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An extension is replaced, and sleeps, while others publish: they notice nothing. */
class ReplaceIT {
    @TempDir private Path folder;

    @Test
    void extension_that_is_replaced_under_load_sees_each_message_once() throws Exception {
        ReplaceRun.Report report =
                ReplaceRun.run(new ReplaceRun.Size(50, 10, 5, 500), folder, line -> {});
        assertThat(report.faults()).isEmpty();
        assertThat(report.messages()).isGreaterThan(1_000);
        assertThat(report.versions()).isEqualTo(6);
        assertThat(report.loaders()).isEqualTo(1);
        assertThat(report.metaspaceLastKib()).isGreaterThan(1_000);
    }

    @Test
    void client_that_an_extension_sleeps_for_does_not_hold_up_others() throws Exception {
        SlowClientRun.Report report =
                SlowClientRun.run(new SlowClientRun.Size(20, 1, 10, 4), folder);
        assertThat(report.faults()).isEmpty();
        assertThat(report.slowMessages()).isEqualTo(3);
        assertThat(report.p99Ms()).as("%s", report).isLessThan(1_000);
    }
}
