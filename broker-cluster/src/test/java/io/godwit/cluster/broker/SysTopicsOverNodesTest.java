package io.godwit.cluster.broker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.node.NodeCount;
import io.godwit.core.node.NodeCounts;
import io.godwit.core.node.TestClient;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Topic;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The {@code $SYS} topics say what the node counts, and what all nodes together do. */
class SysTopicsOverNodesTest {
    private static final long INTERVAL_MS = 1_000;

    /** Longer than a count takes to another node's topics: both look once a second. */
    private static final long SOON_MS = 3 * INTERVAL_MS;

    private final LoopNodes nodes = new LoopNodes(3, new SplittableRandom(1));

    private TestClient reader(int node) {
        nodes.node(node).node().broker().startSysTopics(INTERVAL_MS, "1");
        TestClient reader = connect(node, "reader" + node);
        reader.subscribe(1, 0, "$SYS/#");
        nodes.settle();
        return reader;
    }

    private TestClient connect(int node, String id) {
        TestClient client = nodes.node(node).connect(id, false, 3_600);
        nodes.settle();
        return client;
    }

    /** The last value of each topic. */
    private Map<String, String> values(TestClient reader) {
        nodes.pass(SOON_MS);
        Map<String, String> values = new HashMap<>();
        for (Packet packet : reader.packets()) {
            if (packet instanceof Packet.Publish publish) {
                values.put(
                        Objects.requireNonNull(publish.topic()).toString(),
                        new String(publish.payload(), UTF_8));
            }
        }
        return values;
    }

    @Test
    void clients_and_messages_of_all_nodes_are_added_up() {
        TestClient reader = reader(3);
        TestClient publisher = connect(1, "a");
        TestClient subscriber = connect(2, "b");
        connect(2, "gone").cut();
        subscriber.subscribe(1, 0, "t", "u");
        nodes.settle();
        publisher.publish("t", 0, 0, "x");
        nodes.settle();
        assertThat(values(reader))
                .containsEntry("$SYS/broker/clients/connected", "1")
                .containsEntry("$SYS/broker/subscriptions/count", "1")
                .containsEntry("$SYS/broker/publish/messages/received", "0")
                .containsEntry("$SYS/cluster/nodes/count", "3")
                .containsEntry("$SYS/cluster/clients/connected", "3")
                .containsEntry("$SYS/cluster/clients/total", "4")
                .containsEntry("$SYS/cluster/clients/disconnected", "1")
                .containsEntry("$SYS/cluster/subscriptions/count", "3")
                .containsEntry("$SYS/cluster/publish/messages/received", "1");
    }

    /** Each node has a copy of every retained message, and the topics of its own. */
    @Test
    void a_retained_message_is_counted_once() {
        TestClient reader = reader(1);
        Map<String, String> before = values(reader);
        connect(2, "a")
                .send(
                        new Packet.Publish(
                                Topic.of("t"),
                                0,
                                false,
                                true,
                                0,
                                Properties.NONE,
                                "x".getBytes(UTF_8)));
        nodes.settle();
        String topic = "/retained messages/count";
        Map<String, String> after = values(reader);
        long more =
                Long.parseLong(after.get("$SYS/cluster" + topic))
                        - Long.parseLong(before.get("$SYS/cluster" + topic));
        assertThat(more).isEqualTo(1);
        assertThat(after.get("$SYS/cluster" + topic)).isEqualTo(after.get("$SYS/broker" + topic));
    }

    @Test
    void a_node_that_is_not_reached_is_not_counted_until_it_is_back() {
        TestClient reader = reader(3);
        connect(1, "a");
        assertThat(values(reader)).containsEntry("$SYS/cluster/clients/connected", "2");
        nodes.cut(nodes.node(1), nodes.node(3));
        connect(1, "b");
        assertThat(values(reader))
                .containsEntry("$SYS/cluster/nodes/count", "2")
                .containsEntry("$SYS/cluster/clients/connected", "1");
        nodes.link(nodes.node(1), nodes.node(3));
        assertThat(values(reader))
                .containsEntry("$SYS/cluster/nodes/count", "3")
                .containsEntry("$SYS/cluster/clients/connected", "3");
    }

    @Test
    void a_silent_node_is_not_counted_until_it_is_heard() {
        TestClient reader = reader(2);
        LoopLink link = nodes.node(2).linkTo(1);
        assertThat(values(reader)).containsEntry("$SYS/cluster/nodes/count", "3");
        nodes.node(2).part().onSilent(link);
        assertThat(values(reader)).containsEntry("$SYS/cluster/nodes/count", "2");
        nodes.node(2).part().onHeard(link);
        assertThat(values(reader)).containsEntry("$SYS/cluster/nodes/count", "3");
    }

    @Test
    void a_later_version_may_count_more() {
        ByteWriter message = new ByteWriter(32).varint(3);
        message.varint(NodeCount.CONNECTED.code()).varint(7);
        message.varint(1_000_000).varint(9);
        message.varint(NodeCount.SENT.code()).varint(8);
        NodeCounts counts = CountsOfNodes.read(new ByteReader(message.toBytes()));
        assertThat(counts.get(NodeCount.CONNECTED)).isEqualTo(7);
        assertThat(counts.get(NodeCount.SENT)).isEqualTo(8);
        assertThat(counts.get(NodeCount.RECEIVED)).isZero();
    }

    @Test
    void no_two_counts_have_one_code() {
        assertThat(NodeCount.values()).extracting(NodeCount::code).doesNotHaveDuplicates();
    }
}
