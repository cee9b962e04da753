package io.godwit.server.extension;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.datatypes.MqttUtf8String;
import com.hivemq.client.mqtt.mqtt3.Mqtt3BlockingClient;
import com.hivemq.client.mqtt.mqtt3.exceptions.Mqtt3ConnAckException;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAck;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5PublishResult;
import io.godwit.server.BrokerFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Interceptors of other packets than PUBLISH and SUBSCRIBE, with clients of a client library. */
class PacketInterceptorsIT {
    private static final String USUAL =
            """
            context.registrations().connectInterceptor((origin, connect) -> {
                switch (connect.clientId()) {
                    case "throws" -> throw new IllegalStateException("test");
                    case "silent" -> {
                        return new java.util.concurrent.CompletableFuture<>();
                    }
                    case "dropped" -> {
                        return Interception.<ConnectPacket>dropped().now();
                    }
                    case "banned" -> {
                        return Interception.<ConnectPacket>refused(ReasonCode.BANNED).now();
                    }
                    default -> {}
                }
                return Interception.changed(
                        connect.change().clientId(connect.clientId() + "-1").build()).now();
            });
            context.registrations().unsubscribeInterceptor((client, unsubscribe) ->
                    unsubscribe.topicFilters().contains("kept")
                            ? Interception.<UnsubscribePacket>dropped().now()
                            : Interception.<UnsubscribePacket>unchanged().now(),
                    OnFailure.REFUSE);
            context.registrations().packetInterceptor(PacketPoint.CONNACK, (client, connAck) -> {
                java.util.concurrent.CompletableFuture<Interception<ConnAckPacket>> later =
                        new java.util.concurrent.CompletableFuture<>();
                context.executor().schedule(
                        () -> later.complete(Interception.changed(connAck.withUserProperties(
                                List.of(new UserProperty("who", client.clientId()))))),
                        20, java.util.concurrent.TimeUnit.MILLISECONDS);
                return later;
            });
            context.registrations().packetInterceptor(PacketPoint.PUBACK_OUT, (client, pubAck) -> {
                if (pubAck.packetId() % 2 == 0) {
                    throw new IllegalStateException("test");
                }
                return Interception.changed(pubAck.withReason(
                        pubAck.reasonCode(), "thanks")).now();
            });
            context.registrations().packetInterceptor(PacketPoint.PUBREC_OUT, (client, pubRec) ->
                    Interception.changed(pubRec.withReason(
                            pubRec.reasonCode(), "thanks")).now());
            for (PacketPoint<AckPacket> each : List.of(
                    PacketPoint.PUBACK_IN, PacketPoint.PUBREC_IN, PacketPoint.PUBREL_IN,
                    PacketPoint.PUBCOMP_IN, PacketPoint.PUBREL_OUT, PacketPoint.PUBCOMP_OUT)) {
                context.registrations().packetInterceptor(each, (client, ack) -> {
                    log(each + " of " + client.clientId());
                    return Interception.<AckPacket>unchanged().now();
                });
            }
            context.registrations().packetInterceptor(PacketPoint.DISCONNECT_IN,
                    (client, disconnect) -> {
                        log("DISCONNECT " + disconnect.reasonCode() + " of " + client.clientId());
                        return Interception.<DisconnectPacket>unchanged().now();
                    });
            """;

    @TempDir private Path folder;
    private @Nullable BrokerFixture broker;

    private void start() throws Exception {
        String main =
                TestExtension.mainSource(USUAL, "")
                        .replace(
                                "import java.nio.file.*;",
                                "import java.nio.file.*;\nimport io.godwit.extension.packet.*;");
        TestExtension.called("sees").main("p.Main", main).writeTo(folder.resolve("extensions"));
        broker =
                BrokerFixture.tryStart(
                        "extensions.folder=" + folder.resolve("extensions"),
                        "extensions.watch=0",
                        "extensions.sees.call-time=300ms");
    }

    private int port() {
        BrokerFixture running = broker;
        assertThat(running).isNotNull();
        return running.port();
    }

    @AfterEach
    void stop() {
        if (broker != null) {
            broker.close();
        }
    }

    private Mqtt5BlockingClient client(String id) {
        return MqttClient.builder()
                .useMqttVersion5()
                .identifier(id)
                .serverHost("127.0.0.1")
                .serverPort(port())
                .buildBlocking();
    }

    private Mqtt3BlockingClient client3(String id) {
        return MqttClient.builder()
                .useMqttVersion3()
                .identifier(id)
                .serverHost("127.0.0.1")
                .serverPort(port())
                .buildBlocking();
    }

