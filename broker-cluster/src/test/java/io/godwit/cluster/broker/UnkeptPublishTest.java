package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.node.TestClient;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.session.NodeGroups;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * No other node may have a publish of QoS 2 before its ingress id is kept under the publisher's
 * packet id: after a crash it would come under another one.
 */
class UnkeptPublishTest {
    private final LoopNodes nodes = new LoopNodes(2, new SplittableRandom(1));

    /**
     * Its last member at the publisher's node goes while the message is on its way to the group, or
     * when it is there; each on any shard.
     */
    @ParameterizedTest(name = "publisher at the group''s shard: {0}, member: {1}, on its way: {2}")
    @CsvSource({
        "false, false, false",
        "false, false, true",
        "false, true, false",
        "false, true, true",
        "true, false, false",
        "true, false, true",
        "true, true, false",
        "true, true, true"
    })
    void nor_does_a_node_that_a_shared_group_passes_it_on_to(
            boolean publisherThere, boolean memberThere, boolean onItsWay) {
        String group = "$share/g/t";
        int groupAt = NodeGroups.shardOf(TopicFilter.of(group), 2);
        int publisherAt = publisherThere ? groupAt : 1 - groupAt;
        TestClient here = connected("here", memberThere ? groupAt : 1 - groupAt, 0);
        here.subscribe(1, 2, group);
        nodes.settle();
        TestClient there = nodes.node(2).client("there", 0);
        there.subscribe(1, 2, group);
        nodes.settle();
        TestClient publisher = connected("p", publisherAt, 1_000);

        nodes.node(1).store.hold();
        if (onItsWay) {
            here.cut();
            publisher.publish("t", 2, 7, "m");
        } else {
            publisher.publish("t", 2, 7, "m");
            here.cut();
        }
        nodes.settle();
        assertThat(there.payloads()).isEmpty();
        nodes.node(1).crash();
        nodes.node(1).restart();
        nodes.settle();

        publisher = connected("p", publisherAt, 1_000);
        publisher.publishAgain("t", 2, 7, "m");
        nodes.settle();
        assertThat(publisher.packets()).anyMatch(each -> each.type() == PacketType.PUBREC);
        assertThat(there.payloads()).containsExactly("m");
    }

    private TestClient connected(String id, int shard, long expirySeconds) {
        TestClient client = nodes.node(1).node().open(shard, ProtocolVersion.MQTT_5);
        client.connect(nodes.node(1).id(id), false, expirySeconds, 0);
        nodes.settle();
        return client;
    }
}
