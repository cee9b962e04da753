package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.leadership.Epoch;
import io.godwit.cluster.leadership.SlotLeaders;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ReasonCode;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clients when node 1 takes over the slots that node 2 leads, which is only taken for dead. */
class TakenFromTest {
    private final LoopNodes nodes = new LoopNodes(3, new SplittableRandom(1));
    private final LoopNodes.One taker = nodes.node(1);
    private final LoopNodes.One former = nodes.node(2);
    private final LoopNodes.One edge = nodes.node(3);

    private final TestClient durable = former.client("durable", 3_600);
    private final TestClient passing = former.client("passing", 0);
    private TestClient piped;
    private TestClient other;

    @BeforeEach
    void connect() {
        piped = edge.connectAs(former.id("piped"), true, 3_600);
        other = edge.connectAs(edge.id("other"), true, 3_600);
        nodes.settle();
    }

    private static boolean isToldThatTheServerEnds(TestClient client) {
        return client.packets().getLast() instanceof Packet.Disconnect disconnect
                && disconnect.reason() == ReasonCode.SERVER_SHUTTING_DOWN;
    }

    /**
     * They are copies of the new leader's, or set aside where that one has given the slot back: it
     * has no copies here.
     */
    private void assertSessionsHaveLeft() {
        nodes.pass(2_000);
        long aside = former.part().slots().sessionsAside();
        assertThat(former.store.state().sessions()).isEqualTo((int) aside);
    }

    private void takeOver() {
        SlotLeaders leaders = taker.part().slots().leaders();
        BitSet slots = new BitSet();
        for (int slot = 0; slot < leaders.size(); slot++) {
            Epoch epoch = leaders.epoch(slot);
            slots.set(slot, epoch != null && epoch.server() == former.server);
        }
        taker.part().slots().takeOver(former.server, slots);
    }

    @Test
    void clients_of_a_node_that_was_taken_over_from_are_closed_and_its_sessions_leave_it() {
        takeOver();
        nodes.settle();
        for (TestClient each : new TestClient[] {durable, passing, piped}) {
            assertThat(each.isClosed()).isTrue();
        }
        assertThat(isToldThatTheServerEnds(passing)).isTrue();
        assertThat(other.isClosed()).isFalse();
        assertSessionsHaveLeft();
    }

    @Test
    void an_edge_closes_clients_of_a_former_leader_that_cannot_say_so() {
        nodes.cut(former, taker);
        nodes.cut(former, edge);
        takeOver();
        nodes.settle();
        assertThat(piped.isClosed()).isTrue();
        assertThat(durable.isClosed()).as("its node does not know").isFalse();

        nodes.link(taker, former);
        nodes.link(former, edge);
        nodes.settle();
        assertThat(durable.isClosed()).isTrue();
        assertSessionsHaveLeft();
    }

    @Test
    void a_client_is_served_by_the_new_leader_when_it_connects_again() {
        nodes.cut(former, taker);
        nodes.cut(former, edge);
        takeOver();
        nodes.settle();
        TestClient again = edge.connectAs(former.id("piped"), false, 3_600);
        nodes.pass(6_000);
        assertThat(again.packets().getFirst())
                .isInstanceOfSatisfying(
                        Packet.ConnAck.class, each -> assertThat(each.code()).isZero());
        assertThat(again.isClosed()).isFalse();
    }
}
