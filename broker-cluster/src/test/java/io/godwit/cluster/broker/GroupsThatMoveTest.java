package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.load.MemoryClass;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import java.util.List;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

/** What a member of a shared group has not answered, or a group keeps, goes on at another node. */
@Disabled("needs remote connections")
class GroupsThatMoveTest extends GroupsFixture {
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
    void what_a_member_has_not_answered_at_qos_2_goes_with_its_session() {
        TestClient here = member(1, "member", 2, 1_000);
        publish(publisher(3), 2, 1);
        Packet.Publish sent = onlyPublish(here);
        here.cut();
        nodes.settle();
        answersAt(2, sent);
    }

    @Test
    void what_a_member_had_before_a_restart_at_qos_2_goes_with_its_session() {
        TestClient here = member(1, "member", 2, 1_000);
        publish(publisher(3), 2, 1);
        Packet.Publish sent = onlyPublish(here);
        nodes.node(1).crash();
        nodes.node(1).restart();
        nodes.settle();
        answersAt(2, sent);
    }

    /** Its new home asks for pages, and sends what comes directly meanwhile. */
    @Test
    void the_packet_id_of_a_message_that_a_member_has_got_is_not_given_again() {
        TestClient here = member(1, "member", 2, 1_000);
        here.subscribe(2, 2, "own");
        publish(publisher(3), 2, 1);
        Packet.Publish sent = onlyPublish(here);
        here.ack(PacketType.PUBREC, sent.packetId());
        nodes.node(1).settle();
        here.cut();
        nodes.settle();
        TestClient there = nodes.node(2).connect("member", false, 1_000);
        TestClient publisher = publisher(2);
        publisher.publish("own", 2, 1, "direct");
        nodes.settle();
        assertThat(acks(there, PacketType.PUBREL)).containsExactly(sent.packetId());
        assertThat(there.payloads()).containsExactly("direct");
        assertThat(onlyPublish(there).packetId()).isNotEqualTo(sent.packetId());
    }

    /** All members have gone to another node, and what waited for them was on its way there. */
    @Test
    void what_waits_where_no_member_is_any_more_outlives_a_restart() {
        TestClient member = member(1, "member", 1, 1_000);
        member.cut();
        nodes.settle();
        List<String> said = publish(publisher(1), 1, 300);
        nodes.node(1).links.values().forEach(each -> each.isFull = true);
        TestClient there = nodes.node(2).connect("member", false, 1_000);
        nodes.pass(10_000);
        assertThat(nodes.node(1).store.state().sessions()).isZero();
        nodes.node(1).crash();
        there.cut();
        nodes.node(1).restart();
        nodes.settle();
        assertThat(takeAll(1, said.size())).containsExactlyInAnyOrderElementsOf(said);
    }

    /** All that the member gets at that node, until it is so much. */
    private List<String> takeAll(int node, int count) {
        TestClient member = nodes.node(node).connect("member", false, 1_000);
        nodes.settle();
        for (int i = 0; i < 100 && take(member).size() < count; i++) {
            nodes.pass(1_000);
        }
        return member.payloads();
    }

    /** All members have gone, and who has joined since keeps nothing: others do, and forget it. */
    @Test
    void what_waits_where_nobody_is_a_member_who_keeps_it_goes_to_another_node_as_its_own() {
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
