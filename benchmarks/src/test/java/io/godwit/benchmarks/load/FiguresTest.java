package io.godwit.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class FiguresTest {
    @Test
    void a_spread_is_median_and_range() {
        assertThat(Spread.of(List.of(3.0, 1.0, 9.0), d -> d)).isEqualTo(new Spread(3, 1, 9));
        assertThat(Spread.of(List.of(4.0, 1.0, 2.0, 9.0), d -> d)).isEqualTo(new Spread(3, 1, 9));
        assertThat(new Spread(5.314, 5, 5.9).text("%.2f")).isEqualTo("5.31 [5.00-5.90]");
    }

    @Test
    void the_load_is_the_bottleneck_only_while_the_broker_has_time_left() {
        assertThat(round(0.95, 0.5).loadWasBottleneck()).isTrue();
        assertThat(round(0.95, 1.3).loadWasBottleneck()).isFalse();
        assertThat(round(0.5, 0.5).loadWasBottleneck()).isFalse();
    }

    @Test
    void idle_clients_have_the_sizes_that_the_target_names() {
        assertThat(IdleClient.clientId(14_999)).hasSize(20);
        assertThat(IdleClient.filter(14_999)).hasSize(30).isNotEqualTo(IdleClient.filter(14_998));
    }

    @Test
    void cpu_time_grows() throws IOException {
        long pid = ProcessHandle.current().pid();
        assertThat(ProcFs.cpuMicros(pid)).isPositive().isLessThan(ProcFs.machineCpuMicros());
    }

    @Test
    void options_have_defaults_and_unknown_ones_are_named() {
        assertThat(new Options("flood").number("rounds")).isEqualTo(7);
        assertThat(new Options("flood", "--rounds", "3").number("rounds")).isEqualTo(3);
        assertThatThrownBy(() -> new Options("flood", "--round", "3"))
                .hasMessageContaining("'--round'");
        assertThatThrownBy(() -> new Options("flood", "--rounds"))
                .hasMessageContaining("needs a value");
        assertThatThrownBy(() -> Scenario.named("floot")).hasMessageContaining("flood-topics");
    }

    @Test
    void what_the_store_did_is_the_difference_of_two_pages() {
        StoreUse use =
                StoreUse.between(
                        Metrics.parsed(
                                """
                                # HELP godwit_store_commits_total Commits written.
                                godwit_store_commits_total 10.0
                                godwit_store_operations_total 100.0
                                godwit_store_operations_cancelled_total 5.0
                                godwit_store_appends_total 40.0
                                godwit_store_rows_written_total 0.0
                                godwit_sessions{shard="0"} 7.0
                                """),
                        Metrics.parsed(
                                """
                                godwit_store_commits_total 30.0
                                godwit_store_operations_total 1.1E3
                                godwit_store_operations_cancelled_total 255.0
                                godwit_store_appends_total 440.0
                                godwit_store_rows_written_total 4.0
                                """));
        assertThat(use.operationsPerCommit()).isEqualTo(50);
        assertThat(use.cancelledShare()).isEqualTo(0.25);
        assertThat(use.rowShare()).isEqualTo(0.01);
        assertThat(use.syncs()).isNaN();
        assertThat(use.text()).contains("50 operations/commit, 25.0 % cancelled");
        assertThat(StoreUse.between(Metrics.parsed(""), Metrics.parsed("")).text()).isEmpty();
    }

    @Test
    void a_series_with_labels_is_found_by_its_name_and_labels() {
        Metrics page =
                Metrics.parsed(
                        """
                        # HELP slots Slots of client ids, {all}.
                        slots{state="led",of="a b"} 1365.0
                        slots_all 4096.0
                        """);
        assertThat(page.get("slots{state=\"led\",of=\"a b\"}")).isEqualTo(1365);
        assertThat(page.get("slots_all")).isEqualTo(4096);
        assertThat(page.get("slots")).isNaN();
    }

    @Test
    void appends_that_are_not_in_the_journal_were_cancelled() {
        Metrics before = Metrics.parsed("godwit_store_appends_total 100.0");
        Metrics after = Metrics.parsed("godwit_store_appends_total 110.0");
        Round round =
                new Round(
                        1, 0, 1, 1, 1, 0, 0, 0, 0, 0, 1_000, StoreUse.between(before, after), null);
        assertThat(round.cancelledAppends()).isEqualTo(0.99);
    }

    @Test
    void the_scale_makes_a_scenario_smaller_but_never_nothing() {
        assertThat(new Options("reopen").scaled(100_000)).isEqualTo(100_000);
        assertThat(new Options("reopen", "--scale", "0.01").scaled(100_000)).isEqualTo(1_000);
        assertThat(new Options("reopen", "--scale", "0.000001").scaled(100)).isEqualTo(1);
        assertThatThrownBy(() -> new Options("reopen", "--scale", "x").scaled(1))
                .hasMessageContaining("--scale takes a number");
    }

    private static Round round(double loadBusy, double brokerBusy) {
        return new Round(
                1,
                0,
                1,
                brokerBusy,
                loadBusy,
                0,
                0,
                0,
                0,
                0,
                0,
                StoreUse.between(Metrics.parsed(""), Metrics.parsed("")),
                null);
    }
}
