package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.publish.LeaderAway;
import io.godwit.core.metrics.Metric;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Publishers do not wait for subscribers whose sessions ended with their node: with it ends what
 * they were owed. They do wait for a durable one there.
 */
class DeadNodeSubscribersTest {
    private static final String LARGE = "x".repeat(4_000);

    private LoopNodes nodes = new LoopNodes(3, new SplittableRandom(1));
    private TestClient publisher = nodes.node(1).client("publisher", 0);
    private int packetIds;

    private TestClient subscriber(int node, String id, long expirySeconds, int qos, String filter) {
        TestClient client = nodes.node(node).client(id, expirySeconds);
        client.subscribe(1, qos, filter);
        nodes.settle();
        assertThat(client.packets()).anyMatch(Packet.SubAck.class::isInstance);
        return client;
    }

    private void publish(int qos, String topic, String payload) {
        publisher.publish(topic, qos, ++packetIds, payload);
        nodes.settle();
        if (qos == 2) {
            for (Packet.Ack each : acks(publisher, PacketType.PUBREC)) {
                publisher.ack(PacketType.PUBREL, each.packetId());
            }
            nodes.settle();
        }
    }

    private static List<Packet.Ack> acks(TestClient client, PacketType type) {
        List<Packet.Ack> acks = new ArrayList<>();
        for (Packet packet : client.packets()) {
            if (packet instanceof Packet.Ack ack && ack.type() == type) {
                acks.add(ack);
            }
        }
        return acks;
    }

    /** How many publishes were answered. */
    private int answered() {
        long refused =
                acks(publisher, PacketType.PUBACK).stream()
                        .filter(ack -> ack.reason() != ReasonCode.SUCCESS)
                        .filter(ack -> ack.reason() != ReasonCode.NO_MATCHING_SUBSCRIBERS)
                        .count();
        assertThat(refused).isZero();
        return acks(publisher, PacketType.PUBACK).size()
                + acks(publisher, PacketType.PUBREC).size();
    }

    private long dropped() {
        return nodes.node(1).node().count(Metric.DROPPED_NODE_TRANSIENT);
    }

    private void dies(int server) {
        nodes.node(server).crash();
        nodes.settle();
    }

    /** Everyone takes it for away. */
    private void peerTimeout() {
        nodes.pass(1_500);
    }

