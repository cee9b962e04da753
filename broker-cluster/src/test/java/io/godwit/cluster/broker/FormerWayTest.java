package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * A publisher's session goes to another shard while a node has not answered for what it has
 * published, and is away.
 */
class FormerWayTest {
    private final LoopNodes nodes = new LoopNodes(2, new SplittableRandom(1));
    private final TestClient subscriber = nodes.node(2).subscriber("subscriber", "t");

    private TestClient publisher(int shard) {
        TestClient client = nodes.node(1).node().open(shard, ProtocolVersion.MQTT_5);
        client.connect(nodes.node(1).id("publisher"), false, 1_000, 0);
        nodes.settle();
        return client;
    }

    /** Cluster seed 721. */
    @Test
    void what_need_not_be_kept_first_stays_behind_what_must() {
        nodes.cut(nodes.node(1), nodes.node(2));
        nodes.pass(2_000);
        TestClient publisher = publisher(0);
        publisher.publish("t", 1, 1, "0");
        nodes.settle();
        publisher.cut();
        publisher = publisher(1);
        nodes.node(1).store.hold();
        publisher.publish("t", 2, 2, "1");
        publisher.publish("t", 1, 3, "2");
        nodes.settle();
        nodes.node(1).store.release();
        nodes.settle();
        nodes.link(nodes.node(1), nodes.node(2));
        nodes.pass(1_000);
        assertThat(taken()).containsExactly("0", "1", "2");
    }

    /** It was kept, and need not be kept a second time: failover seed 1 003 512. */
    @Test
    void retained_message_of_before_a_restart_stays_before_the_next_one() {
        nodes.node(2).crash();
        nodes.settle();
        TestClient publisher = publisher(1);
        publisher.publish("t", 2, 1, true, new byte[] {'0'});
        nodes.settle();
        nodes.node(1).crash();
        nodes.node(1).restart();
        nodes.pass(2_000);
        publisher = publisher(1);
        publisher.publish("t", 2, 1, true, new byte[] {'0'});
        publisher.publish("t", 2, 2, true, new byte[] {'1'});
        nodes.settle();
        nodes.node(2).restart();
        nodes.pass(2_000);
        TestClient late = nodes.node(2).client("subscriber", 1_000);
        nodes.settle();
        assertThat(late.payloads()).containsExactly("0", "1");
    }

    private List<String> taken() {
        Set<Integer> ids = new HashSet<>();
        for (Packet packet : List.copyOf(subscriber.packets())) {
            if (packet instanceof Packet.Publish publish && ids.add(publish.packetId())) {
                subscriber.ack(PacketType.PUBACK, publish.packetId());
            }
        }
        nodes.settle();
        return subscriber.payloads();
    }
}
