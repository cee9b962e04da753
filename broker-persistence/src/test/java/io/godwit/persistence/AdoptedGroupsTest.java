package io.godwit.persistence;

import static io.godwit.persistence.AdoptingNode.publishes;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.node.SettableTime;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.StoreMetric;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A node takes up the copies that it has of another node's queues of shared groups. */
class AdoptedGroupsTest {
    private static final String GROUP = "$share/g/t";

    private final SettableTime time = new SettableTime();
    private AdoptingNode leader = new AdoptingNode(AdoptingNode.LEADER, time);
    private AdoptingNode node = new AdoptingNode(AdoptingNode.FOLLOWER, time);

    private static TestClient member(AdoptingNode at, String id, int qos, int receiveMaximum) {
        TestClient client = at.connect(id, receiveMaximum);
        client.subscribe(1, qos, GROUP);
        at.settle();
        return client;
    }

    private static List<String> publish(AdoptingNode at, int qos, int first, int count) {
        List<String> all = IntStream.range(first, first + count).mapToObj(i -> "m" + i).toList();
        all.forEach(each -> at.publish("t", qos, each));
        return all;
    }

    /** Acknowledges all that comes, and returns it. */
    private static List<String> takeAll(AdoptingNode at, TestClient client) {
        for (int i = 0; i < publishes(client).size(); i++) {
            Packet.Publish each = publishes(client).get(i);
            if (each.qos() == 1) {
                client.ack(PacketType.PUBACK, each.packetId());
            } else {
                client.ack(PacketType.PUBREC, each.packetId());
                at.settle();
                client.ack(PacketType.PUBCOMP, each.packetId());
            }
            at.settle();
        }
        return client.payloads();
    }

    private void takeOver() {
        node.follow(leader);
        node.adopt(leader);
        node.adoptGroups(leader);
    }

    private void assertNothingIsLeft() {
        node.settle();
        node.store.endWindow();
        node.settle();
        assertThat(node.store.value(StoreMetric.QUEUED)).isZero();
        assertThat(node.store.value(StoreMetric.COPIES)).isZero();
    }

    @Test
    void messages_that_waited_in_a_group_go_to_its_members_at_the_new_leader() {
        leader.cut(member(leader, "m", 2, 0));
        List<String> sent = new ArrayList<>(publish(leader, 2, 0, 20));
        sent.addAll(publish(leader, 1, 20, 20));
        takeOver();

        assertThat(takeAll(node, node.connect("m", 0))).containsExactlyInAnyOrderElementsOf(sent);
        assertNothingIsLeft();
    }

    @Test
    void adopted_messages_outlive_a_start_and_go_beside_those_of_the_node_itself() {
        leader.cut(member(leader, "m", 2, 0));
        List<String> sent = new ArrayList<>(publish(leader, 2, 0, 20));
        node.cut(member(node, "own", 2, 0));
        sent.addAll(publish(node, 2, 20, 20));
        takeOver();
        node = node.afterCrash();

        assertThat(takeAll(node, node.connect("own", 0))).containsExactlyInAnyOrderElementsOf(sent);
        assertNothingIsLeft();
    }

    @Test
    void message_that_a_durable_member_had_in_flight_waits_again() {
        TestClient member = member(leader, "m", 2, 2);
        List<String> sent = new ArrayList<>(publish(leader, 2, 0, 3));
        assertThat(member.payloads()).hasSize(2);
        takeOver();

        assertThat(takeAll(node, node.connect("m", 0))).containsExactlyInAnyOrderElementsOf(sent);
    }

    @Test
    void message_that_its_member_has_got_comes_to_nobody_else() {
        TestClient member = member(leader, "m", 2, 2);
        publish(leader, 2, 0, 1);
        int packetId = publishes(member).getFirst().packetId();
        member.ack(PacketType.PUBREC, packetId);
        leader.settle();
        takeOver();

        TestClient again = node.connect("m", 0);
        assertThat(again.payloads()).isEmpty();
        assertThat(again.packets())
                .filteredOn(each -> each.type() == PacketType.PUBREL)
                .extracting(each -> ((Packet.Ack) each).packetId())
                .containsExactly(packetId);
    }

    @Test
    void adopted_queues_are_adopted_once() {
        leader.cut(member(leader, "m", 2, 0));
        List<String> sent = publish(leader, 2, 0, 5);
        takeOver();
        node.adoptGroups(leader);

        assertThat(takeAll(node, node.connect("m", 0))).containsExactlyInAnyOrderElementsOf(sent);
    }

    @Test
    void queues_that_another_node_has_adopted_are_served_no_more_and_their_groups_begin_anew() {
        leader.cut(member(leader, "m", 2, 0));
        publish(leader, 2, 0, 20);
        leader = leader.afterCrash();
        leader.giveUpGroups(node);
        List<String> later = publish(leader, 2, 20, 20);
        leader = leader.afterCrash();

        TestClient again = leader.connect("m", 0);
        assertThat(takeAll(leader, again)).containsExactlyInAnyOrderElementsOf(later);
        leader.settle();
        leader.store.endWindow();
        leader.settle();
        assertThat(leader.store.value(StoreMetric.QUEUED)).as("they are on the disk").isEqualTo(20);
    }

    @Test
    void member_of_a_group_whose_queues_were_given_up_has_its_credit_back() {
        TestClient member = member(leader, "m", 2, 2);
        publish(leader, 2, 0, 4);
        leader.giveUpGroups(node);
        List<String> later = publish(leader, 2, 4, 4);
        assertThat(member.payloads()).hasSize(2);

        assertThat(takeAll(leader, member)).hasSize(6).containsAll(later);
    }

    /** A message comes from a node that had sent it to the former leader for the group. */
    private void comesAgain(IngressId id, String text) {
        Message message =
                new Message(
                        Topic.of("t"),
                        text.getBytes(StandardCharsets.UTF_8),
                        new byte[0],
                        2,
                        false,
                        Message.NEVER,
                        null,
                        id.server(),
                        id.counter());
        Receipt receipt = new Receipt(null, 0, 2);
        BrokerShard shard = node.node.broker().shard(0);
        shard.execute(() -> {
            shard.router().shared().arrivedAgain(TopicFilter.of(GROUP), message, receipt);
            receipt.targetDone(true);
        });
        node.settle();
        assertThat(receipt.isDone()).isTrue();
    }

    @Test
    void message_that_an_adopted_queue_has_had_goes_to_nobody_when_its_source_sends_it_here() {
        leader.cut(member(leader, "m", 2, 0));
        TestClient publisher = leader.connect("p", true, 0, 0, null);
        publisher.publish("t", 2, 5, "once");
        leader.settle();
        takeOver();
        IngressId id = node.cluster.remembered.keySet().iterator().next();
        TestClient member = node.connect("m", 0);
        assertThat(takeAll(node, member)).containsExactly("once");

        comesAgain(id, "once");
        comesAgain(new IngressId(id.server(), id.counter() + 1), "other");

        assertThat(takeAll(node, member)).containsExactly("once", "other");
    }
}
