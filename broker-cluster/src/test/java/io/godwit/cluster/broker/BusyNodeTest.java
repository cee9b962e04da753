package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.node.TestClient;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** QoS 0 to a node that takes nothing for a moment is not lost; to one that is away it is. */
class BusyNodeTest {
    private LoopNodes nodes;
    private TestClient publisher;
    private TestClient there;
    private TestClient here;

    @BeforeEach
    void aSubscriberAtEachNode() {
        nodes = new LoopNodes(2, new SplittableRandom(1));
        publisher = nodes.node(1).connect("publisher", true, 0);
        there = nodes.node(2).connect("there", true, 0);
        here = nodes.node(1).connect("here", true, 0);
        nodes.settle();
        there.subscribe(1, 0, "t/#");
        here.subscribe(1, 0, "#");
        nodes.settle();
    }

    private void link(boolean isFull) {
        LoopLink link = nodes.node(1).linkTo(2);
        link.isFull = isFull;
        if (!isFull) {
            nodes.node(1).part().onRoom(link, TrafficClass.PUBLISHES);
        }
        nodes.settle();
    }

    private void publish(int from, int to) {
        for (int i = from; i <= to; i++) {
            publisher.publish("t/1", 0, 0, "" + i);
            nodes.settle();
        }
    }

    @Test
    void what_a_busy_node_gets_waits_for_room() {
        link(true);
        publish(1, 3);
        assertThat(there.payloads()).isEmpty();
        assertThat(here.payloads()).isEmpty();
        link(false);
        publish(4, 5);
        assertThat(there.payloads()).containsExactly("1", "2", "3", "4", "5");
        assertThat(here.payloads()).containsExactly("1", "2", "3", "4", "5");
    }

    @Test
    void nobody_waits_for_a_busy_node_who_publishes_to_others() {
        link(true);
        publisher.publish("u", 0, 0, "other");
        nodes.settle();
        assertThat(here.payloads()).containsExactly("other");
    }

    @Test
    void nobody_waits_for_a_link_that_has_ended() {
        link(true);
        publish(1, 2);
        nodes.cut(nodes.node(1), nodes.node(2));
        nodes.settle();
        assertThat(here.payloads()).containsExactly("1", "2");
        nodes.link(nodes.node(1), nodes.node(2));
        nodes.settle();
        publish(3, 3);
        assertThat(there.payloads()).containsExactly("3");
    }

    @Test
    void nobody_waits_for_a_node_that_is_away() {
        link(true);
        publish(1, 2);
        nodes.node(1).silent(nodes.node(2));
        nodes.settle();
        publish(3, 3);
        assertThat(here.payloads()).containsExactly("1", "2", "3");
        assertThat(there.payloads()).isEmpty();
    }
}
