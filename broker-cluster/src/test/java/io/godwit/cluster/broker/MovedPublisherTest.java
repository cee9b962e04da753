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
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A client publishes at QoS 2 and goes to another node in the middle of the handshake, since not
 * everybody has its message: nodes that start anew meanwhile don't deliver it twice.
 */
@Disabled("needs remote connections")
class MovedPublisherTest {
    private LoopNodes nodes;

    @SuppressWarnings("NullAway.Init") // each test sets it
    private TestClient publisher;

    @BeforeEach
    void fourNodes() {
        nodes = new LoopNodes(4, new SplittableRandom(1));
    }

    private TestClient subscriber(int node, String id) {
        TestClient client = nodes.node(node).client(id, 1_000);
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
        client.connect("publisher", false, 1_000, 0);
        nodes.settle();
        return client;
    }

    /** Its message waits for node 4, which is dead, and its session goes from node 1 to node 2. */
    private void moveInTheMiddle() {
        subscriber(4, "away");
        nodes.node(4).crash();
        nodes.settle();
        publisher = nodes.node(1).client("publisher", 1_000);
        publish();
        assertThat(acks(publisher, PacketType.PUBREC)).isEmpty();
        publisher.cut();
        nodes.settle();
        publisher = nodes.node(2).client("publisher", 1_000);
        assertThat(publisher.packets()).hasSize(1);
        int before = nodes.node(1).store.state().sessions();
        nodes.pass(8_000);
        assertThat(nodes.node(1).store.state().sessions()).as("kept").isEqualTo(before - 1);
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
        TestClient late = nodes.node(4).client("away", 1_000);
        nodes.settle();
        takes(late);
    }

    private void nobodyRemembers() {
        for (LoopNodes.One each : nodes.nodes) {
            for (int i = 0; i < 10; i++) {
                each.client("new" + i, 1_000); // To forget goes with the next commit of its shard.
            }
            assertThat(each.store.state().remembered()).as("node %s", each.server).isZero();
        }
    }

    @Test
    void every_node_recognises_what_comes_again_by_another_one() {
        TestClient subscriber = subscriber(3, "s");
        moveInTheMiddle();
        takes(subscriber);
        publish();
        assertThat(subscriber.payloads()).containsExactly("m");
        end();
        assertThat(subscriber.payloads()).containsExactly("m");
    }

    @Test
    void the_node_where_it_came_in_starts_anew() {
        TestClient subscriber = subscriber(3, "s");
        moveInTheMiddle();
        takes(subscriber);
        restart(1);
        publish();
        assertThat(subscriber.payloads()).containsExactly("m");
        end();
        assertThat(subscriber.payloads()).containsExactly("m");
        nobodyRemembers();
    }

    @Test
    void the_node_where_it_came_in_starts_anew_and_has_a_subscriber() {
        TestClient subscriber = subscriber(1, "s");
        moveInTheMiddle();
        takes(subscriber);
        restart(1);
        subscriber = nodes.node(1).client("s", 1_000);
        publish();
        assertThat(subscriber.payloads()).isEmpty();
        end();
        assertThat(subscriber.payloads()).isEmpty();
        nobodyRemembers();
    }

    @Test
    void the_node_of_a_subscriber_and_both_homes_of_the_publisher_start_anew() {
        TestClient subscriber = subscriber(3, "s");
        moveInTheMiddle();
        takes(subscriber);
        restart(3);
        restart(1);
        restart(2);
        publisher = nodes.node(2).client("publisher", 1_000);
        subscriber = nodes.node(3).client("s", 1_000);
        publish();
        assertThat(subscriber.payloads()).isEmpty();
        end();
        assertThat(subscriber.payloads()).isEmpty();
        nobodyRemembers();
    }

    /** Its queue must not have forgotten the message at the home before. */
    @Test
    void a_subscriber_goes_to_a_node_where_the_message_is_still_to_come() {
        subscriber(2, "other");
        TestClient subscriber = subscriber(3, "s");
        publisher = nodes.node(1).client("publisher", 1_000);
        nodes.node(1).linkTo(2).isSlow = true;
        publish();
        takes(subscriber);
        publisher = nodes.node(2).client("publisher", 1_000);
        publish();
        assertThat(acks(publisher, PacketType.PUBREC)).containsExactly(7);
        publisher.ack(PacketType.PUBREL, 7);
        nodes.pass(2_000);
        restart(3);
        subscriber = nodes.node(2).client("s", 1_000);
        nodes.node(1).linkTo(2).isSlow = false;
        nodes.pass(20_000);
        assertThat(subscriber.payloads()).isEmpty();
        nobodyRemembers();
    }

