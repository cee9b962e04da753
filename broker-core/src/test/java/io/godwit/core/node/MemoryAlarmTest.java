package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import java.util.List;
import org.junit.jupiter.api.Test;

/** overload.memory-bytes: what is counted, who is stopped, and what is parked until the end. */
class MemoryAlarmTest {
    private static final long MEMORY = 100_000;
    private static final int PARKED = 2_000;

    private final TestNode node =
            new TestNode(
                    2,
                    LimitSettings.DEFAULTS,
                    new OverloadSettings(200, 1 << 20, 1 << 18, 50_000, MEMORY, PARKED, 1000));

    private void alarm() {
        node.transportBytes = MEMORY + 1;
        node.tick(100);
        assertThat(node.context.load().isMemoryAlarm()).isTrue();
    }

    private void alarmEnds() {
        node.transportBytes = 0;
        node.tick(100);
        node.tick(100);
        assertThat(node.context.load().isMemoryAlarm()).isFalse();
    }

    @Test
    void countsQueuesInFlightPartialPacketsAndTheTransport() {
        TestClient offline = node.client(1, "offline", 3600, 0);
        offline.subscribe(1, 1, "t");
        TestClient slow = node.client(1, "slow", 0, 1);
        slow.subscribe(1, 1, "t");
        TestClient publisher = node.client(0, "p");
        node.settle();
        offline.cut();
        node.settle();
        node.tick(100);
        assertThat(node.context.load().accountedBytes()).isZero();

        publisher.publish("t", 1, 1, false, new byte[10_000]);
        node.settle();
        node.tick(100);
        long two = node.context.load().accountedBytes();
        assertThat(two).as("one waits, one is in flight").isBetween(20_000L, 21_000L);

        publisher.bytes(
                publisher
                        .encode(
                                new io.godwit.core.packet.Packet.Publish(
                                        io.godwit.core.packet.Topic.of("t"),
                                        0,
                                        false,
                                        false,
                                        0,
                                        io.godwit.core.packet.Properties.NONE,
                                        new byte[5_000]))
                        .slice(0, 4_000));
        node.transportBytes = 7;
        node.tick(100);
        assertThat(node.context.load().accountedBytes()).isBetween(two + 4_007, two + 10_000);

        publisher.cut();
        node.transportBytes = 0;
        slow.ack(PacketType.PUBACK, 1);
        node.settle();
        node.tick(100);
        assertThat(node.context.load().accountedBytes()).isBetween(10_000L, 10_500L);
        TestClient back = node.client(0, "offline", 3600, 0);
        back.ack(PacketType.PUBACK, 1);
        node.settle();
        node.tick(100);
        assertThat(node.context.load().accountedBytes()).isZero();
    }

    @Test
    void countsTheQueuesOfSharedGroups() {
        TestClient member = node.client(1, "m", 3600, 1);
        member.subscribe(1, 1, "$share/g/t");
        node.settle();
        member.cut();
        node.settle();
        TestClient publisher = node.client(0, "p");
        publisher.publish("t", 1, 1, false, new byte[30_000]);
        node.settle();
        node.tick(100);
        node.tick(100);
        assertThat(node.context.load().accountedBytes()).isBetween(30_000L, 31_000L);
    }

    @Test
    void stopsPublishersAndEndsBelowEightyPercent() {
        TestClient subscriber = node.subscriber(1, "s", 1, "t");
        TestClient publisher = node.client(0, "p");
        publisher.publish("t", 1, 1, "a");
        node.settle();
        alarm();
        publisher.publish("t", 1, 2, "b");
        subscriber.subscribe(2, 0, "u");
        node.settle();
        assertThat(publisher.wire.isRead()).isFalse();
        assertThat(subscriber.wire.isRead()).as("has never published").isTrue();
        assertThat(subscriber.payloads()).as("what was read is accepted").containsExactly("a", "b");

        node.transportBytes = MEMORY * 9 / 10;
        node.tick(100);
        assertThat(node.context.load().isMemoryAlarm()).isTrue();
        assertThat(publisher.wire.isRead()).isFalse();

        node.transportBytes = MEMORY / 2;
        node.tick(100);
        assertThat(node.context.load().isMemoryAlarm()).isFalse();
        assertThat(publisher.wire.isRead()).isTrue();
        assertThat(publisher.acks(PacketType.PUBACK)).containsExactly(1, 2);
    }

