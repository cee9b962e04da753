package io.godwit.cluster.broker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.publish.LeaderAway;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.metrics.Metric;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Members of a shared group at several nodes are one group. */
class GroupsOverNodesTest extends GroupsFixture {
    @Test
    void a_message_of_a_node_without_members_goes_to_one_of_another() {
        TestClient first = member(1, "first", 2, 0);
        TestClient second = member(2, "second", 2, 0);
        TestClient publisher = publisher(3);
        for (int qos = 0; qos < 3; qos++) {
            List<String> said = publish(publisher, qos, 20);
            assertThat(all(take(first), take(second)))
                    .filteredOn(said::contains)
                    .containsExactlyInAnyOrderElementsOf(said);
        }
        assertThat(first.payloads()).hasSizeGreaterThan(10);
        assertThat(second.payloads()).hasSizeGreaterThan(10);
    }

    /** A member that takes packets of at most so many bytes. */
    private TestClient limitedMember(int node, String id, int packetBytesMax) {
        TestClient client = nodes.node(node).open();
        client.send(
                new Packet.Connect(
                        ProtocolVersion.MQTT_5,
                        ClientId.of(nodes.node(node).id(id)),
                        true,
                        60,
                        null,
                        null,
                        null,
                        false,
                        Properties.builder()
                                .add(Property.MAXIMUM_PACKET_SIZE, packetBytesMax)
                                .build()));
        nodes.settle();
        client.subscribe(1, 2, GROUP);
        nodes.settle();
        return client;
    }

    @Test
    void a_message_goes_to_the_node_whose_member_takes_packets_of_its_size() {
        TestClient tiny = limitedMember(1, "tiny", 13);
        TestClient small = limitedMember(2, "small", 60);
        TestClient here = limitedMember(3, "here", 13);
        for (int qos = 0; qos < 3; qos++) {
            List<String> said = publish(publisher(3), qos, 20);
            assertThat(take(small)).containsAll(said);
            here.cut(); // From now on the publisher's node has no member.
            nodes.settle();
        }
        assertThat(tiny.payloads()).isEmpty();
        assertThat(here.payloads()).isEmpty();
    }

    @Test
    void a_message_too_large_for_all_members_of_all_nodes_is_answered_and_discarded() {
        limitedMember(1, "tiny", 13);
        limitedMember(2, "small", 13);
        TestClient publisher = publisher(3);
        publish(publisher, 1, 10);
        assertThat(acks(publisher, PacketType.PUBACK)).hasSize(10);
        long dropped =
                nodes.nodes.stream()
                        .mapToLong(each -> each.node().count(Metric.DROPPED_TOO_LARGE))
                        .sum();
        assertThat(dropped).isEqualTo(10);
    }

    private void step() {
        nodes.nodes.forEach(each -> each.deliver(1));
        nodes.nodes.forEach(LoopNodes.One::settle);
    }

    /** Settles in steps of one message from node to node, until the SUBACK is there. */
    private void subscribeAlone(TestClient client, int packetId, int qos, String filter) {
        client.subscribe(packetId, qos, filter);
        for (int steps = 0; !hasSubAck(client, packetId) && steps < 100; steps++) {
            step();
        }
        assertThat(hasSubAck(client, packetId)).isTrue();
    }

    private static boolean hasSubAck(TestClient client, int packetId) {
        return client.packets().stream()
                .anyMatch(packet ->
                        packet instanceof Packet.SubAck subAck && subAck.packetId() == packetId);
    }

    /** Also where the group was there before, with nobody whom messages are kept for. */
    @Test
    void who_publishes_at_another_node_right_behind_the_suback_reaches_the_member() {
        for (int i = 1; i <= 6; i++) {
            String group = "$share/g" + i + "/jobs/+";
            TestClient keepsNothing = nodes.node(1).connect("keeps nothing " + i, false, 1_000);
            nodes.settle();
            keepsNothing.subscribe(1, 0, group);
            nodes.settle();
            keepsNothing.cut();
            nodes.settle();
            TestClient member = nodes.node(1).connect("member" + i, true, 0);
            TestClient publisher = publisher(3);
            subscribeAlone(member, 1, i % 3, group);
            publisher.publish("jobs/1", 1, 1, "text");
            nodes.node(3).settle();
            nodes.settle();
            assertThat(take(member)).containsExactly("text");
            member.cut();
            publisher.cut();
            nodes.settle();
        }
    }

