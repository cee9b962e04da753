package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.connection.ConnectionProbe;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.Limits;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.QueuePolicy;
import io.godwit.core.settings.QueueSettings;
import io.godwit.core.store.MemoryStore;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Clients that do not read what answers them, connect too fast, or leave with much unsaid. */
class AnswersTest {
    private static final int HIGH = 4_000;

    private static final OverloadSettings SMALL =
            new OverloadSettings(200, HIGH, HIGH / 4, 50_000, 1L << 30, 1 << 20, 1_000);

    @Test
    void aClientThatReadsNoPubAcksIsNotReadUntilItDoes() {
        TestNode node = new TestNode(1, LimitSettings.DEFAULTS, SMALL);
        TestClient client = node.open(0, ProtocolVersion.MQTT_3_1_1);
        client.connect("p", true, 0, 0);
        node.settle();
        client.wire.block();
        int sent = 0;
        while (client.wire.isRead() && sent < 1_000_000) {
            sent++;
            client.publish("t", 1, 1 + sent % 65_535, "x");
            if (sent % 100 == 0) {
                node.settle();
            }
        }
        node.settle();
        assertThat(client.wire.isRead()).isFalse();
        assertThat(client.wire.pendingMost()).isLessThan(HIGH + (512 << 10));
        assertThat(node.count(Metric.READS_PAUSED)).isEqualTo(1);
        client.wire.takeAll();
        node.settle();
        assertThat(client.wire.isRead()).isTrue();
        assertThat(client.acks(PacketType.PUBACK)).hasSize(sent);
    }

    @Test
    void answersBehindALargePayloadAreBoundedAndInOrder() {
        TestNode node = new TestNode(1, LimitSettings.DEFAULTS, SMALL);
        TestClient client = node.subscriber(0, "s", 0, "large");
        TestClient publisher = node.client(0, "p");
        client.wire.block();
        publisher.publish("large", 0, 0, false, new byte[1 << 20]);
        node.settle();
        int sent = 0;
        while (client.wire.isRead() && sent < 1_000_000) {
            sent++;
            client.publish("t", 1, 1 + sent % 1_000, "x");
            client.send(Packet.PingReq.INSTANCE);
            node.settle();
        }
        assertThat(client.wire.isRead()).isFalse();
        assertThat(ConnectionProbe.waitingAnswerBytes(client.connection))
                .isGreaterThan(100_000)
                .isLessThan(HIGH + (512 << 10));
        assertThat(client.wire.pendingMost()).isLessThan(HIGH + (128 << 10));

        client.wire.takeAll();
        node.settle();
        assertThat(client.wire.isRead()).isTrue();
        assertThat(ConnectionProbe.waitingAnswerBytes(client.connection)).isZero();
        assertThat(client.count(PacketType.PINGRESP)).isEqualTo(sent);
        assertThat(client.acks(PacketType.PUBACK)).hasSize(sent);
        int at = 2;
        assertThat(client.packets().get(at)).isInstanceOf(Packet.Publish.class);
        for (int i = 1; i <= sent; i++) {
            Packet.Ack ack = (Packet.Ack) client.packets().get(++at);
            assertThat(ack.packetId()).isEqualTo(1 + i % 1_000);
            assertThat(client.packets().get(++at)).isSameAs(Packet.PingResp.INSTANCE);
        }
    }

    @Test
    void subscribesUnderWayAreBoundedAndAllAnswered() {
        TestNode node = new TestNode(2, LimitSettings.DEFAULTS, SMALL);
        TestClient client = node.client(1, "s");
        ByteBuf all = Unpooled.buffer();
        for (int i = 1; i <= 1_000; i++) {
            all.writeBytes(
                    client.encode(
                            new Packet.Subscribe(
                                    i,
                                    List.of(
                                            new Packet.Subscription(
                                                    TopicFilter.of("t/" + i), 0, false, false, 0)),
                                    Properties.NONE)));
        }
        client.bytes(all);
        node.loops[1].endTurn();
        assertThat(node.shards[0].mailboxDepth()).isEqualTo(100);
        node.settle();
        assertThat(client.count(PacketType.SUBACK)).isEqualTo(1_000);
        assertThat(node.heldBytes()).isZero();
    }