    @Test
    void subscribersThatAcknowledgeNothingAreDisconnectedAndTheAlarmEnds() {
        List<TestClient> stuck = new java.util.ArrayList<>();
        for (int i = 0; i < 5; i++) {
            stuck.add(node.subscriber(i % 2, "stuck" + i, 1, "t"));
        }
        TestClient slow = node.subscriber(1, "slow", 1, "t", "small");
        TestClient patient = node.subscriber(0, "patient", 1, "small");
        TestClient publisher = node.client(0, "p");
        publisher.publish("small", 1, 1, "x");
        for (int i = 0; i < 4; i++) {
            publisher.publish("t", 1, 2 + i, false, new byte[5_000]);
        }
        node.settle();
        node.tick(100);
        assertThat(node.context.load().isMemoryAlarm()).isTrue();
        publisher.publish("small", 1, 9, "y");
        node.settle();
        assertThat(publisher.wire.isRead()).isFalse();

        for (int second = 1; second <= 13; second++) {
            if (second % 4 == 0) {
                slow.ack(PacketType.PUBACK, second / 4);
            }
            node.tick(1_000);
        }
        for (TestClient each : stuck) {
            assertThat(each.wire.isClosed()).isTrue();
            assertThat(each.packets().getLast())
                    .isInstanceOfSatisfying(
                            io.godwit.core.packet.Packet.Disconnect.class,
                            end ->
                                    assertThat(end.reason())
                                            .isEqualTo(
                                                    io.godwit.core.packet.ReasonCode
                                                            .QUOTA_EXCEEDED));
        }
        assertThat(node.count(Metric.CLOSED_STUCK)).isEqualTo(5);
        assertThat(slow.wire.isClosed()).as("acknowledges now and then").isFalse();
        assertThat(patient.wire.isClosed()).as("holds next to nothing").isFalse();
        assertThat(node.context.load().isMemoryAlarm()).isFalse();
        assertThat(publisher.wire.isRead()).isTrue();
    }

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
        alarm();

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