    @Test
    void a_member_of_the_publishers_node_comes_before_others() {
        TestClient here = member(1, "here", 1, 0);
        TestClient there = member(2, "there", 1, 0);
        assertThat(publish(publisher(1), 1, 10)).isEqualTo(take(here));
        assertThat(there.payloads()).isEmpty();
    }

    @Test
    void a_session_of_the_same_node_gets_it_besides() {
        TestClient member = member(1, "member", 1, 0);
        TestClient other = member(2, "other", 1, 0);
        TestClient alone = nodes.node(1).connect("alone", true, 0);
        nodes.settle();
        alone.subscribe(1, 1, "jobs/#");
        nodes.settle();
        List<String> said = publish(publisher(3), 1, 10);
        assertThat(take(alone)).isEqualTo(said);
        assertThat(all(take(member), take(other))).containsExactlyInAnyOrderElementsOf(said);
    }

    @Test
    void what_is_retained_is_published_to_one_member_too() {
        TestClient first = member(1, "first", 1, 0);
        TestClient second = member(2, "second", 1, 0);
        TestClient publisher = publisher(3);
        publisher.send(
                new Packet.Publish(
                        Topic.of("jobs/1"),
                        1,
                        false,
                        true,
                        7,
                        Properties.NONE,
                        "kept".getBytes(UTF_8)));
        nodes.settle();
        assertThat(all(take(first), take(second))).containsExactly("kept");
        assertThat(acks(publisher, PacketType.PUBACK)).containsExactly(7);
    }

    @Test
    void while_nobody_is_online_messages_wait_at_the_publishers_node_if_a_member_was_there() {
        TestClient here = member(1, "here", 1, 1_000);
        TestClient there = member(2, "there", 1, 1_000);
        here.cut();
        there.cut();
        nodes.settle();
        TestClient publisher = publisher(1);
        List<String> said = publish(publisher, 1, 10);
        assertThat(acks(publisher, PacketType.PUBACK)).hasSize(10);
        TestClient back = nodes.node(1).connect("here", false, 1_000);
        nodes.settle();
        assertThat(take(back)).isEqualTo(said);
    }

