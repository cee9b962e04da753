package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.settings.ClientLimits;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.PacketLimits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** limits.in-flight-bytes, .sessions-per-user and .sessions-per-address. */
class ClientLimitsTest {
    private static TestNode node(long inFlightBytes, int perUser, int perAddress) {
        LimitSettings d = LimitSettings.DEFAULTS;
        return new TestNode(
                2,
                new LimitSettings(
                        d.connections(),
                        d.connectRate(),
                        d.connectTimeoutMs(),
                        d.topicLevels(),
                        d.subscriptionsPerClient(),
                        d.queueMessages(),
                        d.queueBytes(),
                        d.retainedMessages(),
                        d.retainedBytes(),
                        d.partialBytes(),
                        d.sessionBytes(),
                        PacketLimits.DEFAULTS,
                        new ClientLimits(1 << 20, 10, 1 << 10, inFlightBytes, perUser, perAddress)),
                OverloadSettings.DEFAULTS);
    }

    @Test
    void whatIsInFlightIsBoundedInBytesAndOneMessageMayAlwaysBe() {
        TestNode node = node(10_000, 0, 0);
        TestClient subscriber = node.subscriber(1, "s", 1, "t");
        TestClient publisher = node.client(0, "p");
        publisher.publish("t", 1, 1, false, new byte[20_000]);
        for (int i = 2; i <= 6; i++) {
            publisher.publish("t", 1, i, false, new byte[4_000]);
        }
        node.settle();
        assertThat(subscriber.count(PacketType.PUBLISH)).as("the large one alone").isEqualTo(1);

        subscriber.ack(PacketType.PUBACK, 1);
        node.settle();
        assertThat(subscriber.count(PacketType.PUBLISH)).isEqualTo(4);
        subscriber.ack(PacketType.PUBACK, 2);
        node.settle();
        assertThat(subscriber.count(PacketType.PUBLISH)).isEqualTo(5);
        subscriber.ack(PacketType.PUBACK, 3);
        node.settle();
        assertThat(subscriber.count(PacketType.PUBLISH)).isEqualTo(6);
    }

    private static int connects(
            TestNode node, String clientId, @Nullable String user, long expirySeconds) {
        TestClient client = node.open(0, ProtocolVersion.MQTT_5);
        client.send(
                new Packet.Connect(
                        ProtocolVersion.MQTT_5,
                        ClientId.of(clientId),
                        false,
                        60,
                        null,
                        user,
                        null,
                        false,
                        Properties.builder()
                                .add(Property.SESSION_EXPIRY_INTERVAL, expirySeconds)
                                .build()));
        node.settle();
        int code = ((Packet.ConnAck) client.packets().getFirst()).code();
        client.cut();
        node.settle();
        return code;
    }

    @Test
    void sessionsOfAUserAreBoundedUntilOneEnds() {
        TestNode node = node(1 << 20, 2, 0);
        assertThat(connects(node, "a1", "ann", 100)).isZero();
        assertThat(connects(node, "a2", "ann", 3_600)).isZero();
        assertThat(connects(node, "a3", "ann", 100)).isEqualTo(0x97);
        assertThat(connects(node, "a1", "ann", 100)).as("has one already").isZero();
        assertThat(connects(node, "b1", "bob", 100)).isZero();
        assertThat(connects(node, "n1", null, 100)).isZero();
        assertThat(node.count(Metric.REFUSED_SESSIONS)).isEqualTo(1);

        node.tick(101_000);
        assertThat(connects(node, "a3", "ann", 100)).as("the first has expired").isZero();
        assertThat(connects(node, "a4", "ann", 100)).isEqualTo(0x97);
    }

    @Test
    void sessionsOfAnAddressAreBounded() {
        TestNode node = node(1 << 20, 0, 2);
        assertThat(connects(node, "a1", "ann", 100)).isZero();
        assertThat(connects(node, "a2", null, 0)).as("and gone at once").isZero();
        assertThat(connects(node, "a3", "bob", 100)).isZero();
        assertThat(connects(node, "a4", null, 100)).isEqualTo(0x97);
    }
}