    @ParameterizedTest
    @CsvSource({"1, small", "1, large", "2, small"})
    void publisher_goes_on_when_a_dead_node_had_only_transient_subscribers(int qos, String size) {
        String payload = "large".equals(size) ? LARGE : "x";
        nodes.node(3).id("dashboard");
        TestClient dashboard = subscriber(2, "dashboard", 0, 1, "t/#");
        publish(qos, "t/1", payload);
        assertThat(answered()).isEqualTo(1);
        dies(2);
        publish(qos, "t/1", payload);
        publish(qos, "t/2", payload);
        assertThat(answered()).as("the link may be back in a moment").isEqualTo(1);
        peerTimeout();
        assertThat(answered()).isEqualTo(3);
        publish(qos, "t/1", payload);
        publish(qos, "elsewhere", payload);
        assertThat(answered()).isEqualTo(5);
        assertThat(dropped()).isEqualTo(3);
        assertThat(dashboard.payloads()).hasSize(1);

        TestClient back = subscriber(3, "dashboard", 0, 1, "t/#");
        publish(qos, "t/1", "later");
        assertThat(answered()).isEqualTo(6);
        assertThat(back.payloads()).containsExactly("later");
        nodes.node(2).restart();
        nodes.settle();
        publish(qos, "t/1", "last");
        assertThat(answered()).isEqualTo(7);
        assertThat(nodes.node(1).part().counts()).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void publisher_waits_for_a_durable_session_on_a_dead_node(int qos) {
        subscriber(2, "dashboard", 0, 1, "t/#");
        TestClient durable = subscriber(2, "durable", 1_000, 1, "t/1");
        dies(2);
        publish(qos, "t/2", "transient alone");
        publish(qos, "t/1", "first");
        peerTimeout();
        assertThat(answered()).isEqualTo(1);
        publish(qos, "t/1", "second");
        publish(qos, "t/2", "behind");
        assertThat(answered()).isEqualTo(1);
        assertThat(durable.payloads()).isEmpty();

        nodes.node(2).restart();
        nodes.settle();
        nodes.pass(500);
        durable = nodes.node(2).client("durable", 1_000);
        nodes.settle();
        assertThat(answered()).isEqualTo(4);
        assertThat(durable.payloads()).containsExactly("first", "second");
        assertThat(dropped()).isEqualTo(2);
    }

    @Test
    void publisher_waits_for_a_durable_session_that_came_to_a_filter_after_a_transient_one() {
        subscriber(2, "dashboard", 0, 1, "t");
        publish(1, "t", "to one");
        subscriber(2, "durable", 1_000, 1, "t");
        dies(2);
        peerTimeout();
        publish(1, "t", "to both");
        assertThat(answered()).isEqualTo(1);
        nodes.node(2).restart();
        nodes.settle();
        nodes.pass(500);
        TestClient durable = nodes.node(2).client("durable", 1_000);
        nodes.settle();
        assertThat(durable.payloads()).containsExactly("to both");
        assertThat(answered()).isEqualTo(2);
        assertThat(dropped()).isZero();
    }

    @Test
    void publisher_does_not_wait_for_a_durable_session_that_has_left_the_filter() {
        TestClient durable = subscriber(2, "durable", 1_000, 1, "t");
        subscriber(2, "dashboard", 0, 1, "t");
        durable.send(new Packet.Unsubscribe(9, List.of(TopicFilter.of("t")), Properties.NONE));
        nodes.settle();
        dies(2);
        peerTimeout();
        publish(1, "t", "x");
        assertThat(answered()).isEqualTo(1);
        assertThat(dropped()).isEqualTo(1);
    }

    @Test
    void publisher_does_not_wait_for_a_durable_session_that_has_subscribed_with_qos_0() {
        subscriber(2, "durable", 1_000, 0, "t");
        dies(2);
        peerTimeout();
        publish(1, "t", "x");
        assertThat(answered()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void transient_session_that_was_cut_off_misses_messages_and_gets_the_rest_in_order_once(
            int qos) {
        TestClient dashboard = subscriber(2, "dashboard", 0, 2, "t");
        publish(qos, "t", "1");
        nodes.node(1).linkTo(2).isSlow = true;
        publish(qos, "t", "2");
        nodes.cut(nodes.node(1), nodes.node(2));
        publish(qos, "t", "3");
        peerTimeout();
        publish(qos, "t", "4");
        assertThat(answered()).isEqualTo(4);
        nodes.link(nodes.node(1), nodes.node(2));
        nodes.settle();
        publish(qos, "t", "5");
        publish(qos, "t", "6");
        assertThat(answered()).isEqualTo(6);
        assertThat(dashboard.payloads()).containsExactly("1", "5", "6");
        assertThat(dropped()).isEqualTo(3);
    }

    @Test
    void transient_session_that_was_cut_off_for_less_than_the_time_out_misses_nothing() {
        TestClient dashboard = subscriber(2, "dashboard", 0, 1, "t");
        nodes.cut(nodes.node(1), nodes.node(2));
        publish(1, "t", "1");
        publish(1, "t", LARGE);
        nodes.pass(500);
        nodes.link(nodes.node(1), nodes.node(2));
        nodes.settle();
        assertThat(dashboard.payloads()).containsExactly("1", LARGE);
        assertThat(answered()).isEqualTo(2);
        assertThat(dropped()).isZero();
    }

    @Test
    void transient_session_of_a_silent_node_is_not_waited_for_until_the_node_is_heard() {
        TestClient dashboard = subscriber(2, "dashboard", 0, 1, "t");
        nodes.node(2).isPaused = true;
        publish(1, "t", "1");
        assertThat(answered()).isZero();
        nodes.node(1).silent(nodes.node(2));
        publish(1, "t", "2");
        assertThat(answered()).isEqualTo(2);
        nodes.node(2).isPaused = false;
        nodes.node(1).heard(nodes.node(2));
        publish(1, "t", "3");
        assertThat(answered()).isEqualTo(3);
        assertThat(dashboard.payloads()).containsExactly("1", "3");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void what_may_have_come_to_transient_sessions_ends_when_their_node_starts_anew(int qos) {
        subscriber(2, "dashboard", 0, 1, "t");
        nodes.node(1).linkTo(2).isSlow = true;
        publish(qos, "t", "sent");
        dies(2);
        nodes.pass(200);
        assertThat(answered()).isZero();
        nodes.node(2).restart();
        nodes.settle();
        assertThat(answered()).isEqualTo(1);
        TestClient back = subscriber(2, "dashboard", 0, 1, "t");
        publish(qos, "t", "later");
        assertThat(back.payloads()).containsExactly("later");
        assertThat(dropped()).isEqualTo(1);
    }

    @Test
    void subscriber_of_a_node_that_starts_anew_gets_what_is_published_after_its_suback() {
        subscriber(2, "dashboard", 0, 1, "t");
        dies(2);
        peerTimeout();
        publish(1, "t", "dropped");
        nodes.node(2).restart();
        TestClient back = subscriber(2, "dashboard", 0, 1, "t");
        publish(1, "t", "1");
        assertThat(back.payloads()).containsExactly("1");
        assertThat(dropped()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void publisher_does_not_wait_for_a_shared_group_whose_members_all_ended_with_their_node(
            int qos) {
        TestClient member = subscriber(2, "member", 0, 1, "$share/g/t");
        publish(qos, "t", "1");
        assertThat(member.payloads()).containsExactly("1");
        dies(2);
        publish(qos, "t", "2");
        peerTimeout();
        publish(qos, "t", "3");
        assertThat(answered()).isEqualTo(3);
        assertThat(dropped()).isEqualTo(2);
    }

    @Test
    void message_on_its_way_to_transient_members_of_a_dead_node_goes_to_a_member_elsewhere() {
        subscriber(2, "member", 0, 1, "$share/g/t");
        TestClient durable = subscriber(3, "durable", 1_000, 1, "$share/g/t");
        durable.cut();
        nodes.settle();
        nodes.node(1).linkTo(2).isSlow = true;
        publish(1, "t", "on its way");
        dies(2);
        publish(1, "t", "kept for it");
        publish(2, "t", "never left");
        peerTimeout();
        assertThat(answered()).isEqualTo(3);
        durable = nodes.node(3).client("durable", 1_000);
        nodes.settle();
        assertThat(durable.payloads()).containsExactly("on its way", "kept for it", "never left");
        assertThat(dropped()).isZero();
    }

    @Test
    void message_on_its_way_to_transient_members_goes_elsewhere_when_their_node_starts_anew() {
        subscriber(2, "member", 0, 1, "$share/g/t");
        TestClient durable = subscriber(1, "durable", 1_000, 1, "$share/g/t");
        durable.cut();
        nodes.settle();
        nodes.node(1).linkTo(2).isSlow = true;
        publish(1, "t", "1");
        dies(2);
        nodes.node(2).restart();
        nodes.settle();
        assertThat(answered()).isEqualTo(1);
        durable = nodes.node(1).client("durable", 1_000);
        nodes.settle();
        assertThat(durable.payloads()).containsExactly("1");
    }

    @Test
    void publisher_waits_for_a_shared_group_with_a_durable_member_on_a_dead_node() {
        subscriber(2, "member", 0, 1, "$share/g/t");
        subscriber(2, "durable", 1_000, 1, "$share/g/t");
        dies(2);
        peerTimeout();
        publish(1, "t", "1");
        assertThat(answered()).isZero();
        nodes.node(2).restart();
        nodes.settle();
        nodes.pass(500);
        TestClient durable = nodes.node(2).client("durable", 1_000);
        nodes.settle();
        assertThat(durable.payloads()).containsExactly("1");
        assertThat(answered()).isEqualTo(1);
    }

    @Test
    void retained_message_is_acknowledged_when_only_transient_subscribers_are_on_a_dead_node() {
        subscriber(2, "dashboard", 0, 1, "t");
        dies(2);
        publisher.send(
                new Packet.Publish(
                        Topic.of("t"),
                        1,
                        false,
                        true,
                        ++packetIds,
                        Properties.NONE,
                        new byte[] {'r'}));
        nodes.settle();
        assertThat(answered()).isZero();
        peerTimeout();
        publish(1, "t", "live");
        assertThat(answered()).isEqualTo(2);
        nodes.node(2).restart();
        nodes.settle();
        TestClient back = subscriber(2, "dashboard", 0, 1, "t");
        assertThat(back.payloads()).containsExactly("r");
    }

    @Test
    void publisher_is_not_refused_for_transient_subscribers_of_a_dead_node() {
        nodes = new LoopNodes(3, new SplittableRandom(1), LeaderAway.REFUSE);
        publisher = nodes.node(1).client("publisher", 0);
        subscriber(2, "dashboard", 0, 1, "t");
        subscriber(2, "durable", 1_000, 1, "u");
        dies(2);
        peerTimeout();
        publish(1, "t", "x");
        assertThat(answered()).isEqualTo(1);
        publisher.publish("u", 1, ++packetIds, "y");
        nodes.settle();
        assertThat(acks(publisher, PacketType.PUBACK).getLast().reason())
                .isEqualTo(ReasonCode.QUOTA_EXCEEDED);
    }

    /** Of node 1. */
    private Map<Integer, Integer> waiting() {
        AtomicReference<Map<Integer, Integer>> counts = new AtomicReference<>();
        nodes.node(1).part().countWaitingPublishers(counts::set);
        nodes.settle();
        return Objects.requireNonNull(counts.get());
    }

    @Test
    void publisher_that_waits_for_a_node_out_of_reach_is_counted_once_while_it_is_connected() {
        subscriber(2, "durable", 1_000, 1, "t/#");
        subscriber(3, "other durable", 1_000, 1, "u");
        nodes.node(1).linkTo(2).isSlow = true;
        publish(1, "t/1", "on its way");
        assertThat(waiting()).as("the node is there").isEmpty();
        dies(2);
        publish(1, "t/2", "x");
        TestClient retained = nodes.node(1).client("retained", 0);
        retained.send(
                new Packet.Publish(
                        Topic.of("t/r"), 1, false, true, 1, Properties.NONE, new byte[] {'r'}));
        TestClient live = nodes.node(1).client("live", 0);
        live.publish("t/1", 1, 1, "y");
        live.publish("u", 1, 2, "y");
        nodes.settle();
        assertThat(waiting()).containsExactly(Map.entry(2, 3));
        peerTimeout();
        assertThat(waiting()).containsExactly(Map.entry(2, 3));
        live.cut();
        nodes.settle();
        assertThat(waiting()).as("one has gone").containsExactly(Map.entry(2, 2));
        nodes.node(2).restart();
        nodes.settle();
        nodes.pass(500);
        assertThat(waiting()).isEmpty();
        assertThat(answered()).isEqualTo(2);
    }

    @Test
    void publisher_behind_thousands_of_messages_for_a_node_out_of_reach_is_counted() {
        subscriber(2, "durable", 1_000, 1, "t");
        dies(2);
        for (int i = 0; i < 100; i++) {
            TestClient client = nodes.node(1).client("p" + i, 0);
            for (int id = 1; id <= 90; id++) {
                client.publish("t", 1, id, "x");
            }
        }
        nodes.settle();
        assertThat(waiting()).containsExactly(Map.entry(2, 100));
    }

    @Test
    void publisher_that_is_not_read_since_enough_is_kept_for_a_node_out_of_reach_is_counted() {
        subscriber(2, "durable", 1_000, 1, "t");
        dies(2);
        for (int i = 0; i < 90; i++) {
            publisher.publish("t", 1, ++packetIds, "x".repeat(200_000));
            nodes.settle();
        }
        TestClient second = nodes.node(1).client("second", 0);
        TestClient third = nodes.node(1).client("third", 0);
        second.publish("t", 1, 1, "y");
        third.publish("u", 1, 1, "y");
        nodes.settle();
        assertThat(acks(third, PacketType.PUBACK)).hasSize(1);
        assertThat(waiting()).containsExactly(Map.entry(2, 2));
        peerTimeout();
        assertThat(waiting()).containsExactly(Map.entry(2, 2));
        second.cut();
        nodes.settle();
        assertThat(waiting()).containsExactly(Map.entry(2, 1));
    }
}
