package io.godwit.core.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.SharedStrategy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages above a client's Maximum Packet Size, in front of others [MQTT-3.1.2-24, -25]. */
class TooLargeForClientTest {
    private static final String LARGE = "x".repeat(500);

    private TestNode node;
    private TestClient publisher;

    @BeforeEach
    void aNode() {
        node = new TestNode(2, LimitSettings.DEFAULTS, OverloadSettings.DEFAULTS);
        publisher = node.client(0, "p");
    }

    /** A client that takes packets of so many bytes, and one message at a time. */
    private TestClient connect(String clientId, int packetBytes, int aliases) {
        Properties.Builder properties =
                Properties.builder()
                        .add(Property.SESSION_EXPIRY_INTERVAL, 600)
                        .add(Property.MAXIMUM_PACKET_SIZE, packetBytes)
                        .add(Property.RECEIVE_MAXIMUM, 1);
        if (aliases > 0) {
            properties.add(Property.TOPIC_ALIAS_MAXIMUM, aliases);
        }
        TestClient client = node.open(1, ProtocolVersion.MQTT_5);
        client.send(
                new Packet.Connect(
                        ProtocolVersion.MQTT_5,
                        ClientId.of(clientId),
                        false,
                        60,
                        null,
                        null,
                        null,
                        false,
                        properties.build()));
        node.settle();
        return client;
    }

    private void publish(String topic, int qos, String payload, boolean retain) {
        publisher.publish(topic, qos, qos == 0 ? 0 : 1, retain, payload.getBytes(UTF_8));
        node.settle();
        if (qos == 2) {
            publisher.ack(PacketType.PUBREL, 1);
            node.settle();
        }
    }

