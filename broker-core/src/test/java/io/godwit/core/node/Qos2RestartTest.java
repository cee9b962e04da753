package io.godwit.core.node;

import static io.godwit.core.node.RestartFixture.bytes;
import static io.godwit.core.node.RestartFixture.subscribe;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Topic;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** QoS 2 from a client across a crash of the broker: routed once to each who is to have it. */
class Qos2RestartTest {
    private final RestartFixture f = new RestartFixture();

    private TestClient repeat(String clientId, int packetId, String payload) {
        TestClient client = f.durable(0, clientId);
        client.send(
                new Packet.Publish(
                        Topic.of("a"), 2, true, false, packetId, Properties.NONE, bytes(payload)));
        f.node.settle();
        return client;
    }

    @Test
    void that_was_acknowledged_is_acknowledged_again_and_not_routed() {
        TestClient subscriber = f.durable(1, "s");
        subscribe(subscriber, 2, "a");
        subscriber.cut();
        TestClient publisher = f.durable(0, "p");
        publisher.publish("a", 2, 7, "x");
        f.node.settle();
        assertThat(publisher.acks(PacketType.PUBREC)).containsExactly(7);
        f.crash(0);
        TestClient again = repeat("p", 7, "x");
        assertThat(again.acks(PacketType.PUBREC)).containsExactly(7);
        assertThat(f.rows("s")).containsExactly("x");
        again.ack(PacketType.PUBREL, 7);
        f.node.settle();
        assertThat(again.acks(PacketType.PUBCOMP)).containsExactly(7);
        assertThat(f.state().inbound(f.queueId("p"))).isEmpty();
    }

    @Test
    void goes_to_those_only_that_had_not_got_it() {
        TestClient first = f.durable(0, "first");
        subscribe(first, 2, "a");
        TestClient second = f.durable(1, "second");
        subscribe(second, 2, "a");
        TestClient atQos0 = f.durable(0, "zero");
        subscribe(atQos0, 0, "a");
        TestClient publisher = f.durable(0, "p");
        f.node.settle();
        f.store.hold();
        publisher.publish("a", 2, 7, "x");
        f.node.settle();
        assertThat(f.store.outstanding()).isEqualTo(2);
        f.store.end(1);
        assertThat(f.rows("first")).containsExactly("x");
        assertThat(f.rows("second")).isEmpty();
        f.crash(0);
        TestClient zero = f.durable(1, "zero");
        TestClient again = repeat("p", 7, "x");
        assertThat(again.acks(PacketType.PUBREC)).containsExactly(7);
        assertThat(f.rows("first")).containsExactly("x");
        assertThat(f.rows("second")).containsExactly("x");
        assertThat(zero.payloads()).isEmpty();
        f.crash(0);
        repeat("p", 7, "x");
        assertThat(f.rows("first")).containsExactly("x");
        assertThat(f.rows("second")).containsExactly("x");
    }

    @Test
    void is_not_retained_again_over_a_newer_one() {
        TestClient publisher = f.durable(0, "p");
        f.store.hold();
        publisher.publish("a", 2, 7, true, bytes("old"));
        f.node.settle();
        f.store.end(1);
        assertThat(f.state().retained().get(Topic.of("a"))).isNotNull();
        f.crash(0);
        f.node.client(0, "q").publish("a", 0, 0, true, bytes("new"));
        f.node.settle();
        TestClient again = f.durable(0, "p");
        again.publish("a", 2, 7, true, bytes("old"));
        f.node.settle();
        assertThat(again.acks(PacketType.PUBREC)).containsExactly(7);
        assertThat(Objects.requireNonNull(f.state().retained().get(Topic.of("a"))).payload)
                .isEqualTo(bytes("new"));
    }

    @Test
    void is_taken_although_its_client_has_gone_meanwhile() {
        TestClient subscriber = f.durable(1, "s");
        subscribe(subscriber, 2, "a");
        f.node.settle();
        TestClient publisher = f.durable(0, "p");
        f.store.hold();
        publisher.publish("a", 2, 7, "x");
        f.node.settle();
        publisher.cut();
        f.node.settle();
        f.store.release();
        f.node.settle();
        f.crash(0);
        repeat("p", 7, "x");
        assertThat(f.rows("s")).containsExactly("x");
    }

    @Test
    void goes_to_one_who_subscribed_meanwhile_too_though_a_newer_one_was_there_first() {
        TestClient first = f.durable(1, "first");
        subscribe(first, 2, "a");
        TestClient publisher = f.durable(0, "p");
        TestClient late = f.durable(0, "late");
        f.node.settle();
        f.store.hold();
        publisher.publish("a", 2, 7, "x");
        f.node.settle();
        late.subscribe(1, 2, "a");
        f.node.settle();
        publisher.publish("a", 2, 8, "y");
        f.node.settle();
        f.store.end(f.store.outstanding()); // What is told to the store from here on is lost.
        f.node.settle();
        assertThat(late.payloads()).containsExactly("y");
        f.crash(0);
        late = f.durable(0, "late");
        f.node.settle();
        assertThat(late.payloads()).containsExactly("y");
        TestClient again = repeat("p", 7, "x");
        assertThat(again.acks(PacketType.PUBREC)).containsExactly(7);
        f.node.settle();
        assertThat(late.payloads()).containsExactly("y", "x");
        assertThat(f.rows("first")).containsExactly("x", "y");
    }
}
