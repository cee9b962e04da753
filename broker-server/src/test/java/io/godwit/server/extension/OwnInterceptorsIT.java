package io.godwit.server.extension;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt3.Mqtt3BlockingClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5UnsubAckException;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAck;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5PublishResult;
import io.godwit.server.BrokerFixture;
import io.godwit.server.StartFailed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Delivery, unsubscribe and packet interceptors that single clients have. */
class OwnInterceptorsIT {
    /** Gives interceptors to clients whose ids begin with {@code own}. */
    private static final String OWN =
            """
            DeliveryInterceptor deliveries = (receiver, publish) ->
                    (publish.payload().text().equals("drop")
                            ? Interception.<io.godwit.extension.packet.PublishPacket>dropped()
                            : Interception.changed(publish.change()
                                    .text(receiver.clientId() + " " + publish.payload().text())
                                    .build())).now();
            PacketInterceptor<io.godwit.extension.packet.AckPacket> acks = (client, ack) ->
                    Interception.changed(ack.withReason(ack.reasonCode(), "own")).now();
            context.registrations().initializer(client -> (client.clientId().startsWith("own")
                    ? io.godwit.extension.setup.ClientSetup.builder()
                            .deliveryInterceptor("data/#", deliveries, OnFailure.REFUSE)
                            .unsubscribeInterceptor((it, packet) ->
                                    (packet.topicFilters().contains("data/keep")
                                            ? Interception
                                                    .<io.godwit.extension.packet.UnsubscribePacket>
                                                    refused(io.godwit.extension.packet.ReasonCode
                                                            .NOT_AUTHORIZED)
                                            : Interception
                                                    .<io.godwit.extension.packet.UnsubscribePacket>
                                                    unchanged()).now(),
                                    OnFailure.REFUSE)
                            .packetInterceptor(PacketPoint.PUBACK_OUT, acks)
                            .packetInterceptor(PacketPoint.CONNACK, (it, connAck) ->
                                    Interception.changed(connAck.withUserProperties(List.of(
                                            new io.godwit.extension.packet.UserProperty(
                                                    "own", it.clientId())))).now())
                            .packetInterceptor(PacketPoint.DISCONNECT_IN, (it, disconnect) -> {
                                log("disconnect of " + it.clientId());
                                return Interception
                                        .<io.godwit.extension.packet.DisconnectPacket>unchanged()
                                        .now();
                            })
                            .build()
                    : io.godwit.extension.setup.ClientSetup.none()).now());
            context.registrations().publishInterceptor("free", (client, publish) ->
                    context.setups()
                            .replace(client, context.setups().current(client).orElseThrow()
                                    .change().remove(deliveries).remove(acks).build())
                            .thenApply(isDone -> Interception.unchanged()),
                    OnFailure.REFUSE);
            """;

    @TempDir private Path folder;
    private final List<Runnable> closing = new ArrayList<>();
    private BrokerFixture broker;
    private Mqtt5BlockingClient publisher;

    @BeforeEach
    void start() throws StartFailed {
        TestExtension.starting("own", OWN).writeTo(folder);
        broker = BrokerFixture.tryStart("extensions.folder=" + folder, "extensions.watch=0");
        publisher = client("publisher");
        publisher.connect();
    }

    @AfterEach
    void stop() {
        closing.forEach(Runnable::run);
        broker.close();
    }

    private Mqtt5BlockingClient client(String id) {
        Mqtt5BlockingClient made =
                MqttClient.builder()
                        .useMqttVersion5()
                        .identifier(id)
                        .serverHost("127.0.0.1")
                        .serverPort(broker.port())
                        .buildBlocking();
        closing.add(() -> {
            if (made.getState().isConnected()) {
                made.disconnect();
            }
        });
        return made;
    }

    /** Subscribes with a connected client. */
    private static BlockingQueue<String> received(Mqtt5BlockingClient by, String filter) {
        BlockingQueue<String> got = new LinkedBlockingQueue<>();
        by.toAsync()
                .publishes(
                        MqttGlobalPublishFilter.ALL,
                        each -> got.add(new String(each.getPayloadAsBytes(), UTF_8)));
        by.subscribeWith().topicFilter(filter).qos(MqttQos.EXACTLY_ONCE).send();
        return got;
    }

    private static Mqtt5PublishResult publish(
            Mqtt5BlockingClient by, String topic, String payload, MqttQos qos) {
        return by.publishWith().topic(topic).payload(payload.getBytes(UTF_8)).qos(qos).send();
    }

    private static String next(BlockingQueue<String> got) throws InterruptedException {
        String next = got.poll(20, TimeUnit.SECONDS);
        assertThat(next).isNotNull();
        return next;
    }

    /** Returns the Reason String of PUBACK; empty: it has none. */
    private static String said(Mqtt5PublishResult result) {
        return ((Mqtt5PublishResult.Mqtt5Qos1Result) result)
                .getPubAck()
                .getReasonString()
                .map(Object::toString)
                .orElse("");
    }

