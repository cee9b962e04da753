package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.node.TestClient;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.PacketType;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Node 2 leads the sessions of a publisher and of its subscriber. Node 1 takes over the one of the
 * subscriber, which is to get a message that node 2 has not acknowledged.
 */
class UntakenPublishTest {
    private final LoopNodes nodes = new LoopNodes(3, new SplittableRandom(1));
    private final LoopNodes.One taker = nodes.node(1);
    private final LoopNodes.One former = nodes.node(2);

    private static boolean isReceived(TestClient publisher) {
        return publisher.packets().stream().anyMatch(each -> each.type() == PacketType.PUBREC);
    }

    @Test
    void message_of_qos_2_reaches_the_new_leader_before_its_publisher_is_answered() {
        TestClient before = former.client("subscriber", 1_000);
        before.subscribe(1, 2, "t");
        nodes.settle();
        before.cut();
        TestClient other = former.client("other", 1_000);
        other.subscribe(1, 2, "t");
        TestClient publisher = former.client("publisher", 1_000);
        nodes.settle();
        former.store.hold();
        publisher.publish("t", 2, 7, "m");
        nodes.settle();
        assertThat(isReceived(publisher)).isFalse();

        nodes.cut(former, taker);
        String id = former.id("subscriber");
        TestClient after = taker.connectAs(id, false, 1_000);
        BitSet slots = new BitSet();
        slots.set(ClientId.of(id).slot());
        taker.part().slots().takeOver(former.server, slots);
        nodes.settle();
        after.subscribe(1, 2, "t");
        nodes.link(taker, former);
        nodes.pass(1_000);
        assertThat(publisher.isClosed()).isTrue();
        former.store.release();
        nodes.pass(1_000);

        TestClient again = former.connect("publisher", false, 1_000);
        nodes.settle();
        again.publishAgain("t", 2, 7, "m");
        nodes.pass(1_000);
        assertThat(isReceived(again)).isTrue();
        assertThat(after.payloads()).containsExactly("m");
        again.ack(PacketType.PUBREL, 7);
        TestClient otherAgain = former.connect("other", false, 1_000);
        nodes.pass(1_000);
        assertThat(otherAgain.payloads()).hasSize(1);
    }
}
