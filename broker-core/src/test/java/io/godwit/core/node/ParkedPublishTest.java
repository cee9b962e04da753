package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is published during the memory alarm by clients that are read on: parked until its end. */
class ParkedPublishTest {
    private final AlarmFixture f = new AlarmFixture();
    private final TestNode node = f.node;

    @Test
    void whoHasMessagesInFlightIsReadAndItsPublishesAreParked() {
        TestClient both = node.client(1, "both", 0, 1);
        both.subscribe(1, 1, "to/both");
        TestClient subscriber = node.subscriber(0, "s", 1, "t");
        TestClient publisher = node.client(0, "p");
        both.publish("t", 1, 1, "0");
        publisher.publish("to/both", 1, 1, "x");
        node.settle();
        assertThat(both.count(PacketType.PUBLISH)).isEqualTo(1);
        f.alarm();

        both.publish("t", 1, 2, "1");
        both.publish("t", 1, 3, "2");
        both.publish("t", 0, 0, "3");
        node.settle();
        node.tick(100);
        assertThat(both.wire.isRead()).isTrue();
        assertThat(both.acks(PacketType.PUBACK)).as("parked unacknowledged").containsExactly(1);
        assertThat(subscriber.payloads()).containsExactly("0");
        assertThat(node.parkedBytes()).isBetween(290L, 400L);

        // It acknowledges what is in flight: nothing more keeps it read, and nothing is let
        // through.
        both.ack(PacketType.PUBACK, 1);
        node.settle();
        node.tick(100);
        assertThat(both.wire.isRead()).isFalse();
        assertThat(subscriber.payloads()).containsExactly("0");

        f.alarmEnds();
        assertThat(both.wire.isRead()).isTrue();
        assertThat(both.acks(PacketType.PUBACK)).containsExactly(1, 2, 3);
        assertThat(subscriber.acks(PacketType.PUBACK)).isEmpty();
        assertThat(subscriber.payloads()).containsExactlyInAnyOrder("0", "1", "2", "3");
        assertThat(node.parkedBytes()).isZero();
    }

    /** A client that is to publish and has a message in flight towards it. */
    private TestClient withOneInFlight(long expirySeconds) {
        TestClient both = node.client(1, "both", expirySeconds, 1);
        both.subscribe(1, 1, "to/both");
        node.client(0, "p").publish("to/both", 1, 1, "x");
        node.settle();
        return both;
    }

    @Test
    void theParkedGoOnAtTheEndEvenWhenReadingWasNeverStopped() {
        TestClient both = withOneInFlight(0);
        TestClient subscriber = node.subscriber(0, "s", 0, "t");
        f.alarm();
        both.publish("t", 1, 2, "1");
        both.publish("t", 2, 3, "2");
        node.settle();
        assertThat(subscriber.payloads()).isEmpty();
        f.alarmEnds();
        assertThat(subscriber.payloads()).containsExactly("1", "2");
        assertThat(both.acks(PacketType.PUBACK)).containsExactly(2);
        assertThat(both.acks(PacketType.PUBREC)).containsExactly(3);
    }

