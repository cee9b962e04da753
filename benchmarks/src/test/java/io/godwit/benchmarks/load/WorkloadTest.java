package io.godwit.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.benchmarks.load.RelayDouble.Fault;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The load program must notice what a broker does wrong; otherwise its figures say nothing. */
class WorkloadTest {
    private static final int MESSAGES = 100;
    private static final int SUBSCRIBERS_EACH = 2;

    @ParameterizedTest(name = "QoS {0}")
    @ValueSource(ints = {0, 1})
    void all_that_was_sent_is_counted_once(int qos) throws IOException {
        PartResult part = flood(Fault.NONE, qos);
        assertThat(part.fault()).isNull();
        assertThat(part.expected()).isEqualTo(MESSAGES * SUBSCRIBERS_EACH);
        assertThat(part.delivered()).isEqualTo(part.expected());
        assertThat(part.repeated()).isZero();
        assertThat(part.loss()).isZero();
        assertThat(part.latency().getTotalCount()).isPositive();
    }

    @ParameterizedTest(name = "QoS {0}")
    @ValueSource(ints = {0, 1})
    void packets_in_pieces_are_counted_as_well(int qos) throws IOException {
        PartResult part = flood(Fault.WRITES_BYTE_BY_BYTE, qos);
        assertThat(part.delivered()).isEqualTo(MESSAGES * SUBSCRIBERS_EACH);
        assertThat(part.repeated()).isZero();
    }

    @ParameterizedTest(name = "QoS {0}")
    @ValueSource(ints = {0, 1})
    void a_loss_is_seen(int qos) throws IOException {
        PartResult part = flood(Fault.LOSES_EACH_TENTH, qos);
        assertThat(part.fault()).isNull();
        assertThat(part.delivered()).isEqualTo(MESSAGES * SUBSCRIBERS_EACH * 9 / 10);
        assertThat(part.loss()).isBetween(0.0999, 0.1001);
    }

    @ParameterizedTest(name = "QoS {0}")
    @ValueSource(ints = {0, 1})
    void a_message_that_comes_twice_is_not_delivered_twice(int qos) throws IOException {
        PartResult part = flood(Fault.REPEATS_EACH_TENTH, qos);
        assertThat(part.delivered()).isEqualTo(MESSAGES * SUBSCRIBERS_EACH);
        assertThat(part.repeated()).isBetween(1L, MESSAGES * SUBSCRIBERS_EACH / 10L);
    }

    @ParameterizedTest(name = "QoS {0}")
    @ValueSource(ints = {0, 1})
    void a_connection_that_the_broker_closes_is_a_fault(int qos) throws IOException {
        PartResult part = flood(Fault.CLOSES_AT_THE_TENTH, qos);
        assertThat(part.fault()).isNotNull();
    }

    @ParameterizedTest(name = "QoS {0}")
    @ValueSource(ints = {0, 1})
    void a_paced_part_sends_what_is_due_and_takes_its_time(int qos) throws IOException {
        try (RelayDouble broker = new RelayDouble(Fault.NONE);
                Workload workload = Workload.open(scenario(qos), broker.address())) {
            PartResult part = workload.paced(400, 0.5);
            assertThat(part.delivered()).isEqualTo(200 * SUBSCRIBERS_EACH);
            assertThat(part.latency().getTotalCount()).isEqualTo(part.delivered());
            assertThat(part.elapsedNanos()).isGreaterThan(480_000_000L);
        }
    }

    @Test
    void acknowledgements_that_are_put_off_are_all_sent() throws Exception {
        Scenario slow =
                new Scenario(
                        "slow",
                        2,
                        SUBSCRIBERS_EACH,
                        1,
                        1,
                        10,
                        120,
                        700,
                        0,
                        0,
                        new Scenario.Sessions(true, false, 50),
                        1);
        try (RelayDouble broker = new RelayDouble(Fault.NONE);
                Workload workload = Workload.open(slow, broker.address())) {
            long before = System.nanoTime();
            PartResult part = workload.flood(MESSAGES);
            assertThat(part.fault()).isNull();
            assertThat(part.delivered()).isEqualTo(MESSAGES * SUBSCRIBERS_EACH);
            assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(50_000_000L);
            broker.awaitAcknowledged(MESSAGES * SUBSCRIBERS_EACH);
        }
    }

    private static PartResult flood(Fault fault, int qos) throws IOException {
        try (RelayDouble broker = new RelayDouble(fault);
                Workload workload = Workload.open(scenario(qos), broker.address())) {
            return workload.flood(MESSAGES);
        }
    }

    /** Two publishers with three topics each; a write takes at most four messages. */
    private static Scenario scenario(int qos) {
        return new Scenario(
                "small",
                2,
                SUBSCRIBERS_EACH,
                3,
                qos,
                10,
                120,
                700,
                50,
                0,
                Scenario.Sessions.TRANSIENT,
                1);
    }
}
