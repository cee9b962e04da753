package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node that starts while another one, which has durable sessions, is out of reach. */
class AwayFiltersTest {
    private static final long EXPIRY_S = 1_000;

    private final LoopNodes nodes = new LoopNodes(3, new SplittableRandom(1));
    private final LoopNodes.One dead = nodes.node(1);
    private final LoopNodes.One started = nodes.node(2);
    private final LoopNodes.One witness = nodes.node(3);

    private static boolean isAcknowledged(TestClient by, int packetId) {
        return by.packets().stream()
                .anyMatch(packet ->
                        packet instanceof Packet.Ack ack
                                && ack.type() == PacketType.PUBACK
                                && ack.packetId() == packetId);
    }

    /** Longer than a start waits for anything. */
    private void passLong() {
        nodes.pass(10_000);
    }

    private void subscribedAtDead(String filter) {
        dead.subscriber("subscriber", filter).cut();
        nodes.settle();
    }

    private void subscriberGets(String text) {
        TestClient back = witness.client("subscriber", EXPIRY_S);
        passLong();
        assertThat(back.payloads()).containsExactly(text);
    }

    /** A member with a durable session ends, and then another one ends and starts. */
    private void startWhileAway(String filter) {
        subscribedAtDead(filter);
        dead.crash();
        passLong();
        started.crash();
        started.restart();
        passLong();
    }

    @Test
    void members_that_tell_their_filters_are_known_at_once() {
        assertThat(started.part().unknownMembers()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"t", "#", "$share/group/t"})
    void message_for_a_session_of_a_dead_node_waits_at_a_node_that_has_started_since(
            String filter) {
        startWhileAway(filter);

        TestClient publisher = started.client("publisher", 0);
        publisher.publish("t", 1, 1, "text");
        passLong();
        assertThat(isAcknowledged(publisher, 1)).isFalse();

        dead.restart();
        passLong();
        assertThat(isAcknowledged(publisher, 1)).isTrue();
        subscriberGets("text");
    }

    @Test
    void message_for_nobody_at_a_dead_node_is_acknowledged_at_a_node_that_has_started_since() {
        startWhileAway("t");

        TestClient publisher = started.client("publisher", 0);
        publisher.publish("other", 1, 1, "text");
        passLong();
        assertThat(isAcknowledged(publisher, 1)).isTrue();
    }

    @Test
    void filters_of_a_dead_node_are_told_on_by_a_node_that_was_told_them() {
        startWhileAway("t");
        witness.crash();
        witness.restart();
        passLong();

        TestClient publisher = witness.client("publisher", 0);
        publisher.publish("other", 1, 1, "text");
        publisher.publish("t", 1, 2, "text");
        passLong();
        assertThat(isAcknowledged(publisher, 1)).isTrue();
        assertThat(isAcknowledged(publisher, 2)).isFalse();
        dead.restart();
        passLong();
        assertThat(isAcknowledged(publisher, 2)).isTrue();
    }

    @Test
    void filters_that_are_on_their_way_are_not_told_again() {
        subscribedAtDead("t");
        dead.crash();
        passLong();
        started.crash();
        started.restart();
        LoopLink slow = witness.linkTo(started.server);
        slow.isSharedSlow = true;
        nodes.pass(3_000);
        int sent = slow.sent(TrafficClass.APPENDS).size();
        assertThat(sent).isPositive();
        passLong();
        assertThat(slow.sent(TrafficClass.APPENDS)).hasSize(sent);

        slow.isSharedSlow = false;
        nodes.settle();
        assertThat(started.part().unknownMembers()).isEmpty();
    }

    /** Nobody is left that knows what it had. */
    private TestClient publisherAfterOutage() {
        subscribedAtDead("t");
        dead.crash();
        started.crash();
        witness.crash();
        started.restart();
        passLong();
        TestClient publisher = started.client("publisher", 0);
        publisher.publish("t", 1, 1, "text");
        passLong();
        assertThat(isAcknowledged(publisher, 1)).isFalse();
        started.subscriber("meanwhile", "other"); // It has its SUBACK.
        witness.restart();
        passLong();
        assertThat(isAcknowledged(publisher, 1)).isFalse();
        assertThat(started.part().unknownMembers()).containsExactly(dead.server);
        return publisher;
    }

    @Test
    void after_an_outage_of_all_publishers_wait_for_the_last_node() {
        TestClient publisher = publisherAfterOutage();
        dead.restart();
        passLong();
        assertThat(isAcknowledged(publisher, 1)).isTrue();
        assertThat(started.part().unknownMembers()).isEmpty();
        subscriberGets("text");
    }

    @Test
    void after_an_outage_of_all_publishers_go_on_when_the_last_node_is_forgotten() {
        TestClient publisher = publisherAfterOutage();
        nodes.forget(dead.server);
        passLong();
        assertThat(isAcknowledged(publisher, 1)).isTrue();
        assertThat(started.part().unknownMembers()).isEmpty();
    }
}
