package io.godwit.cluster.broker;

import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;

/** Connects a client to three nodes in turn, and publishes to its session. */
abstract class RoamingFixture {
    LoopNodes nodes;
    TestClient publisher;
    int published;

    /** The node with the session of the client that goes from node to node. */
    int leader = 1;

    @BeforeEach
    final void threeNodes() {
        nodes = new LoopNodes(3, new SplittableRandom(1));
        publisher = nodes.node(3).connect("p", true, 0);
        nodes.settle();
    }

    final void publish(int count) {
        for (int i = 0; i < count; i++) {
            published++;
            publisher.publish("t", 1, published, "m" + published);
            nodes.settle();
        }
    }

    final String clientId() {
        return nodes.node(leader).id("s");
    }

    final TestClient connect(int node, long expirySeconds) {
        TestClient client = nodes.node(node).connectAs(clientId(), false, expirySeconds);
        nodes.settle();
        return client;
    }

    static Packet.ConnAck connAck(TestClient client) {
        return client.packets().stream()
                .filter(Packet.ConnAck.class::isInstance)
                .map(Packet.ConnAck.class::cast)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no CONNACK: " + client.packets()));
    }

    final void acknowledgeAll(TestClient client) {
        for (int i = 0; i < client.packets().size(); i++) {
            if (client.packets().get(i) instanceof Packet.Publish publish) {
                client.ack(PacketType.PUBACK, publish.packetId());
                nodes.settle();
            }
        }
    }

    final long acknowledged() {
        return publisher.packets().stream().filter(Packet.Ack.class::isInstance).count();
    }

    final long queuedBytes() {
        long sum = 0;
        for (LoopNodes.One each : nodes.nodes) {
            for (int shard = 0; shard < each.node().broker().shards(); shard++) {
                sum += each.node().broker().shard(shard).load().queues().queuedBytes();
            }
        }
        return sum;
    }
}
