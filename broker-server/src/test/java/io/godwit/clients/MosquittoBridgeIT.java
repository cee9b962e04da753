package io.godwit.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.loopback.FreePorts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A Mosquitto that is bridged to the broker. */
@Timeout(180)
class MosquittoBridgeIT {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String HOW_TO_GET = "apt-get install mosquitto-clients";

    private final BrokerUnderTest broker = BrokerUnderTest.shared();

    /**
     * The bridge marks its first CONNECT with the highest bit of the level: 0x83, 0x84. It waits
     * some seconds before it tries again without.
     */
    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @ValueSource(strings = {"mqttv31", "mqttv311", "mqttv50"})
    void messages_pass_a_bridge_both_ways(String version) {
        int port = FreePorts.next();
        try (MosquittoBroker bridge = bridge(port, version)) {
            bridge.run().awaitLine(line -> line.contains("Received SUBACK"), SOON);

            assertThat(passed(broker.port(Transport.TCP), "to-bridge/" + version + "/a", port))
                    .isEqualTo("to-bridge/" + version + "/a hello");
            assertThat(passed(port, "from-bridge/" + version + "/b", broker.port(Transport.TCP)))
                    .isEqualTo("from-bridge/" + version + "/b hello");
        }
    }

    @ParameterizedTest
    @CsvSource({"MQIsdp, 0x83", "MQTT, 0x84"})
    void the_level_of_a_bridge_is_refused_as_unacceptable(String name, int level)
            throws IOException {
        byte[] end = {0, 60, 0, 3, 'b', 'i', 'd'};
        ByteArrayOutputStream connect = new ByteArrayOutputStream();
        connect.writeBytes(new byte[] {0x10, (byte) (2 + name.length() + 2 + end.length)});
        connect.writeBytes(new byte[] {0, (byte) name.length()});
        connect.writeBytes(name.getBytes(StandardCharsets.US_ASCII));
        connect.writeBytes(new byte[] {(byte) level, 0x02});
        connect.writeBytes(end);
        try (Socket socket = new Socket(broker.host(), broker.port(Transport.TCP))) {
            socket.setSoTimeout((int) SOON.toMillis());
            socket.getOutputStream().write(connect.toByteArray());
            assertThat(socket.getInputStream().readAllBytes())
                    .as("CONNACK, unacceptable protocol version, and the end")
                    .containsExactly(0x20, 0x02, 0x00, 0x01);
        }
    }

    private MosquittoBroker bridge(int port, String version) {
        return MosquittoBroker.start(
                port,
                List.of(
                        "allow_anonymous true",
                        "listener " + port + " 127.0.0.1",
                        "connection godwit",
                        "address " + broker.host() + ":" + broker.port(Transport.TCP),
                        "bridge_protocol_version " + version,
                        "remote_clientid bridge-" + version,
                        "restart_timeout 1",
                        "topic from-bridge/# out 1",
                        "topic to-bridge/# in 1"));
    }

    /**
     * What a subscriber at the second port gets of a message to the first, as topic and payload.
     */
    private static String passed(int from, String topic, int to) {
        String sub = Tool.require("mosquitto_sub", HOW_TO_GET);
        String stdbuf = Tool.require("stdbuf", "apt-get install coreutils");
        String pub = Tool.require("mosquitto_pub", HOW_TO_GET);
        try (ProgramRun reader =
                ProgramRun.start(
                        List.of(
                                stdbuf,
                                "-oL",
                                sub,
                                "-p",
                                "" + to,
                                "-d",
                                "-q",
                                "1",
                                "-C",
                                "1",
                                "-t",
                                topic,
                                "-F",
                                "message:%t %p"))) {
            reader.awaitLine(line -> line.startsWith("Subscribed"), SOON);
            try (ProgramRun writer =
                    ProgramRun.start(
                            List.of(pub, "-p", "" + from, "-q", "1", "-t", topic, "-m", "hello"))) {
                assertThat(writer.awaitEnd(SOON)).isEmpty();
            }
            return reader.awaitLine(line -> line.startsWith("message:"), SOON)
                    .substring("message:".length());
        }
    }
}
