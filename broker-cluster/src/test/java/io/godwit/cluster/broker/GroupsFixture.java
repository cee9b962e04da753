package io.godwit.cluster.broker;

import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;

/** Three nodes, members of one shared group there, and what they get. */
abstract class GroupsFixture {
    static final String GROUP = "$share/g/jobs/+";

    LoopNodes nodes;
    private int packetIds;

    /** By client, packets that it has acknowledged. */
    private final Map<TestClient, Integer> taken = new HashMap<>();

    @BeforeEach
    void threeNodes() {
        nodes = new LoopNodes(3, new SplittableRandom(1));
    }

    final TestClient member(int node, String id, int qos, long expirySeconds) {
        TestClient client = nodes.node(node).connect(id, false, expirySeconds);
        nodes.settle();
        client.subscribe(1, qos, GROUP);
        nodes.settle();
        return client;
    }

    final TestClient publisher(int node) {
        TestClient client = nodes.node(node).connect("publisher" + node, true, 0);
        nodes.settle();
        return client;
    }

    final List<String> publish(TestClient by, int qos, int count) {
        List<String> said = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String text = qos + "-" + ++packetIds;
            by.publish("jobs/" + i % 3, qos, qos == 0 ? 0 : packetIds, text);
            said.add(text);
        }
        nodes.settle();
        if (qos == 2) {
            acks(by, PacketType.PUBREC).forEach(id -> by.ack(PacketType.PUBREL, id));
            nodes.settle();
        }
        return said;
    }

    /** Acknowledges what has come at QoS 1 and 2, and says what has come at all. */
    final List<String> take(TestClient member) {
        List<Packet> packets = List.copyOf(member.packets());
        int from = taken.getOrDefault(member, 0);
        taken.put(member, packets.size());
        for (Packet packet : packets.subList(from, packets.size())) {
            if (packet instanceof Packet.Publish publish && publish.qos() > 0) {
                member.ack(
                        publish.qos() == 1 ? PacketType.PUBACK : PacketType.PUBREC,
                        publish.packetId());
            }
        }
        nodes.settle();
        return member.payloads();
    }

    static List<Integer> acks(TestClient client, PacketType type) {
        List<Integer> ids = new ArrayList<>();
        for (Packet packet : client.packets()) {
            if (packet instanceof Packet.Ack ack && ack.type() == type) {
                ids.add(ack.packetId());
            }
        }
        return ids;
    }

    static List<String> all(List<String> some, List<String> others) {
        return Stream.concat(some.stream(), others.stream()).toList();
    }
}
