package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.connection.ConnectionProbe;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.OverloadSettings;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A payload of 10 MiB is in memory once, and on each wire piece by piece. */
class LargePayloadTest {
    private static final int LARGE = 10 << 20;
    private static final int HIGH = 256 << 10;
    private static final int LOW = 64 << 10;
    private static final int PIECE = 64 << 10;

    private final TestNode node =
            new TestNode(
                    2,
                    LimitSettings.DEFAULTS,
                    new OverloadSettings(200, HIGH, LOW, 50_000, 1L << 30, 1 << 20, 1_000));

    private static byte[] large() {
        byte[] payload = new byte[LARGE];
        for (int i = 0; i < LARGE; i++) {
            payload[i] = (byte) (i * 31 + (i >> 16));
        }
        return payload;
    }

    @Test
    void piecesGoAsTheWireTakesThem() {
        List<TestClient> subscribers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            TestClient subscriber = node.subscriber(i % 2, "s" + i, i % 3, "t");
            subscriber.wire.block();
            subscribers.add(subscriber);
        }
        TestClient publisher = node.client(0, "p");
        byte[] payload = large();
        publisher.publish("t", 2, 1, false, payload);
        publisher.publish("t", 1, 2, "behind");
        node.settle();
        for (TestClient subscriber : subscribers) {
            assertThat(subscriber.wire.pendingBytes()).isBetween(1L, (long) HIGH + PIECE);
        }
        node.tick(100);
        assertThat(node.heldBytes()).as("the partial packet was given back").isZero();

        for (TestClient subscriber : subscribers) {
            subscriber.send(Packet.PingReq.INSTANCE);
            subscriber.wire.take(LARGE / 2);
            node.settle();
            subscriber.send(Packet.PingReq.INSTANCE);
        }
        for (TestClient subscriber : subscribers) {
            int rounds = 0;
            while (subscriber.count(PacketType.PINGRESP) < 2 || subscriber.payloads().size() < 2) {
                subscriber.wire.take(200_000);
                node.settle();
                assertThat(rounds++).isLessThan(100);
            }
            assertThat(subscriber.wire.pendingMost()).isLessThanOrEqualTo(HIGH + 2L * PIECE);
            List<Packet> got = subscriber.packets();
            assertThat(((Packet.Publish) got.get(2)).payload()).isEqualTo(payload);
            assertThat(got.get(3)).isSameAs(Packet.PingResp.INSTANCE);
            assertThat(got.get(4)).isSameAs(Packet.PingResp.INSTANCE);
            assertThat(subscriber.payloads().getLast()).isEqualTo("behind");
        }
        assertThat(node.count(Metric.DROPPED_QOS0_SLOW)).isZero();
        assertThat(publisher.acks(PacketType.PUBREC)).containsExactly(1);
        assertThat(publisher.acks(PacketType.PUBACK)).containsExactly(2);
    }

    @Test
    void everyWireIsGivenTheSameArray() {
        List<TestClient> subscribers = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            subscribers.add(node.subscriber(1, "s" + i, i % 3, "t"));
        }
        TestClient publisher = node.client(0, "p");
        for (int i = 1; i <= 3; i++) {
            publisher.publish("t", 1, i, false, new byte[20_000]);
        }
        node.settle();
        TestWire first = subscribers.getFirst().wire;
        assertThat(first.shared()).hasSize(3);
        for (TestClient subscriber : subscribers) {
            assertThat(subscriber.payloads()).hasSize(3);
            for (int i = 0; i < 3; i++) {
                assertThat(subscriber.wire.shared().get(i)).isSameAs(first.shared().get(i));
            }
        }
    }

    @Test
    void aConnectionThatEndsInTheMiddleLeavesNothing() {
        TestClient subscriber = node.subscriber(1, "s", 1, "t");
        subscriber.wire.block();
        TestClient publisher = node.client(0, "p");
        publisher.publish("t", 1, 1, false, large());
        node.settle();
        subscriber.send(Packet.PingReq.INSTANCE);
        assertThat(ConnectionProbe.waitingAnswerBytes(subscriber.connection)).isPositive();
        assertThat(node.shards[1].load().queues().inFlightBytes()).isGreaterThan(LARGE);
        subscriber.cut();
        node.settle();
        assertThat(ConnectionProbe.waitingAnswerBytes(subscriber.connection)).isZero();
        node.tick(100);
        assertThat(node.context.load().memory().accountedBytes()).isZero();
    }

    @Test
    void aReaderThatKeepsUpWithABacklogGetsItInSlices() {
        TestClient subscriber = node.client(1, "s", 3600, 60_000);
        subscriber.subscribe(1, 1, "t");
        node.settle();
        subscriber.cut();
        TestClient publisher = node.client(0, "p");
        for (int i = 1; i <= 1_000; i++) {
            publisher.publish("t", 1, i, false, new byte[10_000]);
        }
        node.settle();
        TestClient back = node.open(1, ProtocolVersion.MQTT_5);
        back.connect("s", false, 3600, 60_000);
        long most = 0;
        boolean busy = true;
        while (busy) {
            busy = false;
            for (StepLoop loop : node.loops) {
                long before = node.count(Metric.BYTES_SENT);
                busy |= loop.step();
                most = Math.max(most, node.count(Metric.BYTES_SENT) - before);
            }
        }
        assertThat(back.payloads()).hasSize(1_000);
        assertThat(most).isLessThanOrEqualTo(3L * (HIGH + PIECE));
    }
}