    @Test
    void deliveries_to_one_client_are_changed_and_others_get_them_as_they_are() throws Exception {
        Mqtt5BlockingClient own = client("own");
        own.connect();
        Mqtt5BlockingClient other = client("other");
        other.connect();
        Mqtt3BlockingClient three =
                MqttClient.builder()
                        .useMqttVersion3()
                        .identifier("own3")
                        .serverHost("127.0.0.1")
                        .serverPort(broker.port())
                        .buildBlocking();
        three.connect();
        closing.add(three::disconnect);
        BlockingQueue<String> ofThree = new LinkedBlockingQueue<>();
        three.toAsync()
                .publishes(
                        MqttGlobalPublishFilter.ALL,
                        each -> ofThree.add(new String(each.getPayloadAsBytes(), UTF_8)));
        three.subscribeWith().topicFilter("#").qos(MqttQos.AT_LEAST_ONCE).send();
        BlockingQueue<String> ofOwn = received(own, "#");
        BlockingQueue<String> ofOther = received(other, "#");
        for (MqttQos qos : MqttQos.values()) {
            publish(publisher, "data/x", qos.name(), qos);
            publish(publisher, "data/x", "drop", qos);
            publish(publisher, "else", "else", qos);
        }
        for (MqttQos qos : MqttQos.values()) {
            assertThat(next(ofOwn)).isEqualTo("own " + qos.name());
            assertThat(next(ofOwn)).isEqualTo("else");
            assertThat(next(ofThree)).isEqualTo("own3 " + qos.name());
            assertThat(next(ofThree)).isEqualTo("else");
            assertThat(next(ofOther)).isEqualTo(qos.name());
            assertThat(next(ofOther)).isEqualTo("drop");
            assertThat(next(ofOther)).isEqualTo("else");
        }
        assertThat(ofOwn).isEmpty();
        assertThat(ofThree).isEmpty();
    }

    @Test
    void packets_of_one_client_are_changed_from_connack_to_disconnect() throws Exception {
        Mqtt5BlockingClient own = client("own");
        Mqtt5ConnAck connAck = own.connect();
        assertThat(connAck.getUserProperties().asList())
                .singleElement()
                .satisfies(each -> assertThat(each.getValue()).hasToString("own"));
        Mqtt5BlockingClient other = client("other");
        assertThat(other.connect().getUserProperties().asList()).isEmpty();
        assertThat(said(publish(own, "data/x", "m", MqttQos.AT_LEAST_ONCE))).isEqualTo("own");
        assertThat(said(publish(other, "data/x", "m", MqttQos.AT_LEAST_ONCE))).isNotEqualTo("own");
        other.disconnect();
        own.disconnect();
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        Path log = folder.resolve("own").resolve(TestExtension.LOG);
        while (!Files.exists(log) && System.nanoTime() < deadline) {
            Thread.sleep(20);
        }
        assertThat(Files.readAllLines(log)).containsExactly("disconnect of own");
    }

    @Test
    void unsubscribe_of_one_client_is_refused() throws Exception {
        Mqtt5BlockingClient own = client("own");
        own.connect();
        Mqtt5BlockingClient other = client("other");
        other.connect();
        BlockingQueue<String> got = received(own, "data/keep");
        received(other, "data/keep");
        other.unsubscribeWith().topicFilter("data/keep").send();
        assertThatThrownBy(() -> own.unsubscribeWith().topicFilter("data/keep").send())
                .isInstanceOfSatisfying(
                        Mqtt5UnsubAckException.class,
                        refused ->
                                assertThat(
                                                refused.getMqttMessage()
                                                        .getReasonCodes()
                                                        .getFirst()
                                                        .getCode())
                                        .isEqualTo(0x87));
        publish(publisher, "data/keep", "m", MqttQos.AT_LEAST_ONCE);
        assertThat(next(got)).isEqualTo("own m");
    }

    @Test
    void interceptors_that_are_removed_see_nothing_more_and_the_others_stay() throws Exception {
        Mqtt5BlockingClient own = client("own");
        own.connect();
        BlockingQueue<String> got = received(own, "data/#");
        publish(publisher, "data/x", "one", MqttQos.AT_LEAST_ONCE);
        assertThat(next(got)).isEqualTo("own one");
        publish(own, "free", "", MqttQos.AT_LEAST_ONCE);
        publish(publisher, "data/x", "two", MqttQos.AT_LEAST_ONCE);
        assertThat(next(got)).isEqualTo("two");
        assertThat(said(publish(own, "any", "m", MqttQos.AT_LEAST_ONCE))).isNotEqualTo("own");
        own.subscribeWith().topicFilter("data/keep").send();
        assertThatThrownBy(() -> own.unsubscribeWith().topicFilter("data/keep").send())
                .isInstanceOf(Mqtt5UnsubAckException.class);
    }
}
