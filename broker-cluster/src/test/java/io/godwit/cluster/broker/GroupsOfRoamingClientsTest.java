package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.load.MemoryClass;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A member of a shared group connects to another node, and what it had in flight comes again. */
class GroupsOfRoamingClientsTest extends GroupsFixture {
    private static Packet.Publish onlyPublish(TestClient client) {
        List<Packet.Publish> all =
                client.packets().stream()
                        .filter(Packet.Publish.class::isInstance)
                        .map(Packet.Publish.class::cast)
                        .toList();
        assertThat(all).hasSize(1);
        return all.getFirst();
    }

    /** Client and session know it by its packet id; nobody else may get it [MQTT-4.8.2-4]. */
    private void answersAt(int node, Packet.Publish sent) {
        TestClient there = nodes.node(node).connect("member", false, 1_000);
        nodes.settle();
        Packet.Publish again = onlyPublish(there);
        assertThat(again.payload()).isEqualTo(sent.payload());
        assertThat(again.packetId()).isEqualTo(sent.packetId());
        there.ack(PacketType.PUBREC, again.packetId());
        nodes.settle();
        assertThat(acks(there, PacketType.PUBREL)).containsExactly(again.packetId());
        there.ack(PacketType.PUBCOMP, again.packetId());
        nodes.pass(10_000);
        there.cut();
        TestClient back = nodes.node(1).connect("member", false, 1_000);
        nodes.pass(10_000);
        assertThat(back.payloads()).isEmpty();
        assertThat(nodes.nodes).allMatch(each -> each.store.state().rows() == 0);
    }

    @Test
    void message_of_qos_2_that_a_member_has_not_answered_comes_again_to_it_at_another_node() {
        TestClient here = member(1, "member", 2, 1_000);
        publish(publisher(3), 2, 1);
        Packet.Publish sent = onlyPublish(here);
        here.cut();
        nodes.settle();
        answersAt(2, sent);
    }

    @Test
    void message_of_qos_2_from_before_a_restart_comes_again_to_its_member_at_another_node() {
        TestClient here = member(1, "member", 2, 1_000);
        publish(publisher(3), 2, 1);
        Packet.Publish sent = onlyPublish(here);
        nodes.node(1).crash();
        nodes.node(1).restart();
        nodes.settle();
        answersAt(2, sent);
    }

    /**
     * It was on its way to a member when the leader gave the node up that this one is connected to,
     * and reaches it all the same when that node runs again: before it is told that its connection
     * was lost.
     */
    @Test
    void message_of_qos_1_on_its_way_by_a_node_that_does_not_run_comes_to_another_member_too() {
        LoopNodes.One leader = nodes.node(1);
        LoopNodes.One edge = nodes.node(2);
        leader.id("member");
        TestClient behind = member(2, "member", 1, 1_000);
        TestClient other = member(1, "other", 1, 1_000);
        TestClient publisher = publisher(1);
        edge.isPaused = true;
        List<String> said = publish(publisher, 1, 4);
        assertThat(take(other)).isNotEmpty().isNotEqualTo(said);
        LoopLink toEdge = leader.linkTo(2);
        toEdge.isDown = true;
        leader.part().onDown(toEdge, List.of());
        nodes.pass(5_000);
        assertThat(take(other)).containsExactlyInAnyOrderElementsOf(said);

        edge.isPaused = false;
        nodes.settle();
        assertThat(behind.payloads()).isNotEmpty();
        assertThat(behind.isClosed()).isFalse();
        leader.links.remove(2);
        LoopLink toLeader = Objects.requireNonNull(edge.links.remove(1));
        toLeader.isDown = true;
        edge.part().onDown(toLeader, toLeader.unconfirmed());
        nodes.link(leader, edge);
        nodes.pass(1_000);
        assertThat(behind.isClosed()).isTrue();
        assertThat(nodes.node(3).connect("member", false, 1_000).payloads()).isEmpty();
    }

    /** All members have gone, and who has joined since keeps nothing: others do, and forget it. */
    @Test
    void messages_of_a_group_go_to_another_node_where_a_member_keeps_them() {
        member(2, "there", 2, 1_000).cut();
        member(1, "here", 2, 1_000).cut();
        nodes.settle();
        List<String> said = publish(publisher(1), 2, 10);
        nodes.node(2).crash();
        nodes.pass(2_000);
        nodes.node(1).connect("here", true, 0);
        nodes.settle();
        member(1, "keeps nothing", 0, 1_000).cut();
        nodes.pass(5_000);
        nodes.node(2).restart();
        nodes.pass(5_000);
        TestClient there = nodes.node(2).connect("there", false, 1_000);
        nodes.settle();
        assertThat(take(there)).containsExactlyInAnyOrderElementsOf(said);
        acks(there, PacketType.PUBREL).forEach(id -> there.ack(PacketType.PUBCOMP, id));
        nodes.pass(20_000);
        assertThat(nodes.nodes).allMatch(each -> each.store.state().rows() == 0);
        assertThat(nodes.nodes).allMatch(each -> remembered(each) == 0);
    }

    private static long remembered(LoopNodes.One at) {
        return at.node().broker().context().load().memory().account(MemoryClass.INGRESS);
    }
}
