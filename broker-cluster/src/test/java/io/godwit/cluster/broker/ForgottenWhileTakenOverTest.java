package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Node 1 is dead, and messages of node 2 wait for its sessions. Node 3 takes over from it, and node
 * 1 is forgotten before node 2 has heard that the sessions are loaded.
 */
class ForgottenWhileTakenOverTest {
    /** Enough that their slots are not all of one node once node 1 is forgotten. */
    private static final int CLIENTS = 12;

    private final LoopNodes nodes = new LoopNodes(4, new SplittableRandom(1));
    private final LoopNodes.One gone = nodes.node(1);
    private final LoopNodes.One source = nodes.node(2);
    private final LoopNodes.One taker = nodes.node(3);
    private final TestClient publisher = source.client("publisher", 0);
    private final List<TestClient> subscribers = new ArrayList<>();

    @BeforeEach
    void connect() {
        for (int i = 0; i < CLIENTS; i++) {
            gone.subscriber("s" + i, "t/" + i).cut();
        }
        nodes.settle();
        gone.crash();
        nodes.pass(2_000);
        for (int i = 0; i < CLIENTS; i++) {
            subscribers.add(taker.connectAs(gone.id("s" + i), false, 3_600));
        }
        nodes.settle();
    }

    /** Holds back what the new leader says to node 2 until {@link #hear}. */
    private void takeOver() {
        taker.linkTo(source.server).isSharedSlow = true;
        taker.part().slots().takeOver(1, taker.part().slots().leaders().ledBy(1));
        nodes.settle();
        for (int i = 0; i < CLIENTS; i++) {
            subscribers.get(i).subscribe(1, 2, "t/" + i);
        }
        nodes.settle();
    }

    private void hear() {
        taker.linkTo(source.server).isSharedSlow = false;
        nodes.pass(500);
    }

    private void publish(int qos, int from) {
        for (int i = 0; i < CLIENTS; i++) {
            publisher.publish("t/" + i, qos, from + i, "m" + (from + i));
        }
        nodes.pass(500);
    }

    private void assertReceived(int... from) {
        for (int i = 0; i < CLIENTS; i++) {
            int client = i;
            assertThat(subscribers.get(i).payloads())
                    .containsExactlyElementsOf(
                            IntStream.of(from).mapToObj(each -> "m" + (each + client)).toList());
        }
    }

    private List<Integer> acknowledged() {
        return publisher.packets().stream()
                .filter(each ->
                        each.type() == PacketType.PUBACK || each.type() == PacketType.PUBREC)
                .map(each -> ((Packet.Ack) each).packetId())
                .toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void messages_go_to_the_new_leader_when_its_take_over_is_known(int qos) {
        publish(qos, 100);
        takeOver(); // Node 4 tells node 2 who leads.
        nodes.forget(gone.server);
        publish(qos, 200);
        assertThat(acknowledged()).isEmpty();

        hear();
        assertReceived(100, 200);
        assertThat(acknowledged()).hasSize(2 * CLIENTS).startsWith(100, 101).endsWith(211);
        assertThat(source.node().count(Metric.DROPPED_NODE_FORGOTTEN)).isZero();
    }

    /** Nodes 2 and 4 lead slots of node 1 for a while, and their clients are closed then. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void messages_go_to_the_new_leader_when_its_take_over_is_not_known(int qos) {
        publish(qos, 100);
        taker.linkTo(4).isSharedSlow = true;
        takeOver();
        nodes.forget(gone.server);
        nodes.pass(1_000);
        assertThat(acknowledged()).isEmpty();

        taker.linkTo(4).isSharedSlow = false;
        hear();
        assertReceived(100);
        assertThat(publisher.isClosed()).isTrue();
        assertThat(source.node().count(Metric.DROPPED_NODE_FORGOTTEN)).isZero();
    }
}
