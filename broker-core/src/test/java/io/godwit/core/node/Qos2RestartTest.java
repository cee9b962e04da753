package io.godwit.core.node;

import static io.godwit.core.node.RestartFixture.bytes;
import static io.godwit.core.node.RestartFixture.subscribe;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.session.NodeGroups;
import io.godwit.core.settings.OverloadSettings;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** QoS 2 from a client across a crash of the broker: routed once to each who is to have it. */
class Qos2RestartTest {
    private final RestartFixture f = new RestartFixture();

    private TestClient repeat(String clientId, int packetId, String payload) {
        TestClient client = f.durable(0, clientId);
        client.publishAgain("a", 2, packetId, payload);
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

    /** Of those to whom "x" goes, one has it when the broker crashes, and a small alarm begins. */
    private TestClient publishesAgainInAnAlarm() {
        TestClient first = f.durable(0, "first");
        subscribe(first, 2, "a");
        TestClient second = f.durable(1, "second");
        subscribe(second, 2, "a");
        TestClient publisher = f.durable(0, "p");
        subscribe(publisher, 1, "to/p");
        f.node.settle();
        f.store.hold();
        publisher.publish("a", 2, 7, "x");
        f.node.settle();
        f.store.end(1);
        assertThat(f.rows("first")).containsExactly("x");
        f.overload = new OverloadSettings(200, 1 << 20, 1 << 18, 50_000, 100_000, 2_000, 1000);
        f.crash(0);

        TestClient again = f.durable(0, "p");
        f.node.client(1, "q").publish("to/p", 1, 1, "is in flight, so that it stays read");
        f.node.settle();
        f.node.transportBytes = 100_001;
        f.node.tick(100);
        again.publish("b", 1, 6, false, new byte[3_000]);
        again.publish("a", 2, 7, "x");
        f.node.settle();
        assertThat(f.node.count(Metric.REFUSED_ALARM)).isEqualTo(1);
        assertThat(again.acks(PacketType.PUBREC)).isEmpty();
        return again;
    }

    private void alarmEnds() {
        f.node.transportBytes = 0;
        f.node.tick(100);
        f.node.tick(100);
    }

    private void comesOnceToEach() {
        assertThat(repeat("p", 7, "x").acks(PacketType.PUBREC)).containsExactly(7);
        assertThat(f.rows("first")).containsExactly("x");
        assertThat(f.rows("second")).containsExactly("x");
    }

    @Test
    void that_finds_no_room_is_the_same_when_its_client_comes_back() {
        publishesAgainInAnAlarm().cut();
        f.node.settle();
        alarmEnds();
        comesOnceToEach();
    }

    /** After a PUBREC that refuses it might be sent once more, and would be another. */
    @Test
    void that_finds_no_room_is_not_refused_but_asked_for_again() {
        TestClient again = publishesAgainInAnAlarm();
        again.publish("b", 1, 8, "behind it");
        f.node.settle();
        alarmEnds();
        assertThat(again.acks(PacketType.PUBACK)).containsExactly(6);
        assertThat(again.acks(PacketType.PUBREC)).isEmpty();
        assertThat(again.wire.isClosed()).isTrue();
        comesOnceToEach();
    }

    @Test
    void that_is_refused_without_its_client_hearing_so_is_the_same_when_it_comes_back() {
        TestClient first = f.durable(0, "first");
        subscribe(first, 2, "a");
        TestClient second = f.durable(1, "second");
        subscribe(second, 2, "a", "b");
        TestClient publisher = f.durable(0, "p");
        f.node.settle();
        f.store.hold();
        publisher.publish("a", 2, 7, "x");
        f.node.settle();
        f.store.end(1);
        f.crash(0);

        TestClient again = f.durable(0, "p");
        f.store.hold();
        again.publish("b", 1, 6, "its acknowledgement waits");
        Properties text = Properties.builder().add(Property.PAYLOAD_FORMAT_INDICATOR, 1).build();
        again.send(
                new Packet.Publish(
                        Topic.of("a"), 2, true, false, 7, text, new byte[] {(byte) 0xFF}));
        f.node.settle();
        assertThat(again.acks(PacketType.PUBREC)).isEmpty();
        again.cut();
        f.store.release();
        f.node.settle();
        assertThat(repeat("p", 7, "x").acks(PacketType.PUBREC)).containsExactly(7);
        assertThat(f.rows("first")).containsExactly("x");
        assertThat(f.rows("second")).containsExactly("its acknowledgement waits", "x");
    }

    /** Whether a group is durable is known when its owner has heard of the first member. */
    @Test
    void comes_once_to_a_group_whose_first_member_is_under_way() {
        TopicFilter shared =
                IntStream.range(0, 100)
                        .mapToObj(i -> TopicFilter.of("$share/g" + i + "/a"))
                        .filter(each -> NodeGroups.shardOf(each, RestartFixture.SHARDS) == 1)
                        .findFirst()
                        .orElseThrow();
        TestClient member = f.durable(0, "m");
        TestClient publisher = f.durable(0, "p");
        subscribe(member, 2, shared.toString());
        f.node.loops[0].step();
        f.store.hold();
        publisher.publish("a", 2, 7, "x");
        f.node.settle();
        f.store.end(f.store.outstanding()); // That all have it is not kept.
        assertThat(f.rows(f.state().group(shared))).containsExactly("x");
        f.crash(0);
        assertThat(repeat("p", 7, "x").acks(PacketType.PUBREC)).containsExactly(7);
        assertThat(f.rows(f.state().group(shared))).containsExactly("x");
    }

    /** Its members were transient when the message came, and it waits when a durable one joins. */
    @Test
    void comes_once_to_a_group_that_has_become_durable_while_it_waits() {
        TestClient transientOne = f.node.open(0, ProtocolVersion.MQTT_5);
        transientOne.connect("t", true, 0, 1);
        subscribe(transientOne, 2, "$share/g/a");
        TestClient publisher = f.durable(0, "p");
        subscribe(f.durable(1, "s"), 2, "a");
        TestClient durableOne = f.durable(1, "d");
        f.node.settle();
        publisher.publish("a", 1, 6, "in flight");
        f.node.settle();
        f.store.hold();
        publisher.publish("a", 2, 7, "x");
        f.node.settle();
        subscribe(durableOne, 2, "$share/g/a");
        f.node.settle();
        f.store.end(f.store.outstanding()); // That all have it is not kept.
        TopicFilter group = TopicFilter.of("$share/g/a");
        assertThat(f.rows(f.state().group(group))).containsExactly("in flight", "x");
        f.crash(0);
        TestClient again = repeat("p", 7, "x");
        assertThat(again.acks(PacketType.PUBREC)).containsExactly(7);
        assertThat(f.rows(f.state().group(group))).containsExactly("in flight", "x");
        again.ack(PacketType.PUBREL, 7);
        f.node.settle();
        assertThat(remembered()).isZero();
    }

    @Test
    void that_is_over_is_not_remembered_by_a_group_that_becomes_durable_then() {
        TestClient transientOne = f.node.open(0, ProtocolVersion.MQTT_5);
        transientOne.connect("t", true, 0, 1);
        subscribe(transientOne, 2, "$share/g/a");
        TestClient publisher = f.durable(0, "p");
        TestClient durableOne = f.durable(1, "d");
        f.node.settle();
        for (int id = 1; id <= 3; id++) {
            publisher.publish("a", 2, id, "" + id);
        }
        f.node.settle();
        assertThat(remembered()).isPositive();
        publisher.ack(PacketType.PUBREL, 2);
        publisher.ack(PacketType.PUBREL, 3);
        transientOne.ack(PacketType.PUBREC, 1);
        transientOne.ack(PacketType.PUBCOMP, 1);
        f.node.settle();
        publisher.ack(PacketType.PUBREL, 1);
        f.node.settle();
        assertThat(transientOne.payloads()).containsExactly("1", "2");
        subscribe(durableOne, 2, "$share/g/a");
        f.node.settle();
        assertThat(f.rows(f.state().group(TopicFilter.of("$share/g/a")))).hasSize(1);
        assertThat(f.rows("d")).as("handed over to it").hasSize(1);
        assertThat(remembered()).isZero();
    }

    private long remembered() {
        long sum = 0;
        for (BrokerShard each : f.node.shards) {
            sum += each.load().queues().rememberedBytes();
        }
        return sum;
    }
}
