package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.ack.Takers;
import io.godwit.core.id.IngressId;
import io.godwit.core.node.TestClient;
import io.godwit.core.node.TestNode;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.routing.TopicIndex;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Node 2 adopts sessions of node 1: queues that remember QoS 2 messages, and publishers that may
 * send some again.
 */
class AdoptedPublishesTest {
    private static final int LEADER = 1;
    private static final int SHARDS = 2;

    private final LoopNodes nodes = new LoopNodes(3, new SplittableRandom(1));
    private final List<IngressId> forgotten = new ArrayList<>();

    /** What came in at node 3 first, by shard: its publisher is at one of them. */
    private List<IngressId> candidates = List.of();

    private TestClient publisher = nodes.node(3).client("publisher", 1_000);

    @BeforeEach
    void node_3_has_sent_a_publish_to_node_1() {
        long start = nodes.node(3).start().start();
        candidates =
                List.of(
                        new IngressId(3, IngressId.counter(start, 0) + SHARDS),
                        new IngressId(3, IngressId.counter(start, 1) + SHARDS));
        TestClient subscriber = nodes.node(LEADER).client("subscriber", 1_000);
        subscriber.subscribe(1, 2, "t");
        nodes.settle();
        publisher.publish("t", 2, 7, "m");
        nodes.settle();
        assertThat(publisher.packets()).anyMatch(each -> each.type() == PacketType.PUBREC);
    }

    private void adopt(Set<IngressId> publishes, List<IngressId> remembered) {
        Map<IngressId, Takers> by = new LinkedHashMap<>();
        for (IngressId each : remembered) {
            by.put(
                    each,
                    new Takers(
                            each.server(),
                            each.counter(),
                            (from, server, counter) ->
                                    forgotten.add(new IngressId(server, counter))));
        }
        nodes.node(2)
                .node()
                .execute(
                        TopicIndex.OWNER,
                        () -> nodes.node(2).part().adopted(LEADER, publishes, by));
        nodes.settle();
    }

    private void forget(IngressId inherited) {
        TestNode node = nodes.node(2).node();
        node.execute(
                TopicIndex.OWNER,
                () ->
                        nodes.node(2)
                                .part()
                                .others()
                                .forget(
                                        node.broker().shard(TopicIndex.OWNER),
                                        inherited.server(),
                                        inherited.counter(),
                                        () -> {}));
    }

    private void release() {
        publisher.ack(PacketType.PUBREL, 7);
        nodes.settle();
        assertThat(publisher.packets()).anyMatch(Packet.Ack.class::isInstance);
    }

    @Test
    void publish_of_a_live_node_is_remembered_until_its_publisher_is_done() {
        adopt(Set.of(), candidates);
        nodes.pass(5_000);
        assertThat(forgotten).hasSize(1); // Nobody has published that one.

        release();
        nodes.pass(5_000);

        assertThat(forgotten).containsExactlyInAnyOrderElementsOf(candidates);
    }

    @Test
    void nobody_is_asked_while_the_former_leader_has_not_answered() {
        nodes.node(LEADER).crash();
        nodes.pass(1_000);
        adopt(Set.of(), candidates);
        publisher.publish("t", 2, 8, "waits for node 1");
        nodes.pass(10_000);
        assertThat(forgotten).isEmpty();

        nodes.forget(LEADER);
        nodes.pass(20_000);
        assertThat(forgotten).hasSize(1);

        release();
        nodes.pass(5_000);
        assertThat(forgotten).containsExactlyInAnyOrderElementsOf(candidates);
    }

    @Test
    void publish_that_an_adopted_session_may_send_again_is_over_when_it_says_so() {
        IngressId inherited = new IngressId(3, IngressId.counter(1, 0) + 1_000);
        adopt(Set.of(inherited), List.of(inherited));
        nodes.pass(5_000);
        assertThat(forgotten).isEmpty(); // Node 3 knows that another one says it.

        forget(inherited);
        nodes.pass(5_000);

        assertThat(forgotten).containsExactly(inherited);
    }

    @Test
    void publish_of_the_former_leader_is_remembered_until_it_is_forgotten() {
        IngressId ofLeader = new IngressId(LEADER, IngressId.counter(1, 0) + 1_000);
        nodes.node(LEADER).crash();
        adopt(Set.of(), List.of(ofLeader));
        nodes.pass(20_000);
        assertThat(forgotten).isEmpty();

        nodes.forget(LEADER);
        nodes.pass(20_000);

        assertThat(forgotten).containsExactly(ofLeader);
    }

    /** It may sleep, and send the publish when it wakes up. */
    @Test
    void publish_that_is_over_is_remembered_while_a_member_is_away() {
        IngressId inherited = new IngressId(3, IngressId.counter(1, 0) + 1_000);
        adopt(Set.of(inherited), List.of(inherited));
        nodes.node(LEADER).crash();
        nodes.pass(10_000);
        forget(inherited);
        nodes.pass(20_000);
        assertThat(forgotten).isEmpty();

        nodes.node(LEADER).restart();
        nodes.pass(5_000);

        assertThat(forgotten).containsExactly(inherited);
    }
}
