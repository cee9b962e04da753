package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.stream.StreamRule;
import io.godwit.cluster.stream.StreamRules;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node that did not run for a while acknowledges nothing that others subscribed to meanwhile. */
class PausedNodeTest {
    private LoopNodes nodes;
    private LoopNodes.One paused;
    private LoopNodes.One other;
    private TestClient publisher;

    @BeforeEach
    void twoNodes() {
        nodes(2);
    }

    private void nodes(int count) {
        nodes = new LoopNodes(count, new SplittableRandom(1));
        paused = nodes.node(1);
        other = nodes.node(2);
        publisher = paused.client("publisher", 0);
    }

    /** The node stops, and the other one no longer waits for it. */
    private void pause(long ms) {
        paused.isPaused = true;
        nodes.pass(ms);
        other.silent(paused);
        nodes.settle();
    }

    /** Meanwhile somebody subscribes there, and then it runs again. */
    private TestClient subscribedWhilePaused() {
        pause(2_000);
        TestClient subscriber = other.subscriber("subscriber", "t");
        wake();
        return subscriber;
    }

    /** It runs again, and has not been heard yet. */
    private void wake() {
        paused.isPaused = false;
    }

    private void heard() {
        other.heard(paused);
        nodes.settle();
    }

    private static boolean isAcknowledged(TestClient by, int packetId) {
        return by.packets().stream()
                .anyMatch(packet ->
                        packet instanceof Packet.Ack ack
                                && ack.type() == PacketType.PUBACK
                                && ack.packetId() == packetId);
    }

    private void neverLost(TestClient by, TestClient subscriber) {
        nodes.settle();
        assertThat(isAcknowledged(by, 1)).isFalse();
        heard();
        assertThat(isAcknowledged(by, 1)).isTrue();
        assertThat(subscriber.payloads()).contains("text");
    }

    @Test
    void the_first_publish_of_a_connection_waits() {
        TestClient subscriber = subscribedWhilePaused();
        publisher.publish("t", 1, 1, "text");
        neverLost(publisher, subscriber);
    }

    @Test
    void without_asking_the_others_a_message_is_acknowledged_and_lost() {
        nodes =
                new LoopNodes(
                        2,
                        new SplittableRandom(1),
                        StreamRules.without(StreamRule.ASKS_AFTER_PAUSE));
        paused = nodes.node(1);
        other = nodes.node(2);
        publisher = paused.client("publisher", 0);
        TestClient subscriber = subscribedWhilePaused();
        publisher.publish("t", 1, 1, "text");
        nodes.settle();
        assertThat(isAcknowledged(publisher, 1)).isTrue();
        heard();
        assertThat(subscriber.payloads()).isEmpty();
    }

    @Test
    void who_has_published_before_is_not_read() {
        publisher.publish("before", 0, 0, "");
        nodes.settle();
        TestClient subscriber = subscribedWhilePaused();
        publisher.publish("t", 1, 1, "text");
        neverLost(publisher, subscriber);
    }

    /** A process stops anywhere, and goes on there. */
    @Test
    void what_is_read_in_a_turn_that_began_before_the_pause_waits() {
        TestClient early = paused.client("early", 0);
        for (int shard = 0; shard < 2; shard++) {
            early.publish("before", 0, 0, "");
            publisher.publish("before", 0, 0, "");
        }
        TestClient subscriber = subscribedWhilePaused();
        publisher.publish("t", 1, 1, "text");
        neverLost(publisher, subscriber);
    }

    @Test
    void what_a_client_has_left_behind_that_is_gone_is_published() {
        TestClient subscriber = subscribedWhilePaused();
        publisher.publish("t", 1, 1, "text");
        publisher.cut();
        nodes.settle();
        assertThat(subscriber.payloads()).isEmpty();
        heard();
        assertThat(subscriber.payloads()).containsExactly("text");
    }

    @Test
    void a_node_that_was_not_missed_answers_at_once() {
        paused.isPaused = true;
        nodes.pass(700);
        wake();
        publisher.publish("t", 1, 1, "text");
        nodes.settle();
        assertThat(isAcknowledged(publisher, 1)).isTrue();
    }

    @Test
    void a_short_pause_is_none() {
        nodes.cut(paused, other);
        paused.isPaused = true;
        nodes.pass(300);
        wake();
        publisher.publish("t", 1, 1, "text");
        nodes.settle();
        assertThat(isAcknowledged(publisher, 1)).isTrue();
    }