    @Test
    void aboveTheParkedBytesItStaysReadAndWhatItPublishesIsRefused() {
        TestClient both = node.client(1, "both", 0, 1);
        both.subscribe(1, 1, "to/both");
        TestClient subscriber = node.subscriber(0, "s", 2, "t");
        TestClient publisher = node.client(0, "p");
        publisher.publish("to/both", 1, 1, "x");
        publisher.publish("to/both", 1, 2, "y");
        node.settle();
        f.alarm();
        for (int i = 1; i <= 20; i++) {
            both.publish("t", 0, 0, "m" + i + "-".repeat(900));
        }
        both.publish("t", 1, 1, "no");
        both.publish("t", 2, 2, "no");
        node.settle();
        assertThat(node.parkedBytes())
                .isBetween((long) AlarmFixture.PARKED, AlarmFixture.PARKED + 1_200L);
        assertThat(node.heldBytes()).isZero();
        assertThat(node.count(Metric.DROPPED_QOS0_ALARM)).isEqualTo(17);
        assertThat(node.count(Metric.REFUSED_ALARM)).isEqualTo(2);
        assertThat(
                        both.packets().stream()
                                .filter(Packet.Ack.class::isInstance)
                                .map(Packet.Ack.class::cast)
                                .map(ack -> ack.type() + " " + ack.packetId() + " " + ack.reason()))
                .containsExactly("PUBACK 1 QUOTA_EXCEEDED", "PUBREC 2 QUOTA_EXCEEDED");

        // What the alarm may be waiting for gets through.
        assertThat(both.wire.isRead()).isTrue();
        both.ack(PacketType.PUBACK, 1);
        node.settle();
        assertThat(both.payloads()).containsExactly("x", "y");
        f.alarmEnds();
        assertThat(subscriber.payloads()).hasSize(3);
        both.publish("t", 2, 2, "yes");
        node.settle();
        assertThat(subscriber.payloads().getLast()).isEqualTo("yes");
    }

    @Test
    void aboveTheParkedBytesAnOlderClientIsReadUntilTheEndAndThenClosedToSendAgain() {
        TestClient both = node.open(1, ProtocolVersion.MQTT_3_1_1);
        both.connect("both", true, 0, 0);
        both.subscribe(1, 1, "to/both");
        TestClient publisher = node.client(0, "p");
        node.settle();
        publisher.publish("to/both", 1, 1, "x");
        node.settle();
        f.alarm();
        for (int i = 1; i <= 4; i++) {
            both.publish("t", 1, i, false, new byte[900]);
        }
        both.publish("t", 0, 0, "after a refused one");
        assertThat(node.count(Metric.REFUSED_ALARM)).isEqualTo(1);
        assertThat(node.count(Metric.DROPPED_QOS0_ALARM)).isEqualTo(1);
        assertThat(both.wire.isRead()).isTrue();
        both.ack(PacketType.PUBACK, 1);
        node.settle();
        node.tick(100);
        assertThat(node.session("both").inFlightCount()).isZero();
        assertThat(both.wire.isClosed()).isFalse();
        f.alarmEnds();
        assertThat(both.acks(PacketType.PUBACK)).containsExactly(1, 2, 3);
        assertThat(both.wire.isClosed()).isTrue();
        assertThat(node.parkedBytes()).isZero();
    }

    @Test
    void anOlderClientWithoutReceiveMaximumIsReadWhileMessagesAreInFlightTowardsIt() {
        TestNode small =
                new TestNode(
                        2,
                        new MqttSettings(
                                3,
                                0,
                                0,
                                1 << 20,
                                2,
                                0,
                                true,
                                true,
                                true,
                                true,
                                3600,
                                3600,
                                10,
                                MqttSettings.DEFAULTS.sharedStrategy(),
                                "",
                                false),
                        LimitSettings.DEFAULTS,
                        new OverloadSettings(
                                200,
                                1 << 20,
                                1 << 18,
                                50_000,
                                AlarmFixture.MEMORY,
                                AlarmFixture.PARKED,
                                1000));
        TestClient both = small.open(1, ProtocolVersion.MQTT_3_1_1);
        both.connect("both", true, 0, 0);
        both.subscribe(1, 1, "to/both");
        TestClient publisher = small.client(0, "p");
        small.settle();
        publisher.publish("to/both", 1, 1, "x");
        small.settle();
        small.transportBytes = AlarmFixture.MEMORY + 1;
        small.tick(100);
        for (int i = 1; i <= 3; i++) {
            both.publish("t", 1, i, "parked");
        }
        small.settle();
        assertThat(both.wire.isRead()).isTrue();
        both.ack(PacketType.PUBACK, 1);
        small.settle();
        assertThat(both.wire.isClosed()).isFalse();
        small.transportBytes = 0;
        small.tick(100);
        small.tick(100);
        assertThat(both.acks(PacketType.PUBACK)).containsExactly(1, 2, 3);
    }

