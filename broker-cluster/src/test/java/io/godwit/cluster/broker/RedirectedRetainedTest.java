package io.godwit.cluster.broker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.node.TestClient;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Topic;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Node 1 takes over the session of a subscriber from node 2, which lives. A publisher of node 3 has
 * sent messages to node 2 that are not answered, some of them retained.
 */
class RedirectedRetainedTest {
    private static final String FILTER = "t";

    private final LoopNodes nodes = new LoopNodes(3, new SplittableRandom(1));
    private final LoopNodes.One taker = nodes.node(1);
    private final LoopNodes.One former = nodes.node(2);
    private final LoopNodes.One source = nodes.node(3);
    private final TestClient publisher = source.client("publisher", 1_000);
    private String id = "";

    @BeforeEach
    void cut() {
        TestClient before = former.client("subscriber", 1_000);
        id = former.id("subscriber");
        before.subscribe(1, 1, FILTER);
        nodes.settle();
        before.cut();
        nodes.settle();
        nodes.cut(former, source);
        nodes.cut(former, taker);
        nodes.cut(taker, source);
    }

    /** Node 2 is away then: what follows a retained message is sent there, too. */
    private void passUntilAway() {
        nodes.pass(10_000);
        assertThat(acknowledged()).isZero();
    }

    private void send(int packetId, boolean isRetained, String payload) {
        publisher.send(
                new Packet.Publish(
                        Topic.of(FILTER),
                        1,
                        false,
                        isRetained,
                        packetId,
                        Properties.NONE,
                        payload.getBytes(UTF_8)));
        nodes.settle();
    }

    private long acknowledged() {
        return publisher.packets().stream()
                .filter(each -> each.type() == PacketType.PUBACK)
                .count();
    }

    /** Returns the subscriber, at its new leader. */
    private TestClient takeOver() {
        BitSet slots = new BitSet();
        slots.set(ClientId.of(id).slot());
        taker.part().slots().takeOver(former.server, slots);
        nodes.settle();
        TestClient subscriber = taker.connectAs(id, false, 1_000);
        nodes.settle();
        subscriber.subscribe(1, 1, FILTER);
        nodes.settle();
        return subscriber;
    }

    @Test
    void both_reach_a_new_leader_that_keeps_nothing_before_the_former_one_is_heard() {
        send(1, true, "retained");
        send(2, false, "other");
        passUntilAway();
        takeOver().cut();
        nodes.settle();
        taker.store.hold();
        nodes.link(taker, source);
        nodes.pass(1_000);
        nodes.link(former, source);
        nodes.link(taker, former);
        nodes.pass(1_000);
        taker.store.release();
        nodes.pass(1_000);
        TestClient subscriber = taker.connectAs(id, false, 1_000);
        nodes.pass(1_000);
        assertThat(subscriber.payloads()).containsExactly("retained", "other");
        assertThat(acknowledged()).isEqualTo(2);
    }

    /** It goes to node 2 behind one that was sent there, which node 1 has by now. */
    @Test
    void retained_message_behind_one_that_was_redirected_comes_once() {
        send(1, false, "first");
        passUntilAway();
        TestClient subscriber = takeOver();
        nodes.link(taker, source);
        nodes.pass(1_000);
        acknowledge(subscriber, "first");
        source.linkTo(taker.server).isSlow = true;
        send(2, true, "retained");
        nodes.pass(1_000);
        acknowledge(subscriber, "retained");
        source.linkTo(taker.server).isSlow = false;
        nodes.pass(1_000);
        assertThat(subscriber.payloads()).containsExactly("first", "retained");
    }

    /** Has the last message acknowledged, which is this one. */
    private void acknowledge(TestClient subscriber, String payload) {
        Packet.Publish last = (Packet.Publish) subscriber.packets().getLast();
        assertThat(new String(last.payload(), UTF_8)).isEqualTo(payload);
        subscriber.ack(PacketType.PUBACK, last.packetId());
        nodes.settle();
    }
}