    @Test
    void connectsAboveTheRateAreRefusedAndCounted() {
        LimitSettings limits = Limits.with(l -> l.connectRate = 10);
        TestNode node = new TestNode(1, limits, SMALL);
        int[] codes5 = connects(node, ProtocolVersion.MQTT_5, 25);
        assertThat(codes5).startsWith(new int[20]);
        assertThat(Arrays.copyOfRange(codes5, 20, 25))
                .containsOnly(ReasonCode.CONNECTION_RATE_EXCEEDED.code());
        assertThat(node.count(Metric.REFUSED_CONNECT_RATE)).isEqualTo(5);
        assertThat(node.count(Metric.CONNECTS_REFUSED)).isEqualTo(5);

        node.time.advance(500);
        int[] codes3 = connects(node, ProtocolVersion.MQTT_3_1_1, 7);
        assertThat(codes3).containsExactly(0, 0, 0, 0, 0, 3, 3);
        assertThat(node.count(Metric.REFUSED_CONNECT_RATE)).isEqualTo(7);
    }

    private static int[] connects(TestNode node, ProtocolVersion version, int count) {
        int[] codes = new int[count];
        for (int i = 0; i < count; i++) {
            TestClient client = node.open(0, version);
            client.connect(version.tag() + i, true, 0, 0);
            node.settle();
            codes[i] = ((Packet.ConnAck) client.packets().getFirst()).code();
            assertThat(client.wire.isClosed()).isEqualTo(codes[i] != 0);
        }
        return codes;
    }

    @Test
    void aFullQueueDiscardsTheNewestAndThePublisherIsAcknowledged() {
        LimitSettings limits =
                Limits.with(l -> {
                    l.queueMessages = 5;
                    l.queueBytes = 10_000;
                });
        for (long expiry : new long[] {0, 3600}) {
            for (int shard = 0; shard < 2; shard++) {
                TestNode node =
                        new TestNode(
                                2,
                                MqttSettings.DEFAULTS,
                                limits,
                                new QueueSettings(
                                        5, 10_000, QueuePolicy.DISCARD_NEWEST, 1000, 1 << 20, 10),
                                SMALL,
                                new MemoryStore());
                TestClient subscriber = node.client(1, "s", expiry, 1);
                subscriber.subscribe(1, 1, "t");
                TestClient publisher = node.client(shard, "p");
                node.settle();
                for (int i = 1; i <= 10; i++) {
                    publisher.publish("t", 1, i, "m" + i);
                    node.settle();
                }
                assertThat(publisher.acks(PacketType.PUBACK)).hasSize(10);
                assertThat(node.count(Metric.DROPPED_QUEUE_FULL)).isEqualTo(4);
                assertThat(node.queuedMessages()).isEqualTo(5);
                for (int i = 1; i <= 6; i++) {
                    subscriber.ack(PacketType.PUBACK, i);
                    node.settle();
                }
                assertThat(subscriber.payloads())
                        .containsExactly("m1", "m2", "m3", "m4", "m5", "m6");
                assertThat(node.queuedBytes()).isZero();

                publisher.publish("t", 1, 1, "in flight");
                for (int i = 2; i <= 4; i++) {
                    publisher.publish("t", 1, i, false, new byte[4_000]);
                    node.settle();
                }
                assertThat(node.count(Metric.DROPPED_QUEUE_FULL)).as("by bytes").isEqualTo(5);
                assertThat(publisher.acks(PacketType.PUBACK)).hasSize(14);
                assertThat(node.queuedBytes()).isBetween(8_000L, 10_000L);
            }
        }
    }

    @Test
    void whatCameWholeBeforeTheEndOfAConnectionCounts() {
        TestNode node = new TestNode(2, LimitSettings.DEFAULTS, SMALL);
        TestClient subscriber = node.subscriber(1, "s", 0, "#");
        TestClient publisher = node.client(1, "p");
        ByteBuf all = Unpooled.buffer();
        for (int i = 0; i < 3_000; i++) {
            all.writeBytes(
                    publisher.encode(
                            new Packet.Publish(
                                    Topic.of("t/" + i % 10),
                                    0,
                                    false,
                                    i % 5 != 0,
                                    0,
                                    Properties.NONE,
                                    "%04d".formatted(i).getBytes(StandardCharsets.UTF_8))));
        }
        all.writeBytes(
                publisher.encode(new Packet.Disconnect(ReasonCode.SUCCESS, Properties.NONE)));
        publisher.bytes(all);
        publisher.cut();
        node.settle();
        assertThat(subscriber.payloads()).hasSize(3_000).isSorted();
        assertThat(node.count(Metric.CONNECTIONS_CLOSED)).isEqualTo(1);
        assertThat(node.heldBytes() + node.parkedBytes()).isZero();
        assertThat(node.shards[1].load().connections()).isEqualTo(1);
    }
}
