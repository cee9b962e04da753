package io.godwit.cluster.broker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.IngressId;
import io.godwit.core.node.TestClient;
import io.godwit.core.node.TestNode;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Topic;
import io.godwit.core.routing.TopicIndex;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A message of QoS 2 is on its way to node 2, from which node 1 takes over the subscriber's
 * session; then node 3 sends it to node 1. Nobody forgets it before node 1 has answered.
 */
class RedirectedOverTest {
    private static final String FILTER = "t";

    private final LoopNodes nodes = new LoopNodes(3, new SplittableRandom(1));
    private final LoopNodes.One taker = nodes.node(1);
    private final LoopNodes.One former = nodes.node(2);
    private final LoopNodes.One source = nodes.node(3);
    private final BitSet slots = new BitSet();
    private boolean isOver;

    @BeforeEach
    void message_is_on_its_way() {
        TestClient before = former.client("subscriber", 1_000);
        before.subscribe(1, 2, FILTER);
        nodes.settle();
        before.cut();
        slots.set(ClientId.of(former.id("subscriber")).slot());
        TestClient publisher = source.client("publisher", 1_000);
        nodes.settle();
        nodes.cut(former, source);
        nodes.cut(former, taker);
        publisher.send(
                new Packet.Publish(
                        Topic.of(FILTER),
                        2,
                        false,
                        false,
                        1,
                        Properties.NONE,
                        "m".getBytes(UTF_8)));
        nodes.pass(10_000);
    }

    /** Says at node 1 that a publish is over, as the end of one that it has inherited. */
    private void end(IngressId publish) {
        TestNode node = taker.node();
        node.execute(
                TopicIndex.OWNER,
                () ->
                        taker.part()
                                .others()
                                .forget(
                                        node.broker().shard(TopicIndex.OWNER),
                                        publish.server(),
                                        publish.counter(),
                                        () -> isOver = true));
        nodes.settle();
    }

    @Test
    void message_is_remembered_until_the_new_leader_has_answered_for_it() {
        end(new IngressId(3, IngressId.counter(1, 0) + 1_000));
        source.linkTo(taker.server).isSlow = true;
        taker.part().slots().takeOver(former.server, slots);
        nodes.settle();
        nodes.link(former, source);
        nodes.link(taker, former);
        nodes.pass(3_000);
        assertThat(isOver).isFalse();

        source.linkTo(taker.server).isSlow = false;
        nodes.pass(3_000);
        assertThat(isOver).isTrue();
    }
}
