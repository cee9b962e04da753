package io.godwit.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.benchmarks.load.RelayDouble.Fault;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The load program must notice what a broker does wrong; otherwise its figures say nothing. */
class WorkloadTest {
    private static final int MESSAGES = 100;
    private static final int SUBSCRIBERS_EACH = 2;

    @TempDir static Path folder;

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

    @ParameterizedTest(name = "{0}, PROXY header {1}")
    @MethodSource("transports")
    void each_transport_counts_all_and_sees_a_loss(Transport.Kind kind, boolean header)
            throws IOException {
        ServerWires wires = new ServerWires(new Transport(kind, header, false), folder);
        for (int qos = 0; qos <= 1; qos++) {
            PartResult all = flood(Fault.NONE, wires, qos);
            assertThat(all.fault()).isNull();
            assertThat(all.delivered()).isEqualTo(MESSAGES * SUBSCRIBERS_EACH);
            PartResult pieces = flood(Fault.WRITES_BYTE_BY_BYTE, wires, qos);
            assertThat(pieces.delivered()).isEqualTo(MESSAGES * SUBSCRIBERS_EACH);
        }
        PartResult lossy = flood(Fault.LOSES_EACH_TENTH, wires, 0);
        assertThat(lossy.fault()).isNull();
        assertThat(lossy.loss()).isBetween(0.0999, 0.1001);
        PartResult closed = flood(Fault.CLOSES_AT_THE_TENTH, wires, 0);
        assertThat(closed.fault()).isNotNull();
    }

    static Stream<Arguments> transports() {
        return Stream.of(Transport.Kind.values())
                .flatMap(kind -> Stream.of(false, true).map(header -> Arguments.of(kind, header)));
    }

    /** Writes of some MiB: sockets take only parts of them. */
    @ParameterizedTest(name = "{0}")
    @EnumSource(Transport.Kind.class)
    void each_transport_keeps_what_the_socket_does_not_take(Transport.Kind kind)
            throws IOException {
        ServerWires wires = new ServerWires(new Transport(kind, false, false), folder);
        Scenario large = scenario(0).with(100_000, 4_000_000);
        try (RelayDouble broker = new RelayDouble(Fault.NONE, wires);
                Workload workload = Workload.open(large, wires.placement(broker.address()))) {
            PartResult part = workload.flood(MESSAGES);
            assertThat(part.fault()).isNull();
            assertThat(part.delivered()).isEqualTo(MESSAGES * SUBSCRIBERS_EACH);
        }
    }

    private static PartResult flood(Fault fault, ServerWires wires, int qos) throws IOException {
        try (RelayDouble broker = new RelayDouble(fault, wires);
                Workload workload =
                        Workload.open(scenario(qos), wires.placement(broker.address()))) {
            return workload.flood(MESSAGES);
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