    @Test
    void beyondTheNodesShareEachParksOnlyOne() {
        TestClient publisher = node.client(0, "p");
        List<TestClient> all = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            TestClient both = node.client(1, "both" + i, 0, 1);
            both.subscribe(1, 1, "to/" + i);
            node.settle();
            publisher.publish("to/" + i, 1, 1, "x");
            node.settle();
            all.add(both);
        }
        f.alarm();
        for (TestClient both : all) {
            both.publish("t", 0, 0, false, new byte[900]);
            both.publish("t", 0, 0, false, new byte[900]);
        }
        assertThat(node.parkedBytes())
                .isBetween(AlarmFixture.MEMORY / 4, AlarmFixture.MEMORY / 4 + 40_000);
        f.alarmEnds();
        assertThat(node.parkedBytes()).isZero();
        assertThat(node.heldBytes()).isZero();
        assertThat(node.count(Metric.PUBLISH_RECEIVED)).isEqualTo(120);
    }

    @Test
    void someoneStoppedIsReadAgainWhenAMessageIsInFlightTowardsIt() {
        TestClient both = node.client(1, "both", 0, 1);
        both.subscribe(1, 1, "to/both");
        both.publish("t", 0, 0, "0");
        TestClient publisher = node.client(0, "p");
        publisher.publish("t", 0, 0, "not its first");
        node.settle();
        f.alarm();
        both.publish("t", 0, 0, "1");
        assertThat(both.wire.isRead()).isFalse();
        publisher.publish("to/both", 1, 1, "x");
        node.settle();
        node.tick(100);
        assertThat(both.wire.isRead()).isTrue();
    }

    @Test
    void whatIsParkedIsRoutedWhenItsConnectionGoes() {
        TestClient both = withOneInFlight(3600);
        TestClient subscriber = node.subscriber(0, "s", 0, "t");
        f.alarm();
        both.publish("t", 2, 7, "once");
        both.publish("t", 0, 0, "kept");
        node.settle();
        assertThat(subscriber.payloads()).isEmpty();
        both.cut();
        node.settle();
        assertThat(subscriber.payloads()).containsExactly("once", "kept");
        assertThat(node.parkedBytes()).isZero();

        f.alarmEnds();
        TestClient again = node.client(1, "both", 3600, 1);
        again.publish("t", 2, 7, "once");
        node.settle();
        assertThat(again.acks(PacketType.PUBREC)).containsExactly(7);
        assertThat(subscriber.payloads()).containsExactly("once", "kept");
    }

    /** If its connection ends before it is told, it comes again as something new. */
    @Test
    void whatFollowsARefusalThatIsNotToldYetIsRefusedToo() {
        TestClient both = withOneInFlight(3600);
        TestClient subscriber = node.subscriber(0, "s", 1, "t");
        f.alarm();
        both.publish("t", 1, 2, true, new byte[3_000]);
        both.publish("t", 1, 3, "refused");
        node.settle();
        node.transportBytes = 0;
        for (int i = 0; i < 2; i++) {
            node.time.advance(100);
            node.shards[0].onTick();
            node.shards[1].onTick();
            node.loops[1].step();
        }
        assertThat(node.context.load().memory().isAlarm()).isFalse();
        assertThat(node.parkedBytes()).as("the other shard is to retain it").isZero();
        assertThat(both.acks(PacketType.PUBACK)).isEmpty();
        both.publish("t", 1, 4, "later");
        node.settle();
        assertThat(both.acks(PacketType.PUBACK)).containsExactly(2, 3, 4);
        assertThat(node.count(Metric.REFUSED_ALARM)).isEqualTo(2);
        assertThat(subscriber.payloads()).hasSize(1);
        both.publish("t", 1, 5, "taken");
        node.settle();
        assertThat(both.acks(PacketType.PUBACK)).containsExactly(2, 3, 4, 5);
        assertThat(subscriber.payloads().getLast()).isEqualTo("taken");
    }
}
