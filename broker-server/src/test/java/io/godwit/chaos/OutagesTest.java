package io.godwit.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OutagesTest {
    private final Outages outages = new Outages();

    @Test
    void report_says_how_long_half_of_the_outages_took_and_the_longest() {
        outages.begin("GONE");
        String since = outages.fault();
        for (int ms = 1; ms <= 200; ms++) {
            outages.ended(since, ms);
        }
        outages.begin("KILL");
        outages.ended(since, 3_400);
        assertThat(outages.longestMs()).isEqualTo(3_400);
        assertThat(outages.toString())
                .isEqualTo(
                        "Outages of clients: 201, 50 % within 101 ms, 99 % within 199 ms,"
                                + " the longest 3,400 ms\n"
                                + "    GONE         201, 50 % within 101 ms, 99 % within 199 ms,"
                                + " the longest 3,400 ms");
    }

    @Test
    void outage_that_began_before_a_fault_is_counted_with_the_fault_in_which_it_ended() {
        String before = outages.fault();
        outages.begin("WIPE");
        outages.ended(before, 20);
        outages.end();
        outages.ended(outages.fault(), 10);
        assertThat(outages.toString()).contains("\n    WIPE ", "\n    no fault ");
    }

    @Test
    void run_without_outages_reports_none() {
        ChaosRun.Report report = new ChaosRun.Report(new Tally(), 1, List.of(), Map.of());
        assertThat(report.toString()).doesNotContain("Outages");
    }
}
