package io.godwit.core.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** During the disk alarm nothing that is published is stored, and all else goes on. */
class DiskAlarmTest {
    private final AlarmFixture f = new AlarmFixture();
    private final TestNode node = f.node;

    @SuppressWarnings("NullAway.Init") // set by aDurableSubscriber()
    private TestClient subscriber;

    @BeforeEach
    void aDurableSubscriber() {
        subscriber = node.client(1, "s", 3600, 0);
        subscriber.subscribe(1, 2, "t", "will");
        node.settle();
    }

    private void diskAlarm(boolean full) {
        node.context.load().diskAlarm(full);
        node.settle();
        node.tick(100);
    }

    /** A second later, when the broker asks whether peers are still there. */
    private void asked() {
        node.tick(1_000);
        node.tick(100);
    }

    private TestClient withWill(String clientId) {
        TestClient client = node.open(0, ProtocolVersion.MQTT_5);
        Will will = new Will(Topic.of("will"), 1, false, "bye".getBytes(UTF_8), 0, Properties.NONE);
        client.connect(clientId, true, 0, 0, will);
        node.settle();
        return client;
    }

    private static ByteBuf disconnect(TestClient client) {
        return client.encode(new Packet.Disconnect(ReasonCode.SUCCESS, Properties.NONE));
    }

    @Test
    void the_first_publish_of_a_new_connection_is_taken_when_the_alarm_ends() {
        diskAlarm(true);
        TestClient device = node.client(0, "device");
        device.publish("t", 1, 1, "a");
        node.settle();
        asked();
        assertThat(device.acks(PacketType.PUBACK)).isEmpty();
        assertThat(subscriber.payloads()).isEmpty();
        assertThat(device.wire.isRead()).isFalse();
        assertThat(device.wire.isClosed()).isFalse();

        diskAlarm(false);
        assertThat(device.acks(PacketType.PUBACK)).containsExactly(1);
        assertThat(subscriber.payloads()).containsExactly("a");
        assertThat(device.wire.isRead()).isTrue();
        assertThat(node.heldBytes()).isZero();
    }

    @Test
    void no_publish_of_an_earlier_publisher_is_taken_whatever_its_qos() {
        TestClient publisher = node.client(0, "p");
        publisher.publish("t", 1, 1, "before");
        node.settle();
        diskAlarm(true);
        assertThat(publisher.wire.isRead()).as("until a PUBLISH comes").isTrue();
        publisher.publish("t", 0, 0, "0");
        publisher.publish("t", 1, 2, "1");
        publisher.publish("t", 2, 3, "2");
        publisher.publish("t", 1, 4, true, "retained".getBytes(UTF_8));
        node.settle();
        assertThat(publisher.acks(PacketType.PUBACK)).containsExactly(1);
        assertThat(publisher.acks(PacketType.PUBREC)).isEmpty();
        assertThat(subscriber.payloads()).containsExactly("before");

        diskAlarm(false);
        assertThat(subscriber.payloads()).hasSize(5);
        assertThat(publisher.acks(PacketType.PUBACK)).containsExactly(1, 2, 4);
        assertThat(publisher.acks(PacketType.PUBREC)).containsExactly(3);
    }

    @Test
    void a_large_publish_is_read_to_its_end_and_waits_without_a_time_limit() {
        TestClient device = node.client(0, "device");
        ByteBuf whole = device.encode(large(1));
        device.bytes(whole.readRetainedSlice(1_000));
        diskAlarm(true);
        device.bytes(whole.readRetainedSlice(1_000));
        assertThat(device.wire.isRead()).as("else its end would not be seen").isTrue();
        device.bytes(whole);
        assertThat(device.wire.isRead()).isFalse();
        node.tick(600_000);
        node.tick(1_000);
        assertThat(device.wire.isClosed()).as("it is the broker that waits").isFalse();

        diskAlarm(false);
        assertThat(device.wire.isRead()).isTrue();
        assertThat(device.acks(PacketType.PUBACK)).containsExactly(2);
        node.tick(1_000);
        assertThat(device.wire.isClosed()).isFalse();
    }

    @Test
    void handshakes_pings_and_subscriptions_go_on() {
        TestClient publisher = node.client(0, "p", 3600, 0);
        publisher.publish("t", 2, 1, "a");
        node.settle();
        assertThat(publisher.acks(PacketType.PUBREC)).containsExactly(1);
        diskAlarm(true);
        publisher.ack(PacketType.PUBREL, 1);
        publisher.send(Packet.PingReq.INSTANCE);
        publisher.subscribe(2, 1, "u");
        node.settle();
        assertThat(publisher.acks(PacketType.PUBCOMP)).containsExactly(1);
        assertThat(publisher.count(PacketType.PINGRESP)).isEqualTo(1);
        assertThat(publisher.count(PacketType.SUBACK)).isEqualTo(1);
        assertThat(publisher.wire.isRead()).isTrue();
        subscriber.ack(PacketType.PUBREC, 1);
        subscriber.ack(PacketType.PUBCOMP, 1);
        node.settle();
        assertThat(node.session("s").inFlightCount()).isZero();
    }

    @Test
    void a_client_that_closed_behind_its_publish_goes_and_its_will_is_published() {
        diskAlarm(true);
        TestClient device = withWill("device");
        device.publish("t", 1, 1, "a");
        node.settle();
        device.wire.peerGone();
        asked();
        assertThat(device.wire.isRead()).as("to the end of its stream").isTrue();
        device.cut();
        node.settle();
        assertThat(subscriber.payloads()).containsExactly("bye");
        assertThat(node.count(Metric.UNREAD_ALARM)).isEqualTo(1);
        assertThat(node.heldBytes()).isZero();
    }

