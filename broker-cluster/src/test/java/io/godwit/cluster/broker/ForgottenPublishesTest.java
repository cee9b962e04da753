package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.load.MemoryClass;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A QoS 2 handshake is under way with a node that dies and is forgotten: who has the message
 * remembers it only if it may be sent again by way of another node.
 */
class ForgottenPublishesTest {
    private final LoopNodes nodes = new LoopNodes(3, new SplittableRandom(1));

    private TestClient subscriber(int node, String id) {
        TestClient client = nodes.node(node).client(id, 1_000);
        client.subscribe(1, 2, "t");
        nodes.settle();
        return client;
    }

    private static boolean has(TestClient client, PacketType type) {
        return client.packets().stream().anyMatch(each -> each.type() == type);
    }

    private void restart(int node) {
        nodes.node(node).crash();
        nodes.pass(1_000);
        nodes.node(node).restart();
        nodes.pass(1_000);
    }

    private void dieForGood() {
        nodes.node(1).crash();
        nodes.pass(2_000);
        nodes.forget(1);
    }

    private long remembered(int node) {
        return nodes.node(node)
                .node()
                .broker()
                .context()
                .load()
                .memory()
                .account(MemoryClass.INGRESS);
    }

    /** Returns the packet id of the only message that a client has got. */
    private static int packetId(TestClient client) {
        return client.packets().stream()
                .filter(Packet.Publish.class::isInstance)
                .map(packet -> ((Packet.Publish) packet).packetId())
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest(name = "node 2 starts anew before: {0}")
    @ValueSource(booleans = {false, true})
    void nobody_remembers_what_can_not_come_again(boolean startsAnew) {
        subscriber(2, "second");
        subscriber(3, "third");
        TestClient publisher = nodes.node(1).client("publisher", 1_000);
        publisher.publish("t", 2, 7, "m");
        nodes.settle();
        assertThat(has(publisher, PacketType.PUBREC)).isTrue();
        if (startsAnew) {
            restart(2);
        }
        dieForGood();
        assertThat(remembered(3)).isPositive();
        nodes.pass(20_000);
        assertThat(remembered(2)).isZero();
        assertThat(remembered(3)).isZero();
    }

    @ParameterizedTest(name = "nodes 2 and 3 start anew before: {0}")
    @ValueSource(booleans = {false, true})
    void what_a_publisher_by_way_of_it_may_send_again_comes_once(boolean startAnew) {
        nodes.node(2).id("publisher");
        TestClient third = subscriber(3, "third");
        TestClient publisher = nodes.node(1).client("publisher", 1_000);
        publisher.publish("t", 2, 7, "m");
        nodes.settle();
        assertThat(third.payloads()).containsExactly("m");
        third.ack(PacketType.PUBREC, packetId(third));
        nodes.settle();
        nodes.node(2).client("publisher", 1_000);
        nodes.pass(1_000);
        if (startAnew) {
            restart(2);
            restart(3);
        }
        dieForGood();
        nodes.pass(20_000);

        TestClient again = nodes.node(2).client("publisher", 1_000);
        TestClient back = nodes.node(3).client("third", 1_000);
        again.publishAgain("t", 2, 7, "m");
        nodes.pass(1_000);
        assertThat(has(again, PacketType.PUBREC)).isTrue();
        assertThat(back.payloads()).isEmpty();
        again.ack(PacketType.PUBREL, 7);
        nodes.pass(20_000);
        assertThat(remembered(2)).isZero();
        assertThat(remembered(3)).isZero();
    }
}