        alarmEnds();
        assertThat(both.wire.isRead()).isTrue();
        assertThat(both.acks(PacketType.PUBACK)).containsExactly(1, 2, 3);
        assertThat(subscriber.acks(PacketType.PUBACK)).isEmpty();
        assertThat(subscriber.payloads()).containsExactlyInAnyOrder("0", "1", "2", "3");
        assertThat(node.parkedBytes()).isZero();
    }

    @Test
    void theParkedGoOnAtTheEndEvenWhenReadingWasNeverStopped() {
        TestClient both = node.client(1, "both", 0, 1);
        both.subscribe(1, 1, "to/both");
        TestClient subscriber = node.subscriber(0, "s", 0, "t");
        TestClient publisher = node.client(0, "p");
        publisher.publish("to/both", 1, 1, "x");
        node.settle();
        alarm();
        both.publish("t", 1, 2, "1");
        both.publish("t", 2, 3, "2");
        node.settle();
        assertThat(subscriber.payloads()).isEmpty();
        alarmEnds();
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
        alarm();
        for (int i = 1; i <= 20; i++) {
            both.publish("t", 0, 0, "m" + i + "-".repeat(900));
        }
        both.publish("t", 1, 1, "no");
        both.publish("t", 2, 2, "no");
        node.settle();
        assertThat(node.parkedBytes()).isBetween((long) PARKED, PARKED + 1_200L);
        assertThat(node.heldBytes()).isZero();
        assertThat(node.count(Metric.DROPPED_QOS0_ALARM)).isEqualTo(17);
        assertThat(node.count(Metric.REFUSED_ALARM)).isEqualTo(2);
        assertThat(
                        both.packets().stream()
                                .filter(io.godwit.core.packet.Packet.Ack.class::isInstance)
                                .map(io.godwit.core.packet.Packet.Ack.class::cast)
                                .map(ack -> ack.type() + " " + ack.packetId() + " " + ack.reason()))
                .containsExactly("PUBACK 1 QUOTA_EXCEEDED", "PUBREC 2 QUOTA_EXCEEDED");

        // What the alarm may be waiting for gets through.
        assertThat(both.wire.isRead()).isTrue();
        both.ack(PacketType.PUBACK, 1);
        node.settle();
        assertThat(both.payloads()).containsExactly("x", "y");
        alarmEnds();
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
        alarm();
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
        alarmEnds();
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
                                ""),
                        LimitSettings.DEFAULTS,
                        new OverloadSettings(200, 1 << 20, 1 << 18, 50_000, MEMORY, PARKED, 1000));
        TestClient both = small.open(1, ProtocolVersion.MQTT_3_1_1);
        both.connect("both", true, 0, 0);
        both.subscribe(1, 1, "to/both");
        TestClient publisher = small.client(0, "p");
        small.settle();
        publisher.publish("to/both", 1, 1, "x");
        small.settle();
        small.transportBytes = MEMORY + 1;
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
        List<TestClient> all = new java.util.ArrayList<>();
        for (int i = 0; i < 40; i++) {
            TestClient both = node.client(1, "both" + i, 0, 1);
            both.subscribe(1, 1, "to/" + i);
            node.settle();
            publisher.publish("to/" + i, 1, 1, "x");
            node.settle();
            all.add(both);
        }
        alarm();
        for (TestClient both : all) {
            both.publish("t", 0, 0, false, new byte[900]);
            both.publish("t", 0, 0, false, new byte[900]);
        }
        assertThat(node.parkedBytes()).isBetween(MEMORY / 4, MEMORY / 4 + 40_000);
        alarmEnds();
        assertThat(node.parkedBytes()).isZero();
        assertThat(node.heldBytes()).isZero();
        assertThat(node.count(Metric.PUBLISH_RECEIVED)).isEqualTo(120);
    }

    @Test
    void someoneStoppedIsReadAgainWhenAMessageIsInFlightTowardsIt() {
        TestClient both = node.client(1, "both", 0, 1);
        both.subscribe(1, 1, "to/both");
        both.publish("t", 0, 0, "0");
        node.settle();
        alarm();
        both.publish("t", 0, 0, "1");
        assertThat(both.wire.isRead()).isFalse();
        TestClient publisher = node.client(0, "p");
        publisher.publish("to/both", 1, 1, "x");
        node.settle();
        node.tick(100);
        assertThat(both.wire.isRead()).isTrue();
    }

    @Test
    void whatIsParkedIsRoutedWhenItsConnectionGoes() {
        TestClient both = node.client(1, "both", 3600, 1);
        both.subscribe(1, 1, "to/both");
        TestClient subscriber = node.subscriber(0, "s", 0, "t");
        TestClient publisher = node.client(0, "p");
        publisher.publish("to/both", 1, 1, "x");
        node.settle();
        alarm();
        both.publish("t", 2, 7, "once");
        both.publish("t", 0, 0, "kept");
        node.settle();
        assertThat(subscriber.payloads()).isEmpty();
        both.cut();
        node.settle();
        assertThat(subscriber.payloads()).containsExactly("once", "kept");
        assertThat(node.parkedBytes()).isZero();

        alarmEnds();
        TestClient again = node.client(1, "both", 3600, 1);
        again.publish("t", 2, 7, "once");
        node.settle();
        assertThat(again.acks(PacketType.PUBREC)).containsExactly(7);
        assertThat(subscriber.payloads()).containsExactly("once", "kept");
    }
}
