package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The second half: what a client says when it goes, and what holds when it comes back and goes. */
class ReconnectTest {
    private static final long EXPIRY_MAX_SECONDS = 100;

    private final TestNode node =
            new TestNode(
                    2,
                    settings(),
                    LimitSettings.DEFAULTS,
                    new OverloadSettings(200, 2_000, 500, 50_000, 1L << 30, 1 << 20, 1_000));

    private static MqttSettings settings() {
        MqttSettings d = MqttSettings.DEFAULTS;
        return new MqttSettings(
                d.receiveMaximum(),
                d.topicAliasMaximum(),
                d.topicAliasMaximumOutbound(),
                d.maximumPacketSize(),
                d.maximumQos(),
                d.keepAliveMaximum(),
                d.retainAvailable(),
                d.wildcardSubscriptions(),
                d.sharedSubscriptions(),
                d.subscriptionIdentifiers(),
                EXPIRY_MAX_SECONDS,
                d.sessionExpiry3x(),
                d.inFlight3x(),
                d.sharedStrategy(),
                d.responseInformation(),
                false);
    }

    private static Will will(long delaySeconds) {
        return new Will(
                Topic.of("will"),
                1,
                false,
                "gone".getBytes(StandardCharsets.UTF_8),
                delaySeconds,
                Properties.NONE);
    }

    private TestClient connect(int shard, @Nullable Will will) {
        TestClient client = node.open(shard, ProtocolVersion.MQTT_5);
        client.connect("c", false, 50, 0, will);
        node.settle();
        return client;
    }

    @Test
    void anExpiryThatDisconnectRaisesIsBoundLikeThatOfConnect() {
        TestClient client = connect(0, null);
        client.send(
                new Packet.Disconnect(
                        ReasonCode.SUCCESS,
                        Properties.builder()
                                .add(Property.SESSION_EXPIRY_INTERVAL, 10_000)
                                .build()));
        node.tick(EXPIRY_MAX_SECONDS * 1000 - 200);
        assertThat(node.count(Metric.SESSIONS_EXPIRED)).isZero();
        node.tick(400);
        assertThat(node.count(Metric.SESSIONS_EXPIRED)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aReconnectWithoutAWillForgetsTheOldOneForGood(int shard) {
        connect(0, will(10)).cut();
        node.settle();
        node.tick(5_000);
        TestClient back = connect(shard, null);
        node.tick(20_000);
        back.cut();
        node.settle();
        node.tick(100_000); // the session ends, too
        assertThat(node.count(Metric.SESSIONS_EXPIRED)).isEqualTo(1);
        assertThat(node.count(Metric.WILLS_PUBLISHED)).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aReconnectWithAnotherWillHasThatOnePublishedAlone(int shard) {
        TestClient watcher = node.subscriber(1, "w", 1, "will");
        connect(0, will(10)).cut();
        node.settle();
        node.tick(5_000);
        connect(shard, will(1)).cut();
        node.settle();
        node.tick(60_000);
        assertThat(watcher.payloads()).containsExactly("gone");
        assertThat(node.count(Metric.WILLS_PUBLISHED)).isEqualTo(1);
    }

    @Test
    void whatIsForAnOfflineSessionAtQos0IsDroppedAndCounted() {
        TestClient client = connect(0, null);
        client.subscribe(1, 0, "t");
        node.settle();
        client.cut();
        node.client(1, "p").publish("t", 1, 1, "x");
        node.settle();
        assertThat(node.count(Metric.DROPPED_QOS0_OFFLINE)).isEqualTo(1);
        TestClient back = connect(1, null);
        assertThat(back.payloads()).isEmpty();
        assertThat(node.count(Metric.DROPPED_QOS0_OFFLINE)).isEqualTo(1);
    }

    @Test
    void anAliasWhoseFirstPacketWasTooLargeIsSetByTheNext() {
        TestClient client = node.open(0, ProtocolVersion.MQTT_5);
        client.send(
                new Packet.Connect(
                        ProtocolVersion.MQTT_5,
                        ClientId.of("small"),
                        true,
                        60,
                        null,
                        null,
                        null,
                        false,
                        Properties.builder()
                                .add(Property.MAXIMUM_PACKET_SIZE, 100)
                                .add(Property.TOPIC_ALIAS_MAXIMUM, 1)
                                .build()));
        client.subscribe(1, 0, "#");
        TestClient publisher = node.client(1, "p");
        publisher.publish("a/topic", 0, 0, "x".repeat(200));
        publisher.publish("a/topic", 0, 0, "small");
        publisher.publish("a/topic", 0, 0, "again");
        node.settle();
        assertThat(node.count(Metric.DROPPED_TOO_LARGE)).isEqualTo(1);
        List<Topic> topics = new ArrayList<>();
        for (Packet packet : client.packets()) {
            if (packet instanceof Packet.Publish publish) {
                topics.add(publish.topic());
                assertThat(publish.properties().number(Property.TOPIC_ALIAS, 0)).isEqualTo(1);
            }
        }
        assertThat(topics).containsExactly(Topic.of("a/topic"), null);
    }

    @Test
    void aRetainedMessageThatWentOutLiveIsNotReplayedBehindIt() {
        TestClient publisher = node.client(1, "p");
        for (int i = 0; i < 2_000; i++) {
            publisher.publish("r/" + (10_000 + i), 0, 0, true, new byte[20]);
            if (i % 500 == 0) {
                node.settle();
            }
        }
        node.settle();
        TestClient subscriber = node.client(0, "s");
        subscriber.wire.block();
        subscriber.subscribe(1, 1, "r/#");
        node.settle(); // The replay waits for room, far from its last topic.
        publisher.publish("r/11999", 1, 1, true, "live".getBytes(StandardCharsets.UTF_8));
        node.settle();
        subscriber.wire.takeAll();
        node.settle();
        int last = 0;
        for (Packet packet : subscriber.packets()) {
            if (packet instanceof Packet.Publish publish
                    && Topic.of("r/11999").equals(publish.topic())) {
                last++;
                assertThat(publish.retain()).isFalse();
            }
        }
        assertThat(last).isEqualTo(1);
        assertThat(subscriber.count(PacketType.PUBLISH)).isEqualTo(2_000);
    }
}