    @ParameterizedTest
    @CsvSource({"1, true", "1, false", "2, true", "2, false"})
    void small_message_behind_ones_that_are_too_large_leaves_at_once(int qos, boolean isOffline) {
        TestClient client = connect("s", 100, 0);
        client.subscribe(1, qos, "t");
        node.settle();
        if (isOffline) {
            client.cut();
            node.settle();
        }
        for (int i = 0; i < 5; i++) {
            publish("t", qos, LARGE, false);
        }
        publish("t", qos, "small", false);
        TestClient now = isOffline ? connect("s", 100, 0) : client;
        node.settle();
        assertThat(now.payloads()).containsExactly("small");
        assertThat(node.count(Metric.DROPPED_TOO_LARGE)).isEqualTo(5);
        assertThat(node.session("s").inFlightCount()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void retained_message_behind_ones_that_are_too_large_is_replayed_at_once(int qos) {
        for (int i = 0; i < 500; i++) {
            publish("r/" + (1_000 + i), qos, LARGE, true);
        }
        publish("r/9999", qos, "small", true);
        TestClient client = connect("s", 100, 0);
        client.subscribe(1, qos, "r/#");
        node.settle();
        assertThat(client.payloads()).containsExactly("small");
        assertThat(node.count(Metric.DROPPED_TOO_LARGE)).isEqualTo(500);
    }

    @Test
    void group_goes_on_behind_messages_that_are_too_large_for_its_only_member() {
        TestClient client = connect("s", 100, 0);
        client.subscribe(1, 2, "$share/g/t");
        node.settle();
        for (int i = 0; i < 5; i++) {
            publish("t", 2, LARGE, false);
        }
        publish("t", 2, "small", false);
        assertThat(client.payloads()).containsExactly("small");
        assertThat(node.count(Metric.DROPPED_TOO_LARGE)).isEqualTo(5);
    }

    private void node(SharedStrategy strategy) {
        MqttSettings d = MqttSettings.DEFAULTS;
        MqttSettings mqtt =
                new MqttSettings(
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
                        d.sessionExpiryMaximum(),
                        d.sessionExpiry3x(),
                        d.inFlight3x(),
                        strategy,
                        d.responseInformation(),
                        false);
        node = new TestNode(2, mqtt, LimitSettings.DEFAULTS, OverloadSettings.DEFAULTS);
        publisher = node.client(0, "p");
    }

    @ParameterizedTest
    @EnumSource(SharedStrategy.class)
    void message_too_large_for_one_member_of_a_group_goes_to_another(SharedStrategy strategy) {
        node(strategy);
        TestClient small = connect("small", 60, 0);
        small.subscribe(1, 2, "$share/g/t");
        TestClient large = node.client(0, "large", 600, 0);
        large.subscribe(1, 2, "$share/g/t");
        node.settle();
        for (int i = 0; i < 30; i++) {
            publish("t", i % 3, LARGE, false);
        }
        assertThat(large.payloads()).hasSize(30);
        assertThat(small.payloads()).isEmpty();
        assertThat(node.count(Metric.DROPPED_TOO_LARGE)).isZero();
    }

    @ParameterizedTest
    @EnumSource(SharedStrategy.class)
    void messages_that_wait_for_a_member_that_takes_large_ones_go_to_it(SharedStrategy strategy) {
        node(strategy);
        connect("small", 60, 0).subscribe(1, 1, "$share/g/t");
        TestClient large = node.client(0, "large", 600, 1);
        large.subscribe(1, 1, "$share/g/t");
        node.settle();
        for (int i = 0; i < 100; i++) {
            publish("t", 1, LARGE, false);
        }
        for (int i = 1; i <= 100; i++) {
            assertThat(large.payloads()).hasSize(i);
            large.ack(PacketType.PUBACK, large.lastPacketId());
            node.settle();
        }
        assertThat(node.count(Metric.DROPPED_TOO_LARGE)).isZero();
        assertThat(node.group("$share/g/t").waitingMessages()).isZero();
    }

    @Test
    void member_with_credit_gets_what_it_takes_while_larger_ones_wait_for_another() {
        TestClient small = connect("small", 60, 0);
        small.subscribe(1, 1, "$share/g/t");
        TestClient large = node.client(0, "large", 600, 1);
        large.subscribe(1, 1, "$share/g/t");
        node.settle();
        for (int i = 0; i < 10; i++) {
            publish("t", 1, LARGE, false);
        }
        publish("t", 1, "small", false);
        assertThat(small.payloads()).containsExactly("small");
        large.ack(PacketType.PUBACK, large.lastPacketId());
        node.settle();
        assertThat(large.payloads()).hasSize(2);
    }

    @ParameterizedTest
    @EnumSource(SharedStrategy.class)
    void message_waits_in_a_group_for_an_offline_member_that_takes_it(SharedStrategy strategy) {
        node(strategy);
        TestClient small = connect("small", 60, 0);
        small.subscribe(1, 1, "$share/g/#");
        TestClient large = node.client(0, "large", 600, 100);
        large.subscribe(1, 1, "$share/g/#");
        node.settle();
        large.cut();
        node.settle();
        for (int i = 0; i < 40; i++) {
            publish("t", 1, LARGE, false);
        }
        publish("of/another/hash", 1, "s", false);
        assertThat(small.payloads()).hasSize(strategy == SharedStrategy.HASH_CLIENT ? 0 : 1);
        assertThat(node.count(Metric.DROPPED_TOO_LARGE)).isZero();
        TestClient again = node.client(0, "large", 600, 100);
        node.settle();
        assertThat(again.payloads()).hasSizeGreaterThanOrEqualTo(40).contains(LARGE);
        assertThat(node.group("$share/g/#").waitingMessages()).isZero();
        assertThat(node.count(Metric.DROPPED_TOO_LARGE)).isZero();
    }

    @Test
    void message_that_waits_in_a_group_is_discarded_when_an_offline_member_comes_with_a_limit() {
        TestClient small = connect("small", 60, 0);
        small.subscribe(1, 1, "$share/g/t");
        TestClient large = node.client(0, "large", 600, 1);
        large.subscribe(1, 1, "$share/g/t");
        node.settle();
        large.cut();
        node.settle();
        for (int i = 0; i < 100; i++) {
            publish("t", 1, LARGE, false);
        }
        assertThat(node.count(Metric.DROPPED_TOO_LARGE)).isZero();
        connect("large", 60, 0);
        node.settle();
        assertThat(node.count(Metric.DROPPED_TOO_LARGE)).isEqualTo(100);
        publish("t", 1, "small", false);
        assertThat(node.group("$share/g/t").waitingMessages()).isZero();
    }

    @Test
    void message_that_waits_in_a_group_is_discarded_when_nobody_left_takes_it() {
        TestClient small = connect("small", 60, 0);
        small.subscribe(1, 1, "$share/g/t");
        TestClient large = node.client(0, "large", 0, 1);
        large.subscribe(1, 1, "$share/g/t");
        node.settle();
        for (int i = 0; i < 100; i++) {
            publish("t", 1, LARGE, false);
        }
        large.cut();
        node.settle();
        assertThat(node.count(Metric.DROPPED_TOO_LARGE)).isEqualTo(100);
        publish("t", 1, "small", false);
        assertThat(small.payloads()).containsExactly("small");
        assertThat(node.group("$share/g/t").waitingMessages()).isZero();
    }

    @Test
    void message_too_large_for_the_only_member_is_answered_and_counted() {
        TestClient small = connect("small", 60, 0);
        small.subscribe(1, 2, "$share/g/t");
        node.settle();
        publish("t", 1, LARGE, false);
        assertThat(publisher.acks(PacketType.PUBACK)).containsExactly(1);
        assertThat(node.count(Metric.DROPPED_TOO_LARGE)).isEqualTo(1);
        assertThat(node.group("$share/g/t").waitingMessages()).isZero();
    }

    @Test
    void message_that_fits_without_a_topic_alias_is_sent_without_one() {
        TestClient client = connect("s", 100, 2);
        client.subscribe(1, 0, "t");
        node.settle();
        int head = 2 + 2 + 1 + 1; // Fixed header, topic, no properties.
        publish("t", 0, "y".repeat(100 - head), false);
        publish("t", 0, "z", false);
        List<Topic> topics = new ArrayList<>();
        for (Packet packet : client.packets()) {
            if (packet instanceof Packet.Publish publish) {
                topics.add(publish.topic());
            }
        }
        assertThat(topics).containsExactly(Topic.of("t"), Topic.of("t"));
        assertThat(node.count(Metric.DROPPED_TOO_LARGE)).isZero();
    }
}
