package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.load.MemoryClass;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.PacketType;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * What has waited in a shared group went to a node whose member had just left, and on from there;
 * and that node starts anew before it has passed on that the message is over.
 */
class RelayThatStartsAnewTest extends GroupsFixture {
    @SuppressWarnings("NullAway.Init") // each test sets it
    private List<String> said;

    @SuppressWarnings("NullAway.Init") // each test sets it
    private TestClient taker;

    /** It has waited at node 1, and the member at node 2 that it goes to leaves. */
    private void onItsWayToNode2() {
        TestClient here = member(1, "here", 2, 1_000);
        here.cut();
        nodes.settle();
        said = publish(publisher(1), 2, 1);
        slow(1, 2, true);
        TestClient leaves = member(2, "leaves", 2, 0);
        nodes.pass(1_000);
        leaves.cut();
        nodes.settle();
    }

    /**
     * From node 1, by way of node 2, to a member elsewhere.
     *
     * @param isOver whether node 1 keeps that it is there; node 2 does not hear of that
     */
    private void byWayOfNode2(int to, boolean isOver) {
        onItsWayToNode2();
        taker = member(to, "taker", 2, 0);
        assertThat(take(taker)).isEmpty();
        if (!isOver) {
            nodes.node(1).store.hold();
        }
        slow(1, 2, false);
        nodes.node(2).deliver(10);
        slow(1, 2, true);
        nodes.settle();
        assertThat(take(taker)).isEqualTo(said);
    }

    /** Publishes of a node to another one, and what it says is over. */
    private void slow(int from, int to, boolean are) {
        Objects.requireNonNull(nodes.node(from).links.get(to)).isSlow = are;
    }

    private void node2StartsAnew() {
        nodes.node(2).crash();
        nodes.node(2).restart();
        nodes.pass(5_000);
    }

    private void nobodyRemembersIt() {
        nodes.pass(5_000);
        assertThat(take(taker)).isEqualTo(said);
        acks(taker, PacketType.PUBREL).forEach(id -> taker.ack(PacketType.PUBCOMP, id));
        nodes.pass(20_000);
        for (LoopNodes.One each : nodes.nodes) {
            assertThat(each.store.state().rows()).isZero();
            assertThat(each.node().broker().context().load().memory().account(MemoryClass.INGRESS))
                    .as("node %s", each.server)
                    .isZero();
        }
    }

    @Test
    void when_it_is_over_already() {
        byWayOfNode2(3, true);
        node2StartsAnew();
        nobodyRemembersIt();
    }

    @Test
    void when_it_is_over_later() {
        byWayOfNode2(3, false);
        node2StartsAnew();
        nodes.node(1).store.release();
        nobodyRemembersIt();
    }

    /** Cluster seed 2580. */
    @Test
    void when_it_has_come_back_and_is_over() {
        byWayOfNode2(1, true);
        node2StartsAnew();
        nobodyRemembersIt();
    }

    /** Cluster seed 3685: node 1 sends it once more, and it goes on from node 2 once more. */
    @Test
    void who_has_got_it_does_not_get_it_again() {
        TestClient leaves = member(2, "leaves", 2, 0);
        TestClient publisher = publisher(1);
        slow(1, 2, true);
        said = List.of("job");
        publisher.publish("jobs/1", 2, 1, "job");
        nodes.settle();
        leaves.cut();
        taker = member(3, "taker", 2, 0);
        nodes.node(1).slowFrom = 2;
        slow(1, 2, false);
        nodes.settle();
        assertThat(take(taker)).isEqualTo(said);
        assertThat(acks(publisher, PacketType.PUBREC)).isEmpty();
        node2StartsAnew();
        nodes.node(1).slowFrom = 0;
        nodes.settle();
        assertThat(acks(publisher, PacketType.PUBREC)).containsExactly(1);
        publisher.ack(PacketType.PUBREL, 1);
        nobodyRemembersIt();
    }

    /** Who is to have it is at node 2 again when it comes to node 3. */
    @Test
    void what_comes_round_is_not_held_for_what_came_before() {
        onItsWayToNode2();
        TestClient leaves = member(3, "leaves too", 2, 0);
        slow(2, 3, true);
        slow(1, 2, false);
        nodes.settle();
        leaves.cut();
        nodes.settle();
        taker = member(2, "taker", 2, 0);
        slow(2, 3, false);
        nobodyRemembersIt();
    }
}