    private boolean isOnItsWay() {
        return nodes.nodes.stream()
                .flatMap(each -> each.links.values().stream())
                .anyMatch(link -> !link.sent(TrafficClass.PUBLISHES).isEmpty());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void qos_0_message_is_dropped_while_all_members_of_all_nodes_are_offline(int at) {
        member(1, "first", 1, 1_000).cut();
        member(2, "second", 1, 1_000).cut();
        TestClient publisher = publisher(at);
        publisher.publish("jobs/1", 0, 0, "text");
        for (int steps = 0; steps < 100; steps++) {
            step();
        }
        assertThat(isOnItsWay()).isFalse();
        long dropped =
                nodes.nodes.stream()
                        .mapToLong(each -> each.node().count(Metric.DROPPED_QOS0_OFFLINE))
                        .sum();
        assertThat(dropped).isEqualTo(1);
    }

    @Test
    void what_waits_goes_to_the_node_where_a_member_is_online() {
        TestClient here = member(1, "here", 1, 1_000);
        here.cut();
        nodes.settle();
        List<String> said = publish(publisher(1), 1, 300);
        TestClient there = member(2, "there", 1, 1_000);
        List<String> come = new ArrayList<>();
        int seen = 0;
        for (int i = 0; i < 20 && come.size() < said.size(); i++) {
            nodes.pass(1_000);
            List<String> now = take(there);
            come.addAll(now.subList(seen, now.size()));
            seen = now.size();
        }
        assertThat(come).isEqualTo(said);
        nodes.pass(1_000);
        TestClient back = nodes.node(1).connect("here", false, 1_000);
        nodes.settle();
        assertThat(back.payloads()).isEmpty();
    }

    @Test
    void what_the_last_member_of_a_node_has_not_acknowledged_goes_to_another() {
        TestClient here = member(1, "here", 1, 0);
        List<String> said = publish(publisher(1), 1, 5);
        assertThat(here.payloads()).isEqualTo(said);
        TestClient there = member(2, "there", 1, 0);
        here.cut();
        nodes.settle();
        assertThat(take(there)).isEqualTo(said);
    }

    @Test
    void what_is_on_its_way_to_a_node_whose_members_leave_goes_on() {
        TestClient here = member(1, "here", 1, 0);
        TestClient there = member(2, "there", 1, 0);
        TestClient publisher = publisher(3);
        for (int i = 1; i <= 10; i++) {
            publisher.publish("jobs/1", 1, i, "text " + i);
        }
        nodes.node(3).settle();
        here.cut();
        nodes.node(1).settle();
        nodes.settle();
        assertThat(here.payloads()).isEmpty();
        assertThat(take(there)).hasSize(10).doesNotHaveDuplicates();
        assertThat(acks(publisher, PacketType.PUBACK)).hasSize(10);
    }

    @Test
    void a_node_that_is_away_is_passed_over() {
        TestClient first = member(1, "first", 1, 0);
        TestClient second = member(2, "second", 1, 0);
        TestClient publisher = publisher(3);
        nodes.cut(nodes.node(1), nodes.node(3));
        nodes.pass(2_000);
        List<String> said = publish(publisher, 1, 10);
        assertThat(take(second)).isEqualTo(said);
        assertThat(first.payloads()).isEmpty();
        assertThat(acks(publisher, PacketType.PUBACK)).hasSize(10);
    }

    @Test
    void what_is_published_while_the_only_member_connects_to_another_node_comes_to_it() {
        TestClient here = member(1, "member", 1, 1_000);
        TestClient publisher = publisher(3);
        TestClient there = nodes.node(2).connect("member", false, 1_000);
        List<String> said = new ArrayList<>();
        for (int i = 1; i <= 60; i++) {
            nodes.node(2).settle();
            step();
            publisher.publish("jobs/1", 1, i, "text " + i);
            said.add("text " + i);
            nodes.node(3).settle();
        }
        nodes.settle();
        assertThat(acks(publisher, PacketType.PUBACK)).hasSize(60);
        nodes.pass(10_000);
        assertThat(all(here.payloads(), take(there))).containsAll(said);
        assertThat(there.payloads()).doesNotHaveDuplicates();
    }

    /** Who has the members now has not told yet. */
    @Test
    void what_comes_to_a_node_that_has_just_started_waits_until_all_have_told() {
        member(1, "member", 1, 0);
        TestClient publisher = publisher(3);
        nodes.node(1).crash();
        List<String> said = publish(publisher, 1, 10);
        assertThat(acks(publisher, PacketType.PUBACK)).isEmpty();
        nodes.node(1).begin();
        nodes.link(nodes.node(1), nodes.node(3));
        nodes.pass(1_000);
        assertThat(acks(publisher, PacketType.PUBACK)).isEmpty();
        TestClient there = member(2, "other", 1, 1_000);
        nodes.link(nodes.node(1), nodes.node(2));
        nodes.pass(1_000);
        assertThat(acks(publisher, PacketType.PUBACK)).hasSize(10);
        assertThat(take(there)).containsExactlyInAnyOrderElementsOf(said);
    }

    @Test
    void who_may_be_refused_is_refused_when_all_nodes_with_members_are_away() {
        nodes = new LoopNodes(3, new SplittableRandom(1), LeaderAway.REFUSE);
        member(1, "first", 1, 1_000);
        TestClient second = member(2, "second", 1, 1_000);
        TestClient publisher = publisher(3);
        nodes.cut(nodes.node(1), nodes.node(3));
        nodes.pass(2_000);
        List<String> said = publish(publisher, 1, 2);
        assertThat(take(second)).isEqualTo(said);
        nodes.cut(nodes.node(2), nodes.node(3));
        nodes.pass(2_000);
        publish(publisher, 1, 1);
        assertThat(reasons(publisher))
                .containsExactly(ReasonCode.SUCCESS, ReasonCode.SUCCESS, ReasonCode.QUOTA_EXCEEDED);
    }

    private static List<ReasonCode> reasons(TestClient publisher) {
        return publisher.packets().stream()
                .filter(packet -> packet instanceof Packet.Ack)
                .map(packet -> ((Packet.Ack) packet).reason())
                .toList();
    }
}
