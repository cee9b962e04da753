package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import io.godwit.core.settings.Rules;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A client publishes at QoS 2 and goes to another node in the middle of the handshake, since not
 * everybody has its message: nodes that start anew meanwhile don't deliver it twice.
 */
class RoamingPublisherTest {
    private LoopNodes nodes;

    @SuppressWarnings("NullAway.Init") // each test sets it
    private TestClient publisher;

    @BeforeEach
    void fourNodes() {
        nodes = new LoopNodes(4, new SplittableRandom(1));
    }

    /** Connects where the session is. */
    private TestClient session(int node, String id) {
        return nodes.node(node).client(id, 1_000);
    }

    /** Connects the publisher, whose session is at node 1. */
    private TestClient publisherAt(int node) {
        nodes.node(1).id("publisher");
        return nodes.node(node).client("publisher", 1_000);
    }

    private TestClient subscriber(int node, String id) {
        TestClient client = session(node, id);
        client.subscribe(1, 2, "t");
        nodes.settle();
        return client;
    }

    private void publish() {
        publish(7, "m");
    }

    private void publish(int packetId, String payload) {
        publisher.send(
                new Packet.Publish(
                        Topic.of("t"),
                        2,
                        false,
                        false,
                        packetId,
                        Properties.NONE,
                        payload.getBytes(StandardCharsets.UTF_8)));
        nodes.settle();
    }

    /** With its connection on that shard. */
    private TestClient publisherAt(int node, int shard) {
        TestClient client = nodes.node(node).node().open(shard, ProtocolVersion.MQTT_5);
        client.connect(nodes.node(1).id("publisher"), false, 1_000, 0);
        nodes.settle();
        return client;
    }

    /** Its message waits for node 4, which is dead, and it goes from node 1 to node 2. */
    private void moveInTheMiddle() {
        subscriber(4, "away");
        nodes.node(4).crash();
        nodes.settle();
        publisher = publisherAt(1);
        publish();
        assertThat(acks(publisher, PacketType.PUBREC)).isEmpty();
        publisher.cut();
        nodes.settle();
        publisher = publisherAt(2);
        assertThat(publisher.packets()).hasSize(1);
        nodes.pass(8_000);
    }

    private static List<Integer> acks(TestClient client, PacketType type) {
        return GroupsFixture.acks(client, type);
    }

    private void restart(int node) {
        nodes.node(node).crash();
        nodes.node(node).restart();
        nodes.pass(2_000);
    }

    /** It is delivered, and its client has nothing more to do. */
    private void takes(TestClient subscriber) {
        assertThat(subscriber.payloads()).containsExactly("m");
        subscriber.packets().stream()
                .filter(Packet.Publish.class::isInstance)
                .forEach(each ->
                        subscriber.ack(PacketType.PUBREC, ((Packet.Publish) each).packetId()));
        nodes.settle();
        acks(subscriber, PacketType.PUBREL)
                .forEach(packetId -> subscriber.ack(PacketType.PUBCOMP, packetId));
        nodes.settle();
    }

    /** Node 4 is back, and everybody is done with the message. */
    private void end() {
        nodes.node(4).restart();
        nodes.pass(2_000);
        assertThat(acks(publisher, PacketType.PUBREC)).containsExactly(7);
        publisher.ack(PacketType.PUBREL, 7);
        nodes.pass(2_000);
        assertThat(acks(publisher, PacketType.PUBCOMP)).containsExactly(7);
        TestClient late = session(4, "away");
        nodes.settle();
        takes(late);
    }

    private void nobodyRemembers() {
        for (LoopNodes.One each : nodes.nodes) {
            for (int i = 0; i < 10; i++) {
                // To forget goes with the next commit of its shard.
                each.client("new" + i + " at " + each.server, 1_000);
            }
            assertThat(each.store.state().remembered()).as("node %s", each.server).isZero();
        }
    }

    @Test
    void message_that_its_client_sends_again_at_another_node_is_not_delivered_twice() {
        TestClient subscriber = subscriber(3, "s");
        moveInTheMiddle();
        takes(subscriber);
        publish();
        assertThat(subscriber.payloads()).containsExactly("m");
        end();
        assertThat(subscriber.payloads()).containsExactly("m");
    }

    @Test
    void message_is_not_delivered_twice_when_the_node_of_its_publisher_starts_anew() {
        TestClient subscriber = subscriber(3, "s");
        moveInTheMiddle();
        takes(subscriber);
        restart(1);
        publisher = publisherAt(2);
        publish();
        assertThat(subscriber.payloads()).containsExactly("m");
        end();
        assertThat(subscriber.payloads()).containsExactly("m");
        nobodyRemembers();
    }

    @Test
    void subscriber_at_the_publishers_node_gets_the_message_once_when_that_starts_anew() {
        TestClient subscriber = subscriber(1, "s");
        moveInTheMiddle();
        takes(subscriber);
        restart(1);
        publisher = publisherAt(2);
        subscriber = session(1, "s");
        publish();
        assertThat(subscriber.payloads()).isEmpty();
        end();
        assertThat(subscriber.payloads()).isEmpty();
        nobodyRemembers();
    }

    @Test
    void message_is_not_delivered_twice_when_all_nodes_that_know_it_start_anew() {
        TestClient subscriber = subscriber(3, "s");
        moveInTheMiddle();
        takes(subscriber);
        restart(3);
        restart(1);
        restart(2);
        publisher = publisherAt(2);
        subscriber = session(3, "s");
        publish();
        assertThat(subscriber.payloads()).isEmpty();
        end();
        assertThat(subscriber.payloads()).isEmpty();
        nobodyRemembers();
    }

    /** Its connections at the two nodes are on different shards. */
    @ParameterizedTest(name = "first from shard {0}")
    @ValueSource(ints = {0, 1})
    void message_that_comes_again_by_another_node_is_not_overtaken_by_the_next_one(int shard) {
        subscriber(4, "s");
        nodes.node(4).crash();
        nodes.settle();
        publisher = publisherAt(1, shard);
        publish(7, "m");
        publisher = publisherAt(2, 1 - shard);
        publish(7, "m");
        publish(8, "next");
        nodes.node(4).restart();
        nodes.pass(2_000);
        TestClient late = session(4, "s");
        assertThat(late.payloads()).containsExactly("m", "next");
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void publishers_and_subscribers_go_from_node_to_node_under_live_traffic(long seed) {
        for (boolean breaks : new boolean[] {false, true}) {
            Map<String, Integer> counts =
                    RoamingClients.run(seed, breaks, false, false, false, true, false, Rules.ALL);
            assertThat(counts.get("sent again")).isGreaterThan(30);
            assertThat(counts.get("released again")).isGreaterThan(10);
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {32, 38, 48, 57})
    void publishers_go_from_node_to_node_while_publishes_are_slower_than_all_else(long seed) {
        Map<String, Integer> counts =
                RoamingClients.run(seed, false, false, false, true, true, true, Rules.ALL);
        assertThat(counts.get("sent again")).isGreaterThan(30);
        assertThat(counts.get("released again")).isGreaterThan(10);
    }

    @Test
    void message_is_not_delivered_twice_when_its_clients_node_was_away_meanwhile() {
        TestClient subscriber = subscriber(3, "s");
        moveInTheMiddle();
        takes(subscriber);
        nodes.node(2).crash();
        restart(3);
        restart(1);
        nodes.node(2).restart();
        nodes.pass(2_000);
        publisher = publisherAt(2);
        subscriber = session(3, "s");
        publish();
        assertThat(subscriber.payloads()).isEmpty();
        end();
        assertThat(subscriber.payloads()).isEmpty();
    }
}
