package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.membership.Slots;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A message is on its way to a node, for a session there that goes to another one before it has
 * arrived: who has let it in knows of no other way to the session.
 */
@Disabled("needs remote connections")
class MessageOnItsWayTest {
    private LoopNodes nodes;
    private TestClient publisher;
    private String clientId;

    /** Where the session is. */
    private int home = 1;

    /** The session begins at node 1, the publisher is at node 4, and no anchor of the session. */
    @BeforeEach
    void fourNodes() {
        nodes = new LoopNodes(4, new SplittableRandom(1));
        int number = 0;
        do {
            clientId = "s" + ++number;
        } while (anchor(clientId) == 4 || anchor(clientId) == 1);
        TestClient subscriber = nodes.node(1).client(clientId, 1_000);
        subscriber.subscribe(1, 2, "t");
        nodes.settle();
        subscriber.cut();
        nodes.settle();
        publisher = nodes.node(4).client("publisher", 1_000);
    }

    private static int anchor(String clientId) {
        return new Slots(Set.of(1, 2, 3, 4)).order(Slots.of(ClientId.of(clientId)))[0];
    }

    private TestClient moveTo(int node) {
        return nodes.node(node).client(clientId, 1_000);
    }

    private void publishSlowly(int qos) {
        nodes.node(1).slowFrom = 4;
        publisher.publish("t", qos, 1, "m");
        nodes.settle();
    }

    private long acknowledged() {
        return publisher.packets().stream().filter(Packet.Ack.class::isInstance).count();
    }

    private void arrivesAt(TestClient subscriber) {
        assertThat(acknowledged()).isZero();
        nodes.node(1).slowFrom = 0;
        nodes.link(nodes.node(1), nodes.node(4));
        nodes.pass(1_000);
        assertThat(acknowledged()).isEqualTo(1);
        assertThat(subscriber.payloads()).containsExactly("m");
        nodes.pass(5_000);
        for (int node : List.of(1, 2, 3)) {
            int sessions = nodes.node(node).store.state().sessions();
            assertThat(sessions).isEqualTo(node == home ? 1 : 0);
        }
    }

    private TestClient move(int... to) {
        TestClient there = null;
        for (int node : to) {
            there = moveTo(node);
            home = node;
        }
        nodes.pass(3_000);
        return Objects.requireNonNull(there);
    }

    @ParameterizedTest(name = "QoS {0}")
    @ValueSource(ints = {1, 2})
    void the_link_is_slow(int qos) {
        publishSlowly(qos);
        arrivesAt(move(2));
    }

    @ParameterizedTest(name = "QoS {0}")
    @ValueSource(ints = {1, 2})
    void the_session_goes_on_at_once(int qos) {
        publishSlowly(qos);
        arrivesAt(move(2, 3));
    }

    @ParameterizedTest(name = "QoS {0}")
    @ValueSource(ints = {1, 2})
    void the_link_is_broken(int qos) {
        publishSlowly(qos);
        nodes.cut(nodes.node(1), nodes.node(4));
        arrivesAt(move(2));
    }

    @ParameterizedTest(name = "QoS {0}")
    @ValueSource(ints = {1, 2})
    void the_node_starts_anew_and_gives_the_session(int qos) {
        publishSlowly(qos);
        restartWithoutPublisher(1);
        arrivesAt(move(2));
    }

    @ParameterizedTest(name = "QoS {0}")
    @ValueSource(ints = {1, 2})
    void the_new_home_starts_anew_before_it_arrives(int qos) {
        publishSlowly(qos);
        move(2);
        nodes.node(2).crash();
        nodes.node(2).restart();
        nodes.pass(3_000);
        arrivesAt(move(2));
    }

    /** Nothing was asked for long, so nobody had to look whether the publisher's node is heard. */
    @ParameterizedTest(name = "QoS {0}")
    @ValueSource(ints = {1, 2})
    void the_new_home_has_just_lost_the_publishers_node(int qos) {
        nodes.pass(20_000);
        publishSlowly(qos);
        nodes.cut(nodes.node(2), nodes.node(4));
        TestClient there = move(2);
        nodes.link(nodes.node(2), nodes.node(4));
        arrivesAt(there);
    }

    /** It was asked what is on its way, and has died with the answer: its next start is asked. */
    @Test
    void a_former_home_lets_go_when_the_publishers_node_has_started_anew() {
        publishSlowly(1);
        move(2);
        assertThat(nodes.node(1).store.state().sessions()).isEqualTo(1);
        nodes.node(4).crash();
        nodes.node(4).restart();
        nodes.node(1).slowFrom = 0;
        nodes.pass(20_000);
        assertThat(nodes.node(1).store.state().sessions()).isZero();
    }

    private void restartWithoutPublisher(int node) {
        LoopNodes.One one = nodes.node(node);
        one.crash();
        one.begin();
        for (int other : List.of(1, 2, 3)) {
            nodes.link(one, nodes.node(other));
            nodes.link(nodes.node(other), one);
        }
        nodes.settle();
    }

    /** A node that may be gone for ever is waited for so long, and no longer. */
    @Test
    void a_former_home_lets_go_in_the_end_though_a_node_is_away() {
        publishSlowly(1);
        nodes.node(4).crash();
        move(2);
        assertThat(nodes.node(1).store.state().sessions()).isEqualTo(1);
        nodes.pass(5_000);
        assertThat(nodes.node(1).store.state().sessions()).isZero();
        TestClient again = moveTo(3);
        nodes.pass(2_000);
        assertThat(nodes.node(2).store.state().sessions()).isZero();
        assertThat(again.packets()).noneMatch(each -> each.type() == PacketType.DISCONNECT);
    }
}
