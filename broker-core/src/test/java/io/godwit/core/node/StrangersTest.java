package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.packet.Will;
import io.godwit.core.settings.ClientLimits;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.Limits;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.PacketLimits;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** limits.connect-packet-size, .user-properties and .subscribe-filters: what a packet may bring. */
class StrangersTest {
    private static final int CONNECT_BYTES = 10_000;
    private static final int USER_PROPERTIES = 100;
    private static final int FILTERS = 50;
    private static final int WILL_BYTES = 2_000;

    private final TestNode node = new TestNode(1, limits(), OverloadSettings.DEFAULTS);

    private static LimitSettings limits() {
        return Limits.with(l -> {
            l.packets = new PacketLimits(CONNECT_BYTES, USER_PROPERTIES, FILTERS, 300_000);
            l.clients =
                    new ClientLimits(l.clients.subscriptionBytes(), 10, WILL_BYTES, 1 << 20, 0, 0);
        });
    }

    private static Packet.Connect connect(@Nullable Will will, Properties properties) {
        return new Packet.Connect(
                ProtocolVersion.MQTT_5,
                ClientId.of("c"),
                true,
                60,
                will,
                null,
                null,
                false,
                properties);
    }

    private static Properties users(int count) {
        Properties.Builder properties = Properties.builder();
        for (int i = 0; i < count; i++) {
            properties.user("n" + i, "");
        }
        return properties.build();
    }

    private static ReasonCode reasonOfEnd(TestClient client) {
        return switch (client.packets().getLast()) {
            case Packet.Disconnect disconnect -> disconnect.reason();
            case Packet.ConnAck connAck -> Objects.requireNonNull(ReasonCode.of(connAck.code()));
            case Packet other -> throw new AssertionError(other);
        };
    }

    @Test
    void aConnectAboveItsLimitIsNotTakenIn() {
        TestClient client = node.open(0, ProtocolVersion.MQTT_5);
        byte[] payload = new byte[CONNECT_BYTES];
        client.bytes(
                client.encode(
                                connect(
                                        new Will(
                                                Topic.of("w"),
                                                0,
                                                false,
                                                payload,
                                                0,
                                                Properties.NONE),
                                        Properties.NONE))
                        .slice(0, 10));
        // Its length alone is enough: nothing is held for it.
        assertThat(client.wire.isClosed()).isTrue();
        assertThat(node.count(Metric.PROTOCOL_VIOLATIONS)).isEqualTo(1);
        assertThat(node.heldBytes()).isZero();
    }

    @Test
    void whoeverIsKnownMaySendLargerOnes() {
        TestClient client = node.client(0, "c");
        client.publish("t", 0, 0, false, new byte[10 * CONNECT_BYTES]);
        node.settle();
        assertThat(client.wire.isClosed()).isFalse();
        assertThat(node.count(Metric.PUBLISH_RECEIVED)).isEqualTo(1);
    }

    @Test
    void aConnectWithTooManyUserPropertiesIsRefused() {
        TestClient good = node.open(0, ProtocolVersion.MQTT_5);
        good.send(connect(null, users(USER_PROPERTIES)));
        node.settle();
        assertThat(good.wire.isClosed()).isFalse();

        TestClient bad = node.open(0, ProtocolVersion.MQTT_5);
        bad.send(connect(null, users(USER_PROPERTIES + 1)));
        node.settle();
        assertThat(bad.wire.isClosed()).isTrue();
        assertThat(reasonOfEnd(bad)).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
    }

    @Test
    void aPublishWithTooManyUserPropertiesEndsItsConnection() {
        TestClient client = node.client(0, "c");
        client.send(
                new Packet.Publish(
                        Topic.of("t"),
                        0,
                        false,
                        false,
                        0,
                        users(USER_PROPERTIES + 1),
                        new byte[0]));
        node.settle();
        assertThat(reasonOfEnd(client)).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
        assertThat(node.count(Metric.PUBLISH_RECEIVED)).isZero();
    }

    @Test
    void subscribe_with_too_many_filters_is_granted_up_to_the_limit_and_refused_beyond() {
        for (ProtocolVersion version :
                new ProtocolVersion[] {ProtocolVersion.MQTT_5, ProtocolVersion.MQTT_3_1_1}) {
            TestClient client = node.open(0, version);
            client.connect("c-" + version, true, 0, 0);
            node.settle();
            client.subscribe(2, 1, filters(FILTERS + 3));
            node.settle();
            assertThat(client.wire.isClosed()).isFalse();
            byte[] codes = ((Packet.SubAck) client.packets().getLast()).codes();
            byte[] expected = new byte[FILTERS + 3];
            Arrays.fill(expected, 0, FILTERS, (byte) 1);
            Arrays.fill(
                    expected,
                    FILTERS,
                    FILTERS + 3,
                    (byte) (version.isV5() ? ReasonCode.QUOTA_EXCEEDED.code() : 0x80));
            assertThat(codes).isEqualTo(expected);
        }
        assertThat(node.count(Metric.SUBSCRIBES_REFUSED)).isEqualTo(6);
        assertThat(node.count(Metric.SUBSCRIBES)).isEqualTo(2 * FILTERS);
        assertThat(node.heldBytes()).isZero();
    }

    @Test
    void unsubscribe_with_too_many_filters_ends_its_connection() {
        TestClient client = node.client(0, "c");
        client.send(
                new Packet.Unsubscribe(
                        3,
                        Arrays.stream(filters(FILTERS + 1)).map(TopicFilter::of).toList(),
                        Properties.NONE));
        node.settle();
        assertThat(client.count(PacketType.UNSUBACK)).isZero();
        assertThat(reasonOfEnd(client)).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
    }

    private static String[] filters(int count) {
        return IntStream.range(0, count).mapToObj(i -> "f" + i).toArray(String[]::new);
    }

    @Test
    void aWillAboveItsLimitIsRefusedAndLeavesNothing() {
        TestClient client = node.open(0, ProtocolVersion.MQTT_5);
        Will will = new Will(Topic.of("w"), 0, false, new byte[WILL_BYTES], 0, users(10));
        client.send(connect(will, Properties.NONE));
        node.settle();
        assertThat(reasonOfEnd(client)).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
        assertThat(node.shards[0].load().sessions()).isZero();
    }
}
