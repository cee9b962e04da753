package io.godwit.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SummaryTest {
    private final Tally tally = new Tally();

    @Test
    void report_begins_with_one_sentence_about_the_whole_run() {
        tally.add(Happening.KILLS, 17);
        tally.add(Happening.PAUSES, 3);
        tally.add(Happening.LONG_PAUSES, 3);
        tally.add(Happening.ACKNOWLEDGED, 12_345);
        ChaosRun.Report report = new ChaosRun.Report(tally, 20, List.of(), Map.of());
        assertThat(report.toString())
                .startsWith(
                        "20 rounds, 20 faults, 12,345 messages acknowledged:"
                                + " 0 lost, 0 doubled, 0 reordered.\n");
        assertThat(report.violationsAll()).isZero();
    }

    @Test
    void summary_counts_each_kind_of_broken_promise() {
        tally.add(Happening.KILLS, 1);
        Map<Violation.Kind, Integer> counts =
                Map.of(
                        Violation.Kind.LOST, 2,
                        Violation.Kind.DOUBLE, 3,
                        Violation.Kind.DISORDER, 4,
                        Violation.Kind.WILL_DISORDER, 1,
                        Violation.Kind.STUCK, 6);
        assertThat(Summary.of(1, tally, counts).toString())
                .isEqualTo(
                        "1 round, 1 fault, 0 messages acknowledged:"
                                + " 2 lost, 3 doubled, 5 reordered, 6 other promises broken.");
        assertThat(new ChaosRun.Report(tally, 1, List.of(), counts).violationsAll()).isEqualTo(16);
    }
}
