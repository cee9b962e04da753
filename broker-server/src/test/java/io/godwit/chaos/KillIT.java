package io.godwit.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A few rounds of what {@code ./godwit chaos kill} does for hours. */
class KillIT {
    @TempDir Path folder;

    @Test
    void nothing_acknowledged_is_lost_when_the_broker_is_killed_again_and_again() {
        long seed = Long.getLong("chaos.seed", System.nanoTime() & 0xFFFF);
        // So short that messages become rows within a round.
        Plan plan =
                Plan.kills(seed, 10, 800, folder)
                        .with(List.of("durability.window=100ms"), Map.of());
        ChaosRun.Report report = ChaosRun.run(plan, line -> {});
        assertThat(report.violations()).as("%s", report).isEmpty();
        Tally tally = report.tally();
        assertThat(tally.of(Happening.ROUNDS)).isEqualTo(12);
        for (Happening each :
                List.of(
                        Happening.KILLS,
                        Happening.ENDS_WITH_UNACKNOWLEDGED,
                        Happening.ACKNOWLEDGED_UNDELIVERED_AT_END,
                        Happening.SESSIONS_PRESENT,
                        Happening.RECEIVED_QOS1,
                        Happening.RECEIVED_QOS2,
                        Happening.RECEIVED_AGAIN_WITH_DUP,
                        Happening.RESENT_QOS1,
                        Happening.RESUMED_AT_PUBLISH_SENT,
                        Happening.RESUMED_AT_PUBREC_SENT,
                        Happening.UNSUBSCRIBED,
                        Happening.RETAINED_CHECKED,
                        Happening.WILLS_DUE)) {
            assertThat(tally.of(each)).as("%s in%n%s", each, report).isPositive();
        }
    }

    @Test
    void a_broker_that_keeps_nothing_is_found_out() {
        Plan plan =
                Plan.kills(1, 3, 1_000, folder)
                        .ending((round, random) -> Endings::kill)
                        .with(List.of("durability.store=memory"), Map.of());
        assertThat(ChaosRun.run(plan, line -> {}).violations())
                .extracting(Violation::kind)
                .contains(
                        Violation.Kind.LOST, Violation.Kind.SESSION_LOST, Violation.Kind.RETAINED);
    }
}