    private static int refusal(Mqtt5BlockingClient client) {
        try {
            client.connect();
            return 0;
        } catch (Mqtt5ConnAckException refused) {
            return refused.getMqttMessage().getReasonCode().getCode();
        }
    }

    private void awaitLogged(String line) {
        Path log = folder.resolve("extensions").resolve("sees").resolve(TestExtension.LOG);
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> {
                    assertThat(log).exists();
                    assertThat(Files.readAllLines(log)).contains(line);
                });
    }

    @Test
    void connects_are_changed_refused_and_dropped() throws Exception {
        start();
        Mqtt5BlockingClient client = client("c");
        Mqtt5ConnAck connAck = client.connect();
        assertThat(connAck.getUserProperties().asList())
                .singleElement()
                .satisfies(each -> assertThat(each.getValue()).isEqualTo(MqttUtf8String.of("c-1")));
        client.disconnect();
        awaitLogged("DISCONNECT 0 of c-1");
        assertThat(refusal(client("banned"))).isEqualTo(0x8A);
        assertThat(refusal(client("throws"))).isEqualTo(0x88);
        assertThat(refusal(client("silent"))).isEqualTo(0x88);
        assertThatThrownBy(() -> client("dropped").connect())
                .isNotInstanceOf(Mqtt5ConnAckException.class);
        assertThatThrownBy(() -> client3("throws").connect())
                .isInstanceOfSatisfying(
                        Mqtt3ConnAckException.class,
                        refused ->
                                assertThat(refused.getMqttMessage().getReturnCode().getCode())
                                        .isEqualTo(3));
        Mqtt3BlockingClient old = client3("old");
        old.connect();
        old.disconnect();
        awaitLogged("DISCONNECT 0 of old-1");
    }

    @Test
    void acknowledgements_are_changed_and_shown() throws Exception {
        start();
        Mqtt5BlockingClient client = client("c");
        client.connect();
        try (Mqtt5BlockingClient.Mqtt5Publishes got =
                client.publishes(MqttGlobalPublishFilter.ALL)) {
            client.subscribeWith().topicFilter("#").qos(MqttQos.EXACTLY_ONCE).send();
            int thanked = 0;
            for (int i = 0; i < 4; i++) {
                Mqtt5PublishResult result =
                        client.publishWith()
                                .topic("t")
                                .qos(MqttQos.AT_LEAST_ONCE)
                                .payload("m".getBytes(UTF_8))
                                .send();
                Optional<MqttUtf8String> said =
                        ((Mqtt5PublishResult.Mqtt5Qos1Result) result).getPubAck().getReasonString();
                thanked += said.equals(Optional.of(MqttUtf8String.of("thanks"))) ? 1 : 0;
            }
            assertThat(thanked).isBetween(1, 4);
            Mqtt5PublishResult result =
                    client.publishWith()
                            .topic("t")
                            .qos(MqttQos.EXACTLY_ONCE)
                            .payload("m".getBytes(UTF_8))
                            .send();
            assertThat(((Mqtt5PublishResult.Mqtt5Qos2Result) result).getPubRec().getReasonString())
                    .contains(MqttUtf8String.of("thanks"));
            for (int i = 0; i < 5; i++) {
                assertThat(got.receive(20, java.util.concurrent.TimeUnit.SECONDS)).isPresent();
            }
        }
        for (String each :
                new String[] {
                    "PUBACK_IN", "PUBREC_IN", "PUBREL_IN", "PUBCOMP_IN", "PUBREL_OUT", "PUBCOMP_OUT"
                }) {
            awaitLogged(each + " of c-1");
        }
        client.disconnect();
    }

    @Test
    void dropped_unsubscribe_leaves_the_subscription() throws Exception {
        start();
        Mqtt3BlockingClient client = client3("c");
        client.connect();
        try (Mqtt3BlockingClient.Mqtt3Publishes got =
                client.publishes(MqttGlobalPublishFilter.ALL)) {
            client.subscribeWith().topicFilter("kept").send();
            client.subscribeWith().topicFilter("given-up").send();
            client.unsubscribeWith().topicFilter("kept").send();
            client.unsubscribeWith().topicFilter("given-up").send();
            client.publishWith().topic("given-up").qos(MqttQos.AT_LEAST_ONCE).send();
            client.publishWith().topic("kept").qos(MqttQos.AT_LEAST_ONCE).send();
            assertThat(got.receive(20, java.util.concurrent.TimeUnit.SECONDS))
                    .hasValueSatisfying(
                            each -> assertThat(each.getTopic().toString()).isEqualTo("kept"));
        }
        client.disconnect();
    }
}
