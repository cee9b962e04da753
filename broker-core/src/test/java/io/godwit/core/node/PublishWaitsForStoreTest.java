package io.godwit.core.node;

import static io.godwit.core.node.HeldFixture.assertClosedByFailure;
import static io.godwit.core.node.HeldFixture.only;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** PUBACK and PUBREC wait for the store, and what a failure of the store does to them. */
class PublishWaitsForStoreTest {
    private final HeldFixture f = new HeldFixture();

    @SuppressWarnings("NullAway.Init") // set by publishing(...)
    private TestClient subscriber;

    private TestClient publishing(ProtocolVersion version, int qos) {
        subscriber = f.durable(1, "s", ProtocolVersion.MQTT_5);
        subscriber.subscribe(1, 2, "a");
        TestClient publisher = f.node.open(0, version);
        publisher.connect("p", false, 3600, 0);
        f.node.settle();
        f.store.hold();
        publisher.publish("a", qos, 7, "x");
        f.node.settle();
        return publisher;
    }

    @ParameterizedTest
    @EnumSource
    void waits_for_the_append_though_the_message_is_out_already(ProtocolVersion version) {
        TestClient publisher = publishing(version, 1);
        assertThat(publisher.acks(PacketType.PUBACK)).isEmpty();
        assertThat(subscriber.payloads()).containsExactly("x");
        f.release();
        assertThat(publisher.acks(PacketType.PUBACK)).containsExactly(7);
    }

    @Test
    void comes_without_the_commit_once_the_subscriber_has_acknowledged() {
        TestClient publisher = publishing(ProtocolVersion.MQTT_5, 1);
        Packet.Publish came = only(subscriber, Packet.Publish.class);
        subscriber.ack(PacketType.PUBACK, came.packetId());
        f.node.settle();
        assertThat(f.store.outstanding()).isPositive();
        assertThat(publisher.acks(PacketType.PUBACK)).containsExactly(7);
    }

    @Test
    void waits_for_a_session_that_is_offline() {
        TestClient publisher = publishing(ProtocolVersion.MQTT_5, 1);
        subscriber.cut();
        f.node.settle();
        assertThat(publisher.acks(PacketType.PUBACK)).isEmpty();
        f.release();
        assertThat(publisher.acks(PacketType.PUBACK)).containsExactly(7);
    }

    @Test
    void of_a_retained_message_waits_though_nobody_has_subscribed() {
        TestClient publisher = f.node.client(0, "p");
        f.store.hold();
        publisher.publish("r", 1, 3, true, "x".getBytes(StandardCharsets.UTF_8));
        f.node.settle();
        assertThat(publisher.acks(PacketType.PUBACK)).isEmpty();
        f.release();
        assertThat(publisher.acks(PacketType.PUBACK)).containsExactly(3);
    }

    /** Else the message that another has just removed would be back after a crash. */
    @Test
    void of_a_removal_that_finds_nothing_retained_waits_for_the_one_before_it() {
        TestClient first = f.node.client(0, "p");
        TestClient second = f.node.client(1, "q");
        first.publish("r", 1, 3, true, "x".getBytes(StandardCharsets.UTF_8));
        f.node.settle();
        f.store.hold();
        first.publish("r", 1, 4, true, new byte[0]);
        f.node.settle();
        second.publish("r", 1, 5, true, new byte[0]);
        f.node.settle();
        assertThat(second.acks(PacketType.PUBACK)).isEmpty();
        f.release();
        assertThat(first.acks(PacketType.PUBACK)).containsExactly(3, 4);
        assertThat(second.acks(PacketType.PUBACK)).containsExactly(5);
    }

    @Test
    void does_not_wait_for_a_transient_subscriber() {
        f.node.subscriber(1, "t", 1, "a");
        TestClient publisher = f.node.client(0, "p");
        f.store.hold();
        publisher.publish("a", 1, 5, "x");
        f.node.settle();
        assertThat(publisher.acks(PacketType.PUBACK)).containsExactly(5);
    }

    @ParameterizedTest
    @EnumSource
    void never_comes_when_the_commit_fails_and_the_message_may_come_again(ProtocolVersion version) {
        TestClient publisher = publishing(version, 1);
        f.fail();
        assertThat(publisher.acks(PacketType.PUBACK)).isEmpty();
        assertClosedByFailure(publisher, version);
        publisher.cut();
        TestClient again = f.durable(0, "p", version);
        again.publish("a", 1, 7, "x");
        f.node.settle();
        assertThat(again.acks(PacketType.PUBACK)).containsExactly(7);
        assertThat(subscriber.payloads()).contains("x");
    }

    @Test
    void keeps_the_order_of_the_publishes_when_one_of_them_waits() {
        TestClient publisher = publishing(ProtocolVersion.MQTT_5, 1);
        publisher.publish("nobody", 1, 8, "y");
        f.node.settle();
        assertThat(publisher.acks(PacketType.PUBACK)).isEmpty();
        f.release();
        assertThat(publisher.acks(PacketType.PUBACK)).containsExactly(7, 8);
    }

    @ParameterizedTest
    @EnumSource
    void pubRec_waits_and_the_message_leaves_only_after_the_commit(ProtocolVersion version) {
        TestClient publisher = publishing(version, 2);
        assertThat(publisher.acks(PacketType.PUBREC)).isEmpty();
        assertThat(subscriber.payloads()).isEmpty();
        f.release();
        assertThat(publisher.acks(PacketType.PUBREC)).containsExactly(7);
        assertThat(subscriber.payloads()).containsExactly("x");
    }

    @ParameterizedTest
    @EnumSource
    void pubRec_never_comes_when_the_commit_fails_and_once_when_sent_again(
            ProtocolVersion version) {
        TestClient publisher = publishing(version, 2);
        f.fail();
        assertThat(publisher.acks(PacketType.PUBREC)).isEmpty();
        assertClosedByFailure(publisher, version);
        assertThat(subscriber.payloads()).isEmpty();
        publisher.cut();
        TestClient again = f.durable(0, "p", version);
        again.send(
                new Packet.Publish(
                        Topic.of("a"),
                        2,
                        true,
                        false,
                        7,
                        Properties.NONE,
                        "x".getBytes(StandardCharsets.UTF_8)));
        f.node.settle();
        assertThat(again.acks(PacketType.PUBREC)).containsExactly(7);
        assertThat(f.durable(1, "s", ProtocolVersion.MQTT_5).payloads()).containsExactly("x");
    }

    @Test
    void pubRel_waits_for_the_commit_of_pubRec() {
        publishing(ProtocolVersion.MQTT_5, 2);
        f.release();
        f.store.hold();
        int packetId = only(subscriber, Packet.Publish.class).packetId();
        subscriber.ack(PacketType.PUBREC, packetId);
        f.node.settle();
        assertThat(subscriber.acks(PacketType.PUBREL)).isEmpty();
        f.release();
        assertThat(subscriber.acks(PacketType.PUBREL)).containsExactly(packetId);
    }

    @Test
    void several_commits_that_end_at_once_acknowledge_everything_in_order() {
        TestClient subscriber = f.durable(1, "s", ProtocolVersion.MQTT_5);
        subscriber.subscribe(1, 2, "a");
        TestClient publisher = f.node.client(0, "p");
        f.node.settle();
        f.store.hold();
        for (int id = 1; id <= 5; id++) {
            publisher.publish("a", 1, id, "m" + id);
            f.node.settle();
        }
        assertThat(f.store.outstanding()).isGreaterThanOrEqualTo(5);
        f.release();
        assertThat(publisher.acks(PacketType.PUBACK)).containsExactly(1, 2, 3, 4, 5);
    }
}
