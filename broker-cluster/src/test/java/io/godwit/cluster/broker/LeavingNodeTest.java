package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.takeover.Drained;
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
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node leaves its cluster, and the others have what it had. */
class LeavingNodeTest {
    /** Longer than sessions take to be whole elsewhere, and that to be said. */
    private static final long DRAIN_MS = 5_000;

    private LoopNodes nodes;
    private TestClient watcher;
    private final List<Drained> told = new ArrayList<>();
    private int packetIds;

    @BeforeEach
    void threeNodes() {
        nodes = new LoopNodes(3, new SplittableRandom(1));
        nodes.nodes.forEach(each -> each.store.pageMessages(3));
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
                        ClientId.of(id),
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

    private void publish(String topic, int count) {
        TestClient publisher = connect(3, "publisher" + topic, 0);
        for (int i = 1; i <= count; i++) {
            publisher.publish(topic, 1, ++packetIds, topic + " " + i);
            nodes.settle();
        }
    }

    private void sayGoodbye(int node, String reference) {
        nodes.node(node).node().broker().sendElsewhere(reference, 1_000, () -> {});
        nodes.settle();
        nodes.node(node).part().leave(told::add);
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

    private long queueId(int node, String id) {
        return Objects.requireNonNull(nodes.node(node).store.state().session(ClientId.of(id)))
                .queueId();
    }

    private int sessions(int node) {
        return Math.toIntExact(nodes.node(node).store.state().sessions());
    }

    @Test
    void what_waits_in_a_shared_group_is_at_another_node_before_the_node_may_go() {
        TestClient member = connect(1, "member", 1_000);
        member.subscribe(1, 1, "$share/g/jobs/+");
        nodes.settle();
        member.cut();
        nodes.settle();
        TestClient publisher = connect(1, "publisher", 0);
        for (int i = 1; i <= 300; i++) {
            publisher.publish("jobs/1", 1, i, "job " + i);
            nodes.settle();
        }
        sayGoodbye(1, "");
        links(1, true);
        nodes.pass(DRAIN_MS);
        assertThat(sessions(1)).isZero();
        assertThat(told).isEmpty();
        links(1, false);
        for (int ms = 0; told.isEmpty() && ms < 30_000; ms += 100) {
            nodes.pass(100);
        }
        assertThat(told).containsExactly(new Drained(1, 0));
        nodes.node(1).crash();
        TestClient there = connect(2, "member", 1_000);
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
    void sessions_with_their_queues_are_at_the_other_nodes_and_the_node_may_go() {
        for (String id : List.of("a", "b", "c")) {
            TestClient client = connect(1, id, 3600);
            client.subscribe(1, 1, id);
            nodes.settle();
            client.cut();
            publish(id, 10);
        }
        drain(1);

        assertThat(told).containsExactly(new Drained(3, 0));
        assertThat(sessions(1)).isZero();
        assertThat(sessions(2) + sessions(3)).isEqualTo(3);
        assertThat(sessions(2)).as("most room: one, then the other").isBetween(1, 2);
        nodes.node(1).crash();
        publish("a", 1);
        nodes.pass(2_000);
        TestClient back = connect(2, "a", 3600);
        for (int i = 0; i < back.packets().size(); i++) {
            if (back.packets().get(i) instanceof Packet.Publish publish) {
                back.ack(PacketType.PUBACK, publish.packetId());
                nodes.settle();
            }
        }
        assertThat(connAck(back).sessionPresent()).isTrue();
        assertThat(back.payloads()).hasSize(11).startsWith("a 1", "a 2").endsWith("a 10", "a 1");
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
    void a_client_that_comes_to_another_node_at_once_has_its_session_there() {
        connect(1, "quick", 3600).subscribe(1, 1, "quick");
        nodes.settle();
        sayGoodbye(1, "");
        TestClient back = connect(3, "quick", 3600);
        nodes.pass(DRAIN_MS);
        publish("quick", 1);

        assertThat(connAck(back).sessionPresent()).isTrue();
        assertThat(back.packets()).noneMatch(Packet.Disconnect.class::isInstance);
        assertThat(back.payloads()).containsExactly("quick 1");
        assertThat(told).hasSize(1);
        assertThat(told.getFirst().left()).isZero();
        assertThat(sessions(1)).isZero();
    }

    @Test
    void the_will_of_a_session_that_has_moved_is_not_published() {
        connectWithWill("moved", 3600, 0);
        drain(1);
        nodes.pass(10_000);

        assertThat(told).containsExactly(new Drained(1, 0));
        assertThat(watcher.payloads()).isEmpty();
    }

    @Test
    void a_will_with_a_delay_is_published_where_its_session_is() {
        connectWithWill("late", 3600, 20);
        drain(1);
        nodes.node(1).crash();
        nodes.pass(10_000);
        assertThat(watcher.payloads()).isEmpty();

        nodes.pass(10_000);
        assertThat(watcher.payloads()).containsExactly("late");
    }

    @Test
    void a_will_with_a_delay_is_not_published_when_its_client_comes_back() {
        connectWithWill("back", 3600, 20);
        drain(1);
        connect(2, "back", 3600);
        nodes.pass(30_000);

        assertThat(watcher.payloads()).isEmpty();
    }

    @Test
    void the_session_that_ends_with_its_connection_has_its_will() {
        connectWithWill("gone", 0, 0);
        drain(1);

        assertThat(watcher.payloads()).containsExactly("gone");
    }

    @Test
    void what_nobody_takes_stays_and_nobody_waits_for_it() {
        connectWithWill("stays", 3600, 0);
        sayGoodbye(2, "");
        sayGoodbye(3, "");
        drain(1);
        assertThat(told)
                .containsExactlyInAnyOrder(new Drained(0, 1), new Drained(0, 0), new Drained(0, 0));
        assertThat(sessions(1)).isEqualTo(1);

        nodes.nodes.forEach(LoopNodes.One::crash);
        nodes.nodes.forEach(LoopNodes.One::restart);
        nodes.pass(2_000);
        assertThat(connAck(connect(2, "stays", 3600)).sessionPresent()).isTrue();
    }

    /** The queue of another session was merged into its own. */
    @Test
    void a_session_that_can_not_go_stays_and_is_served_when_the_node_is_back() {
        for (String id : List.of("other", "bound", "free")) {
            TestClient client = connect(1, id, 3600);
            client.subscribe(1, 1, id);
            nodes.settle();
            client.cut();
            publish(id, 2);
        }
        LoopNodes.One leaves = nodes.node(1);
        leaves.store.state().precede(queueId(1, "bound"), queueId(1, "other"));
        leaves.crash();
        leaves.restart();
        nodes.pass(1_000);
        drain(1);
        assertThat(told).containsExactly(new Drained(1, 1));
        assertThat(connAck(connect(2, "bound", 3600)).code())
                .isEqualTo(ReasonCode.SERVER_UNAVAILABLE.code());

        leaves.crash();
        leaves.restart();
        nodes.pass(1_000);
        TestClient back = connect(1, "bound", 3600);
        assertThat(back.payloads()).containsExactly("other 1", "other 2", "bound 1", "bound 2");
    }

    @Test
    void an_offer_that_is_lost_is_made_again() {
        connect(1, "again", 3600).cut();
        sayGoodbye(1, "");
        nodes.pass(900);
        LoopNodes.One leaves = nodes.node(1);
        nodes.time.advance(100);
        leaves.tick(); // It makes its offer.
        leaves.settle();
        for (int other : new int[] {2, 3}) {
            nodes.cut(leaves, nodes.node(other));
            nodes.link(leaves, nodes.node(other));
        }
        nodes.pass(2 * DRAIN_MS);

        assertThat(told).containsExactly(new Drained(1, 0));
        assertThat(sessions(2) + sessions(3)).isEqualTo(1);
    }
}
