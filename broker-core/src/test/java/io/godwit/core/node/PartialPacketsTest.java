package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.Limits;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** limits.partial-bytes: what has not arrived whole, of all connections of the node. */
class PartialPacketsTest {
    private static final long BOUND = 100_000;

    private static final LimitSettings LIMITS = Limits.with(l -> l.partialBytes = BOUND);

    private final TestNode node = new TestNode(2, LIMITS, OverloadSettings.DEFAULTS);

    private static ByteBuf packet(TestClient client, int payload) {
        return client.encode(
                new Packet.Publish(
                        Topic.of("t"), 0, false, false, 0, Properties.NONE, new byte[payload]));
    }

    /** What is behind the first 10 000 bytes. */
    private static ByteBuf rest(ByteBuf whole) {
        return whole.skipBytes(10_000);
    }

    @Test
    void theOneThatExceedsItIsClosedAndMemoryComesBack() {
        List<TestClient> clients = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            TestClient client = node.client(i % 2, "c" + i);
            ByteBuf whole = packet(client, 20_000);
            client.bytes(whole.slice(0, 5_000));
            client.bytes(whole.slice(5_000, 5_000));
            node.settle();
            clients.add(client);
        }
        assertThat(node.heldBytes()).isLessThanOrEqualTo(BOUND + 20_000);
        List<TestClient> closed = clients.stream().filter(c -> c.wire.isClosed()).toList();
        assertThat(closed).isNotEmpty().hasSizeLessThan(8);
        assertThat(node.count(Metric.REFUSED_PARTIAL_BYTES)).isEqualTo(closed.size());
        for (TestClient client : closed) {
            assertThat(client.packets().getLast())
                    .isInstanceOfSatisfying(
                            Packet.Disconnect.class,
                            d -> assertThat(d.reason()).isEqualTo(ReasonCode.QUOTA_EXCEEDED));
            client.cut();
        }
        clients.removeAll(closed);
        for (TestClient client : clients) {
            if (clients.indexOf(client) > 1) {
                client.cut();
            }
        }
        for (TestClient client : clients) {
            if (!client.wire.isClosed()) {
                client.bytes(rest(packet(client, 20_000)));
                assertThat(client.wire.isClosed()).isFalse();
            }
        }
        node.settle();
        assertThat(node.heldBytes()).isZero();
        assertThat(node.count(Metric.PUBLISH_RECEIVED)).isEqualTo(2);
    }

    private static TestNode roomyNode() {
        MqttSettings mqtt = MqttSettings.DEFAULTS;
        return new TestNode(
                2, mqtt, Limits.with(l -> l.partialBytes = 64L << 20), OverloadSettings.DEFAULTS);
    }

    /**
     * The beginning of a packet of 16 MiB, all but its last byte, as it comes in reads of 64 KiB.
     */
    private static void allButTheLastByte(TestClient client) {
        ByteBuf whole = packet(client, (16 << 20) - 100);
        while (whole.readableBytes() > 1) {
            client.bytes(whole.readSlice(Math.min(64 << 10, whole.readableBytes() - 1)));
        }
    }

    @Test
    void aFewThatHoldMuchAndStopKeepNobodyElseOut() {
        TestNode roomy = roomyNode();
        List<TestClient> holders = new ArrayList<>();
        for (int i = 0; i < 15; i++) {
            TestClient holder = roomy.client(i % 2, "h" + i);
            allButTheLastByte(holder);
            roomy.settle();
            holders.add(holder);
        }
        // At once there is room for a packet of 100 KB, which comes in two parts.
        TestClient newcomer = roomy.client(1, "newcomer");
        ByteBuf whole = packet(newcomer, 100_000);
        newcomer.bytes(whole.readSlice(60_000));
        newcomer.bytes(whole);
        roomy.settle();
        assertThat(newcomer.wire.isClosed()).isFalse();
        assertThat(roomy.count(Metric.PUBLISH_RECEIVED)).isEqualTo(1);

        roomy.tick(1_000);
        roomy.tick(1_000);
        assertThat(roomy.heldBytes()).isLessThanOrEqualTo(32L << 20);
        assertThat(holders.stream().filter(each -> !each.wire.isClosed())).isNotEmpty();
        TestClient large = roomy.client(0, "large");
        allButTheLastByte(large);
        roomy.settle();
        assertThat(large.wire.isClosed()).isFalse();
    }

    @Test
    void aPacketHasATimeLimitHoweverOftenAByteComes() {
        TestNode roomy = roomyNode();
        TestClient client = roomy.client(0, "drip");
        ByteBuf whole = packet(client, 20_000);
        client.bytes(whole.readSlice(5_000));
        for (int i = 0; i < 299; i++) {
            roomy.tick(1_000);
            client.bytes(whole.readSlice(1));
        }
        assertThat(client.wire.isClosed()).isFalse();
        roomy.tick(1_000);
        roomy.tick(1_000);
        assertThat(client.wire.isClosed()).isTrue();
        assertThat(roomy.count(Metric.REFUSED_PARTIAL_BYTES)).isEqualTo(1);
        assertThat(roomy.heldBytes()).isZero();
    }

    @Test
    void aConnectThatExceedsItIsRefusedWithTheReason() {
        TestClient hoarder = node.client(0, "h");
        hoarder.bytes(packet(hoarder, 120_000).slice(0, (int) BOUND - 10));
        TestClient late = node.open(1, ProtocolVersion.MQTT_5);
        ByteBuf connect =
                late.encode(
                        new Packet.Connect(
                                ProtocolVersion.MQTT_5,
                                ClientId.of("c".repeat(1_000)),
                                true,
                                0,
                                null,
                                null,
                                null,
                                false,
                                Properties.NONE));
        late.bytes(connect.slice(0, 500));
        node.settle();
        assertThat(late.wire.isClosed()).isTrue();
        assertThat(node.count(Metric.REFUSED_PARTIAL_BYTES)).isEqualTo(1);
        hoarder.cut();
        node.settle();
        assertThat(node.heldBytes()).isZero();
    }
}
