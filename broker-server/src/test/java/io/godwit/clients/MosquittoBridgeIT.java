package io.godwit.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.loopback.FreePorts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
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

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @ValueSource(strings = {"mqttv31", "mqttv311", "mqttv50"})
    void messages_pass_a_bridge_both_ways(String version) {
        int port = FreePorts.next();
        try (MosquittoBroker bridge =
                bridge(
                        port,
                        version,
                        "one-way-" + version,
                        "topic from-bridge/# out 1",
                        "topic to-bridge/# in 1")) {
            bridge.run().awaitLine(line -> line.contains("Received SUBACK"), SOON);

            assertThat(passed(broker.port(Transport.TCP), "to-bridge/" + version + "/a", port))
                    .isEqualTo("to-bridge/" + version + "/a hello");
            assertThat(passed(port, "from-bridge/" + version + "/b", broker.port(Transport.TCP)))
                    .isEqualTo("from-bridge/" + version + "/b hello");
        }
    }

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @ValueSource(strings = {"mqttv311", "mqttv50"})
    void bridge_of_a_both_topic_keeps_retained_messages_and_echoes_none(String version) {
        int port = FreePorts.next();
        int here = broker.port(Transport.TCP);
        String topic = "both/" + version + "/";
        try (MosquittoBroker bridge =
                        bridge(
                                port,
                                version,
                                "both-ways-" + version,
                                "topic " + topic + "# both 1");
                ProgramRun reader = reader(port, topic + "#");
                ProgramRun hereReader = reader(here, topic + "out")) {
            bridge.run().awaitLine(line -> line.contains("Received SUBACK"), SOON);
            assertThat(bridge.run().toString())
                    .as("the first CONNECT is accepted")
                    .doesNotContain("Connection Refused", "unacceptable protocol");

            publish(port, topic + "out", "-m", "from-mosquitto");
            hereReader.awaitLine(line -> line.startsWith("message:"), SOON);
            publish(here, topic + "in", "-r", "-m", "from-godwit");
            publish(here, topic + "end", "-m", "end");
            reader.awaitLine(line -> line.equals("message:" + topic + "end end"), SOON);

            assertThat(reader.toString().lines().filter(line -> line.startsWith("message:")))
                    .as("each once, the bridge's own not again")
                    .containsExactlyInAnyOrder(
                            "message:" + topic + "out from-mosquitto",
                            "message:" + topic + "in from-godwit",
                            "message:" + topic + "end end");
            try (ProgramRun later = reader(port, topic + "in")) {
                later.awaitLine(line -> line.equals("message:" + topic + "in from-godwit"), SOON);
            }
            publish(here, topic + "in", "-r", "-n");
        }
    }

    @ParameterizedTest
    @CsvSource({"MQIsdp, 0x83", "MQTT, 0x84"})
    void connect_with_the_level_of_a_bridge_is_accepted(String name, int level) throws IOException {
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
            assertThat(socket.getInputStream().readNBytes(4))
                    .as("CONNACK, accepted")
                    .containsExactly(0x20, 0x02, 0x00, 0x00);
        }
    }

    private MosquittoBroker bridge(int port, String version, String id, String... topics) {
        List<String> lines =
                new ArrayList<>(
                        List.of(
                                "allow_anonymous true",
                                "listener " + port + " 127.0.0.1",
                                "connection godwit",
                                "address " + broker.host() + ":" + broker.port(Transport.TCP),
                                "bridge_protocol_version " + version,
                                "remote_clientid " + id,
                                "restart_timeout 1"));
        lines.addAll(List.of(topics));
        return MosquittoBroker.start(port, lines);
    }

    /**
     * What a subscriber at the second port gets of a message to the first, as topic and payload.
     */
    private static String passed(int from, String topic, int to) {
        try (ProgramRun reader = reader(to, topic, "-C", "1")) {
            publish(from, topic, "-m", "hello");
            return reader.awaitLine(line -> line.startsWith("message:"), SOON)
                    .substring("message:".length());
        }
    }

    /** Starts a subscriber that prints what it gets as topic and payload; it is subscribed. */
    private static ProgramRun reader(int port, String filter, String... more) {
        String sub = Tool.require("mosquitto_sub", HOW_TO_GET);
        String stdbuf = Tool.require("stdbuf", "apt-get install coreutils");
        List<String> command =
                new ArrayList<>(
                        List.of(
                                stdbuf, "-oL", sub, "-p", "" + port, "-d", "-q", "1", "-t",
                                filter));
        command.addAll(List.of("-F", "message:%t %p"));
        command.addAll(List.of(more));
        ProgramRun reader = ProgramRun.start(command);
        reader.awaitLine(line -> line.startsWith("Subscribed"), SOON);
        return reader;
    }

    private static void publish(int port, String topic, String... more) {
        String pub = Tool.require("mosquitto_pub", HOW_TO_GET);
        List<String> command =
                new ArrayList<>(List.of(pub, "-p", "" + port, "-q", "1", "-t", topic));
        command.addAll(List.of(more));
        try (ProgramRun writer = ProgramRun.start(command)) {
            assertThat(writer.awaitEnd(SOON)).isEmpty();
        }
    }
}