    @Test
    void a_disconnect_behind_publishes_that_are_not_taken_means_no_will() {
        diskAlarm(true);
        TestClient device = withWill("device");
        device.publish("t", 1, 1, "a");
        ByteBuf rest = device.encode(large(0)).writeBytes(device.encode(large(1)));
        rest.writeBytes(disconnect(device));
        node.settle();
        assertThat(device.wire.isRead()).isFalse();
        device.wire.peerGone();
        asked();
        while (rest.isReadable()) {
            device.bytes(rest.readRetainedSlice(Math.min(777, rest.readableBytes())));
            assertThat(node.heldBytes()).as("however large they are").isLessThan(2_000);
        }
        node.settle();
        assertThat(device.wire.isClosed()).isTrue();
        device.cut();
        diskAlarm(false);
        assertThat(subscriber.payloads()).isEmpty();
        assertThat(node.count(Metric.UNREAD_ALARM)).isEqualTo(2);
        assertThat(node.count(Metric.DROPPED_QOS0_ALARM)).isEqualTo(1);
    }

    private static Packet.Publish large(int qos) {
        return new Packet.Publish(
                Topic.of("t"), qos, false, false, 2 * qos, Properties.NONE, new byte[60_000]);
    }

    @Test
    void a_socket_that_ends_in_the_turn_of_its_publish_and_disconnect_leaves_no_will() {
        diskAlarm(true);
        TestClient device = withWill("device");
        device.publish("t", 0, 0, "a");
        device.bytes(disconnect(device));
        device.cut();
        node.settle();
        diskAlarm(false);
        assertThat(subscriber.payloads()).isEmpty();
        assertThat(node.heldBytes()).isZero();
    }

    @Test
    void a_client_that_stays_is_not_taken_for_one_that_is_gone() {
        diskAlarm(true);
        TestClient device = node.client(0, "device");
        device.publish("t", 1, 1, "a");
        for (int second = 0; second < 50; second++) {
            node.tick(1_000);
        }
        assertThat(device.wire.isClosed()).isFalse();
        assertThat(device.wire.isRead()).isFalse();
        diskAlarm(false);
        assertThat(subscriber.payloads()).containsExactly("a");
    }

    @Test
    void what_a_gone_client_has_parked_is_not_stored_and_comes_again() {
        TestClient both = node.client(0, "both", 3600, 1);
        both.subscribe(1, 1, "to/both");
        node.settle();
        node.client(1, "p").publish("to/both", 1, 1, "x");
        node.settle();
        diskAlarm(true);
        both.publish("t", 1, 1, "one");
        both.publish("t", 2, 2, "two");
        node.settle();
        assertThat(both.wire.isRead()).as("its PUBACK must come through").isTrue();
        assertThat(node.parkedBytes()).isPositive();
        both.cut();
        node.settle();
        assertThat(node.parkedBytes()).isZero();
        assertThat(subscriber.payloads()).isEmpty();

        diskAlarm(false);
        TestClient again = node.client(0, "both", 3600, 1);
        again.publishAgain("t", 1, 1, "one");
        again.publishAgain("t", 2, 2, "two");
        node.settle();
        assertThat(again.acks(PacketType.PUBACK)).containsExactly(1);
        assertThat(again.acks(PacketType.PUBREC)).containsExactly(2);
        assertThat(subscriber.payloads()).containsExactly("one", "two");
    }

    @Test
    void acknowledgements_behind_the_first_publish_of_a_subscriber_are_read() {
        node.client(0, "p").publish("t", 1, 1, "x");
        node.settle();
        diskAlarm(true);
        subscriber.publish("u", 1, 9, "first");
        subscriber.ack(PacketType.PUBACK, 1);
        node.settle();
        assertThat(node.session("s").inFlightCount()).isZero();
        assertThat(subscriber.acks(PacketType.PUBACK)).isEmpty();
        diskAlarm(false);
        assertThat(subscriber.acks(PacketType.PUBACK)).containsExactly(9);
    }

    @Test
    void the_first_publish_of_a_new_connection_waits_for_the_memory_alarm_too() {
        f.alarm();
        TestClient device = node.client(0, "device");
        device.publish("t", 1, 1, "a");
        node.settle();
        assertThat(device.acks(PacketType.PUBACK)).isEmpty();
        assertThat(device.wire.isRead()).isFalse();
        device.wire.peerGone();
        asked();
        device.cut();
        node.settle();
        assertThat(node.heldBytes()).isZero();
        f.alarmEnds();
        assertThat(subscriber.payloads()).isEmpty();
    }

    @Test
    void many_devices_that_come_publish_and_leave_store_nothing() {
        diskAlarm(true);
        long kept = node.keptBytes();
        for (int i = 0; i < 200; i++) {
            TestClient device = node.client(i % 2, "d" + i);
            device.publish("t", 1, 1, false, new byte[5_000]);
            device.wire.peerGone();
            asked();
            device.bytes(Unpooled.EMPTY_BUFFER);
            device.cut();
        }
        node.settle();
        assertThat(node.keptBytes()).isEqualTo(kept);
        assertThat(node.heldBytes()).isZero();
        assertThat(node.count(Metric.UNREAD_ALARM)).isEqualTo(200);
    }
}
