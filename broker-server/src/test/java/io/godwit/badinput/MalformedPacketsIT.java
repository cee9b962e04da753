package io.godwit.badinput;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.clients.GodwitProcess;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bytes that are no packets, or the wrong ones, all at one broker. */
@Tag("alone")
@Timeout(180)
class MalformedPacketsIT {
    /** The canary sings at least so often in each of these tests, some of which are short. */
    private static final int SONGS = 1;

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int CONNECT_TIMEOUT_MS = 1_500;
    private static final int MALFORMED_PACKET = 0x81;
    private static final int PACKET_TOO_LARGE = 0x95;
    private static final int TOPIC_NAME_INVALID = 0x90;
    private static final int LARGEST_LENGTH = 268_435_455;

    /** Heap and network buffers of 256 MiB each, and the JVM. */
    private static final int MEMORY_MIB = 2 * 256 + 250;

    private static GodwitProcess broker;
    private Canary canary;

    @BeforeAll
    static void start() {
        broker =
                new GodwitProcess.Setup()
                        .set("limits.connect-timeout=" + CONNECT_TIMEOUT_MS + "ms")
                        .start();
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @BeforeEach
    void release_the_canary() throws IOException {
        canary = new Canary(broker.port());
    }

    @AfterEach
    void the_canary_sang_on() throws Exception {
        try (Canary bird = canary) {
            bird.assertUnharmed(SONGS);
        }
        assertThat(broker.isAlive()).as("whether the broker is still there").isTrue();
        assertThat(broker.residentMib()).isLessThan(MEMORY_MIB);
    }

    @Test
    void random_bytes_end_the_connection_and_are_counted() throws IOException {
        Random random = new Random(1);
        long violations = broker.counter("protocol.violations");
        long refused = broker.counter("connects.refused");
        long silent = broker.counter("connect.timeouts") + broker.counter("keepalive.timeouts");
        int count = 2_000;
        try (Swarm swarm = new Swarm(broker.port())) {
            swarm.open(
                    count,
                    i -> {
                        byte[] noise = new byte[1 + random.nextInt(600)];
                        random.nextBytes(noise);
                        ByteBuffer bytes = ByteBuffer.wrap(noise);
                        return i % 2 == 0
                                ? List.of(bytes)
                                : List.of(ByteBuffer.wrap(Bytes.connect("noise" + i, 1)), bytes);
                    });
            swarm.await("all closed", SOON, () -> swarm.counts().closed == count);
        }
        long counted =
                broker.counter("protocol.violations")
                        - violations
                        + broker.counter("connects.refused")
                        - refused
                        + broker.counter("connect.timeouts")
                        + broker.counter("keepalive.timeouts")
                        - silent;
        assertThat(counted)
                .as("ends with a cause\n%s", broker.story())
                .isGreaterThanOrEqualTo(count * 9 / 10);
    }

    @Test
    void packets_that_end_early_take_nothing_with_them() throws IOException {
        byte[] all =
                Bytes.concat(
                        Bytes.connect("torn", 0),
                        Bytes.subscribe(1, 2, List.of("torn/+", "$share/g/torn")),
                        Bytes.publish("torn/x", new byte[30], 2, 7),
                        Bytes.publish("torn/y", new byte[30], 1, 8),
                        Bytes.PINGREQ);
        long open = broker.counter("connects") - broker.counter("connections.closed");
        for (int cut = 1; cut <= all.length; cut++) {
            try (RawClient client = RawClient.open(broker.port())) {
                client.send(all, cut);
            }
        }
        // One that says it all, after the others: the session of the last torn one is gone.
        try (RawClient client = RawClient.open(broker.port())) {
            client.send(all);
            client.readUntil(Bytes.PINGRESP);
        }
        Awaitility.await("the torn connections to be gone")
                .atMost(SOON)
                .until(() ->
                        broker.counter("connects") - broker.counter("connections.closed") == open);
    }

    @Test
    void a_length_that_does_not_fit_the_body_is_malformed() throws IOException {
        long violations = broker.counter("protocol.violations");
        // PUBLISH whose topic is longer than the packet; SUBSCRIBE cut in a filter; empty PUBACK.
        List<byte[]> lies =
                List.of(
                        Bytes.lying(0x30, 4, (byte) 0, (byte) 9, (byte) 'a', (byte) 'b'),
                        Bytes.lying(
                                0x82,
                                6,
                                (byte) 0,
                                (byte) 1,
                                (byte) 0,
                                (byte) 0,
                                (byte) 5,
                                (byte) 'a'),
                        Bytes.lying(0x40, 0));
        for (byte[] lie : lies) {
            try (RawClient client = RawClient.connected(broker.port(), "liar")) {
                client.send(lie);
                assertThat(client.readUntil(Bytes.DISCONNECT).int8(0)).isEqualTo(MALFORMED_PACKET);
                client.expectEnd();
            }
        }
        assertThat(broker.counter("protocol.violations") - violations).isEqualTo(lies.size());
    }

    @Test
    void a_packet_above_the_maximum_is_refused_by_its_length_alone() throws IOException {
        long violations = broker.counter("protocol.violations");
        try (RawClient client = RawClient.connected(broker.port(), "giant")) {
            client.send(Bytes.lying(0x30, LARGEST_LENGTH));
            assertThat(client.readUntil(Bytes.DISCONNECT).int8(0)).isEqualTo(PACKET_TOO_LARGE);
            client.expectEnd();
        }
        try (RawClient client = RawClient.open(broker.port())) {
            client.send(Bytes.connect311("giant311"));
            client.readUntil(Bytes.CONNACK);
            client.send(Bytes.lying(0x30, LARGEST_LENGTH));
            client.expectEnd();
        }
        try (RawClient client = RawClient.open(broker.port())) {
            client.send(Bytes.lying(0x10, LARGEST_LENGTH));
            client.expectEnd();
        }
        assertThat(broker.counter("protocol.violations") - violations).isEqualTo(3);
    }

    @Test
    void a_connect_that_comes_byte_by_byte_has_until_the_time_limit() throws Exception {
        long timeouts = broker.counter("connect.timeouts");
        byte[] connect = Bytes.connect("slow", 0);
        long start = System.nanoTime();
        try (RawClient silent = RawClient.open(broker.port());
                RawClient slow = RawClient.open(broker.port())) {
            silent.send(connect, 1);
            try {
                for (byte each : connect) {
                    slow.send(new byte[] {each});
                    Thread.sleep(250); // a byte a minute, against a limit of 10 s, in small
                }
                slow.read();
            } catch (SocketException | EOFException closed) {
                // As it should be; the counter says why.
            }
            silent.expectEnd();
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isBetween(Duration.ofMillis(CONNECT_TIMEOUT_MS - 100), SOON);
        assertThat(broker.counter("connect.timeouts") - timeouts).isEqualTo(2);
    }

    @Test
    void a_topic_of_65535_bytes_is_a_topic_like_any_other() throws IOException {
        String longest = "t".repeat(65_535);
        try (RawClient client = RawClient.connected(broker.port(), "long-winded")) {
            client.subscribe(longest, 1);
            client.send(Bytes.publish(longest, new byte[] {42}, 1, 1));
            RawClient.Received message = client.readUntil(Bytes.PUBLISH);
            assertThat(message.int16(0)).isEqualTo(65_535);
            assertThat(message.body()[message.body().length - 1]).isEqualTo((byte) 42);
        }
    }

    @Test
    void a_topic_of_65535_levels_is_refused() throws IOException {
        long violations = broker.counter("protocol.violations");
        String deepest = "/".repeat(65_535);
        try (RawClient client = RawClient.connected(broker.port(), "deep")) {
            client.send(Bytes.publish(deepest, new byte[1], 0, 0));
            assertThat(client.readUntil(Bytes.DISCONNECT).int8(0)).isEqualTo(TOPIC_NAME_INVALID);
            client.expectEnd();
        }
        try (RawClient client = RawClient.connected(broker.port(), "deep")) {
            long refused = broker.counter("subscribes.refused");
            client.send(Bytes.subscribe(1, 0, deepest));
            RawClient.Received answer = client.readUntil(Bytes.SUBACK);
            assertThat(answer.int8(answer.body().length - 1)).isGreaterThanOrEqualTo(0x80);
            assertThat(broker.counter("subscribes.refused") - refused).isEqualTo(1);
        }
        assertThat(broker.counter("protocol.violations") - violations).isEqualTo(1);
    }
}
