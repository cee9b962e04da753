package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.node.TestClient;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node leaves its cluster, and the others have what it had. */
class LeavingNodeTest {
    /** Longer than sessions take to be whole elsewhere, and that to be said. */
    private static final long DRAIN_MS = 5_000;

    private LoopNodes nodes;
    private TestClient watcher;
    private final List<Integer> told = new ArrayList<>();

    @BeforeEach
    void threeNodes() {
        nodes = new LoopNodes(3, new SplittableRandom(1));
        watcher = nodes.node(3).connect("watcher", true, 0);
        nodes.settle();
        watcher.subscribe(1, 0, "wills/#");
        nodes.settle();
    }

    private TestClient connect(int node, String id, long expirySeconds) {
        TestClient client = nodes.node(node).connect(id, false, expirySeconds);
        nodes.settle();
        return client;
    }

    private TestClient connectWithWill(String id, long expirySeconds, int delaySeconds) {
        TestClient client = nodes.node(1).node().open(0, ProtocolVersion.MQTT_5);
        Will will =
                new Will(
                        Topic.of("wills/" + id),
                        1,
                        false,
                        id.getBytes(StandardCharsets.UTF_8),
                        delaySeconds,
                        Properties.NONE);
        Properties expiry =
                Properties.builder().add(Property.SESSION_EXPIRY_INTERVAL, expirySeconds).build();
        client.send(
                new Packet.Connect(
                        ProtocolVersion.MQTT_5,
                        ClientId.of(nodes.node(1).id(id)),
                        false,
                        60,
                        will,
                        null,
                        null,
                        false,
                        expiry));
        nodes.settle();
        return client;
    }

    private void sayGoodbye(int node, String reference) {
        nodes.node(node).node().broker().sendElsewhere(reference, 1_000, () -> {});
        nodes.settle();
        nodes.node(node).part().leave(() -> told.add(node));
    }

    /** Whether links to other nodes have no room for what can wait. */
    private void links(int node, boolean areFull) {
        nodes.node(node).links.values().forEach(each -> each.isFull = areFull);
    }

    private void drain(int node) {
        sayGoodbye(node, "");
        nodes.pass(DRAIN_MS);
    }

    private static Packet.Disconnect disconnect(TestClient client) {
        return client.packets().stream()
                .filter(Packet.Disconnect.class::isInstance)
                .map(Packet.Disconnect.class::cast)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no DISCONNECT: " + client.packets()));
    }

    private static Packet.ConnAck connAck(TestClient client) {
        return client.packets().stream()
                .filter(Packet.ConnAck.class::isInstance)
                .map(Packet.ConnAck.class::cast)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no CONNACK: " + client.packets()));
    }

    @Test
    void what_waits_in_a_shared_group_is_at_another_node_before_the_node_may_go() {
        TestClient member = connect(1, "member1", 1_000);
        member.subscribe(1, 1, "$share/g/jobs/+");
        nodes.settle();
        member.cut();
        nodes.settle();
        TestClient publisher = connect(1, "publisher", 0);
        for (int i = 1; i <= 300; i++) {
            publisher.publish("jobs/1", 1, i, "job " + i);
            nodes.settle();
        }
        links(1, true);
        connect(2, "member2", 1_000).subscribe(1, 1, "$share/g/jobs/+");
        nodes.settle();
        sayGoodbye(1, "");
        nodes.pass(DRAIN_MS);
        assertThat(told).isEmpty();
        links(1, false);
        for (int ms = 0; told.isEmpty() && ms < 30_000; ms += 100) {
            nodes.pass(100);
        }
        assertThat(told).containsExactly(1);
        nodes.node(1).crash();
        TestClient there = connect(2, "member2", 1_000);
        int seen = 0;
        for (int i = 0; i < 100 && there.payloads().size() < 300; i++) {
            List<Packet> packets = List.copyOf(there.packets());
            for (Packet packet : packets.subList(seen, packets.size())) {
                if (packet instanceof Packet.Publish publish) {
                    there.ack(PacketType.PUBACK, publish.packetId());
                }
            }
            seen = packets.size();
            nodes.pass(100);
        }
        assertThat(there.payloads()).doesNotHaveDuplicates().hasSize(300);
    }

    @Test
    void clients_are_told_to_use_another_server_and_where_it_is() {
        TestClient durable = connect(1, "durable", 3600);
        TestClient transientOne = connect(1, "transient", 0);
        sayGoodbye(1, "broker.example:1883");

        for (TestClient each : List.of(durable, transientOne)) {
            assertThat(disconnect(each).reason()).isEqualTo(ReasonCode.USE_ANOTHER_SERVER);
            assertThat(disconnect(each).properties().text(Property.SERVER_REFERENCE))
                    .isEqualTo("broker.example:1883");
        }
    }

    @Test
    void the_session_that_ends_with_its_connection_has_its_will() {
        connectWithWill("gone", 0, 0);
        drain(1);

        assertThat(watcher.payloads()).containsExactly("gone");
    }

    @Test
    void durable_sessions_stay_with_their_wills_and_are_served_at_the_next_start() {
        connectWithWill("stays", 3600, 0);
        drain(1);
        assertThat(told).containsExactly(1);
        assertThat(watcher.payloads()).isEmpty();
        nodes.node(1).crash();
        nodes.node(1).restart();
        nodes.pass(2_000);
        assertThat(watcher.payloads()).containsExactly("stays");
        assertThat(connAck(connect(1, "stays", 3600)).sessionPresent()).isTrue();
    }
}