    @Test
    void a_node_that_has_lost_its_link_is_waited_for_until_it_has_another() {
        pause(2_000);
        TestClient subscriber = other.subscriber("subscriber", "t");
        nodes.cut(paused, other);
        wake();
        publisher.publish("t", 1, 1, "text");
        nodes.pass(2_000);
        assertThat(isAcknowledged(publisher, 1)).isFalse();
        nodes.link(paused, other);
        nodes.settle();
        assertThat(isAcknowledged(publisher, 1)).isTrue();
        assertThat(subscriber.payloads()).containsExactly("text");
    }

    @Test
    void a_node_that_started_anew_meanwhile_is_asked() {
        pause(2_000);
        TestClient subscriber = other.subscriber("subscriber", "t");
        subscriber.cut();
        nodes.settle();
        other.crash();
        wake();
        publisher.publish("t", 1, 1, "text");
        nodes.settle();
        other.restart();
        nodes.settle();
        assertThat(isAcknowledged(publisher, 1)).isTrue();
        assertThat(other.client("subscriber", 1_000).payloads()).containsExactly("text");
    }

    @Test
    void a_node_that_stays_away_is_not_waited_for_forever() {
        pause(2_000);
        nodes.cut(paused, other);
        wake();
        publisher.publish("t", 1, 1, "text");
        nodes.pass(4_900);
        assertThat(isAcknowledged(publisher, 1)).isFalse();
        nodes.pass(200);
        assertThat(isAcknowledged(publisher, 1)).isTrue();
    }

    /** It dies before it can tell, and another one that does not know of it has told. */
    @Test
    void a_node_that_has_died_is_waited_for_also_once_another_has_answered() {
        nodes(3);
        pause(2_000);
        TestClient subscriber = other.subscriber("subscriber", "t");
        subscriber.cut();
        nodes.settle();
        other.crash();
        wake();
        publisher.publish("t", 1, 1, "text");
        nodes.pass(3_000);
        assertThat(isAcknowledged(publisher, 1)).isFalse();
        other.restart();
        nodes.settle();
        assertThat(isAcknowledged(publisher, 1)).isTrue();
        assertThat(other.client("subscriber", 1_000).payloads()).containsExactly("text");
    }

    @Test
    void a_node_that_is_forgotten_is_not_waited_for() {
        pause(2_000);
        other.crash();
        wake();
        publisher.publish("t", 1, 1, "text");
        nodes.pass(3_000);
        assertThat(isAcknowledged(publisher, 1)).isFalse();
        nodes.forget(2);
        nodes.settle();
        assertThat(isAcknowledged(publisher, 1)).isTrue();
    }

    @Test
    void a_second_pause_asks_again() {
        pause(2_000);
        wake();
        paused.tick(); // It has asked, and stops before it has an answer.
        other.heard(paused);
        other.deliver(100);
        other.settle();
        TestClient subscriber = subscribedWhilePaused();
        publisher.publish("t", 1, 1, "text");
        paused.deliver(1);
        neverLost(publisher, subscriber);
    }

    /** The others do not know of the filter before they hear of this node again. */
    @Test
    void a_suback_of_the_paused_node_waits_for_the_others_too() {
        pause(2_000);
        nodes.cut(paused, other);
        wake();
        TestClient late = paused.client("late", 1_000);
        late.subscribe(1, 1, "t");
        nodes.pass(2_000);
        assertThat(late.packets()).noneMatch(packet -> packet instanceof Packet.SubAck);
        nodes.link(paused, other);
        nodes.settle();
        assertThat(late.packets()).anyMatch(packet -> packet instanceof Packet.SubAck);
        TestClient there = other.client("there", 0);
        there.publish("t", 1, 1, "text");
        nodes.settle();
        assertThat(late.payloads()).containsExactly("text");
    }

    /** Then each asks, and neither waits for the other before it answers. */
    @Test
    void both_may_have_been_paused() {
        paused.isPaused = true;
        other.isPaused = true;
        nodes.pass(2_000);
        paused.isPaused = false;
        other.isPaused = false;
        TestClient subscriber = other.client("subscriber", 1_000);
        subscriber.subscribe(1, 1, "t");
        publisher.publish("u", 1, 1, "text");
        nodes.settle();
        assertThat(subscriber.packets()).anyMatch(packet -> packet instanceof Packet.SubAck);
        assertThat(isAcknowledged(publisher, 1)).isTrue();
    }
}
