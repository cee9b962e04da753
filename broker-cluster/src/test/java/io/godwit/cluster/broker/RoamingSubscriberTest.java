package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.node.TestClient;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A client connects to one node after the other while publishes are slower than all else. */
class RoamingSubscriberTest extends RoamingFixture {
    /** Its client subscribes at a node, and others at all nodes. */
    private void begin(int leader, int first) {
        this.leader = leader;
        for (int each = 1; each <= 3; each++) {
            nodes.node(each).connect("other" + each, false, 3600).subscribe(1, 1, "t");
        }
        connect(first, 3600).subscribe(1, 1, "t");
        nodes.settle();
    }

    /** Publishes of node 3 are much slower to the others than all else. */
    private void slow(boolean isSlow) {
        nodes.node(3).linkTo(1).isSlow = isSlow;
        nodes.node(3).linkTo(2).isSlow = isSlow;
    }

    @ParameterizedTest(name = "session at node {0}, client at {1}, {2}, {3} and {4}")
    @CsvSource({
        "1, 1, 3, 1, 3",
        "1, 2, 1, 3, 2",
        "2, 2, 3, 1, 3",
        "2, 1, 3, 2, 1",
        "3, 1, 2, 3, 2"
    })
    void client_that_goes_from_node_to_node_gets_messages_in_order(
            int leader, int first, int second, int third, int last) {
        begin(leader, first);
        slow(true);
        publish(1);
        connect(second, 3600);
        publish(1);
        connect(third, 3600);
        TestClient back = connect(last, 3600);
        publish(1);
        assertThat(connAck(back).sessionPresent()).isTrue();
        slow(false);
        nodes.pass(10_000);
        assertThat(acknowledged()).isEqualTo(3);
        acknowledgeAll(back);
        assertThat(back.payloads()).containsExactly("m1", "m2", "m3");
        nodes.pass(20_000);
        assertThat(queuedBytes()).isZero();
    }

    @ParameterizedTest(name = "session at node {0}, node {1} starts anew")
    @CsvSource({"1, 1", "1, 2", "2, 1", "2, 2"})
    void client_gets_messages_in_order_when_a_node_has_started_anew(int leader, int restarted) {
        nodes = new LoopNodes(3, new SplittableRandom(leader));
        publisher = nodes.node(3).connect("p", true, 0);
        begin(leader, 1);
        nodes.node(3).linkTo(leader).isSlow = true;
        publish(1);
        connect(2, 3600);
        publish(1);
        nodes.node(restarted).crash();
        nodes.node(restarted).restart();
        nodes.node(3).linkTo(leader).isSlow = true;
        nodes.pass(500);
        TestClient back = connect(2, 3600);
        publish(1);
        assertThat(connAck(back).sessionPresent()).isTrue();
        nodes.node(3).linkTo(leader).isSlow = false;
        nodes.pass(10_000);
        assertThat(back.payloads()).containsExactly("m1", "m2", "m3");
        assertThat(acknowledged()).isEqualTo(3);
    }
}