    /** Its node knows the message, which was still on its way to where the subscriber was. */
    @Test
    void a_subscriber_that_has_come_since_gets_what_is_sent_again() {
        TestClient other = subscriber(2, "other");
        TestClient transientOne = nodes.node(2).client("transient", 0);
        transientOne.subscribe(1, 2, "t");
        subscriber(3, "s");
        publisher = nodes.node(1).client("publisher", 1_000);
        nodes.node(1).linkTo(3).isSlow = true;
        publish();
        assertThat(acks(publisher, PacketType.PUBREC)).isEmpty();
        TestClient subscriber = nodes.node(2).client("s", 1_000);
        restart(1);
        nodes.pass(20_000);
        publisher = nodes.node(1).client("publisher", 1_000);
        publish();
        assertThat(acks(publisher, PacketType.PUBREC)).containsExactly(7);
        assertThat(subscriber.payloads()).containsExactly("m");
        assertThat(other.payloads()).containsExactly("m");
        assertThat(transientOne.payloads()).containsExactly("m");
        publisher.ack(PacketType.PUBREL, 7);
        nodes.pass(20_000);
        nobodyRemembers();
    }

    /** The streams of its two homes come to different shards of the subscriber's node. */
    @ParameterizedTest(name = "first from shard {0}")
    @ValueSource(ints = {0, 1})
    void what_comes_again_by_another_node_does_not_let_the_next_one_overtake_it(int shard) {
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
        TestClient late = nodes.node(4).client("s", 1_000);
        assertThat(late.payloads()).containsExactly("m", "next");
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void publishers_and_subscribers_that_move_under_live_traffic(long seed) {
        for (boolean breaks : new boolean[] {false, true}) {
            Map<String, Integer> counts =
                    MovingSessions.run(seed, breaks, false, false, false, true, false, Rules.ALL);
            assertThat(counts.get("sent again")).isGreaterThan(30);
            assertThat(counts.get("released again")).isGreaterThan(10);
        }
    }

    /**
     * What an earlier home has sent comes when the publisher is done with it: seeds that failed.
     */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {32, 38, 48, 57})
    void messages_that_are_slower_than_what_nodes_tell_each_other(long seed) {
        Map<String, Integer> counts =
                MovingSessions.run(seed, false, false, false, true, true, true, Rules.ALL);
        assertThat(counts.get("sent again")).isGreaterThan(30);
        assertThat(counts.get("released again")).isGreaterThan(10);
    }

    /** Node 3 dies between being asked and answering what is on its way: the drain did not end. */
    @Test
    void a_node_that_dies_before_it_has_answered_is_asked_again() {
        MovingSessions.run(22, true, true, false, true, true, true, Rules.ALL);
    }

    /** Nobody could say yet where the publisher's session is. */
    @Test
    void the_new_home_is_away_while_the_others_start_anew() {
        TestClient subscriber = subscriber(3, "s");
        moveInTheMiddle();
        takes(subscriber);
        nodes.node(2).crash();
        restart(1);
        restart(3);
        nodes.node(2).restart();
        nodes.pass(2_000);
        publisher = nodes.node(2).client("publisher", 1_000);
        subscriber = nodes.node(3).client("s", 1_000);
        publish();
        assertThat(subscriber.payloads()).isEmpty();
        end();
        assertThat(subscriber.payloads()).isEmpty();
    }

    /** The session was given, and the node that was to get it had died: it is taken back. */
    @Test
    void the_session_never_left_and_its_node_starts_anew() {
        TestClient subscriber = subscriber(3, "s");
        subscriber(4, "away");
        nodes.node(4).crash();
        nodes.settle();
        publisher = nodes.node(1).client("publisher", 1_000);
        publish();
        takes(subscriber);
        publisher.cut();
        nodes.settle();
        nodes.node(2).slowFrom = 1;
        nodes.node(2).connect("publisher", false, 1_000);
        nodes.settle();
        nodes.node(2).crash();
        nodes.node(2).slowFrom = 0;
        restart(1);
        nodes.node(2).restart();
        nodes.pass(2_000);
        publisher = nodes.node(1).client("publisher", 1_000);
        publish();
        assertThat(subscriber.payloads()).containsExactly("m");
        end();
        assertThat(subscriber.payloads()).containsExactly("m");
    }
}
