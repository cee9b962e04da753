package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.KeptState;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The last member of a shared group has completed a QoS 2 message and leaves, and its node has not
 * answered the node that has sent the message: it may be sent again, to a follower that adopts the
 * group's queue.
 */
class GroupThatAllHaveLeftTest extends GroupsFixture {
    private TestClient member;
    private TestClient publisher;

    @BeforeEach
    void memberHasTheMessage() {
        member = member(2, "member", 2, 1_000);
        publisher = publisher(1);
        nodes.node(1).slowFrom = 2;
        List<String> said = publish(publisher, 2, 1);
        assertThat(take(member)).isEqualTo(said);
    }

    private void completes() {
        acks(member, PacketType.PUBREL).forEach(id -> member.ack(PacketType.PUBCOMP, id));
        nodes.settle();
    }

    private void leaves() {
        member.send(new Packet.Unsubscribe(2, List.of(TopicFilter.of(GROUP)), Properties.NONE));
        nodes.settle();
    }

    private int remembered() {
        KeptState kept = nodes.node(2).store.state();
        return kept.group(TopicFilter.of(GROUP)).stream()
                .mapToInt(queueId -> kept.remembered(queueId).size())
                .sum();
    }

    private void publisherCompletes() {
        nodes.node(1).slowFrom = 0;
        nodes.pass(1_000);
        acks(publisher, PacketType.PUBREC).forEach(id -> publisher.ack(PacketType.PUBREL, id));
        nodes.pass(5_000);
    }

    private void nothingIsLeft() {
        assertThat(nodes.node(2).store.state().groups()).isZero();
        assertThat(nodes.node(2).store.state().rows()).isZero();
    }

    @Test
    void it_remembers_the_message_until_that_can_not_come_again() {
        completes();
        leaves();
        assertThat(remembered()).isEqualTo(1);
        publisherCompletes();
        nothingIsLeft();
    }

    @Test
    void so_it_does_when_the_member_leaves_first() {
        leaves();
        completes();
        assertThat(remembered()).isEqualTo(1);
        publisherCompletes();
        nothingIsLeft();
    }

    /** Ends the only member's session while messages wait for it. */
    @Test
    void it_drops_what_waits() {
        member.cut();
        nodes.settle();
        publish(publisher, 1, 3);
        nodes.pass(3_000);
        assertThat(nodes.node(2).store.state().rows()).isEqualTo(4);
        member = nodes.node(2).connect("member", true, 0);
        nodes.settle();
        assertThat(remembered()).isEqualTo(1);
        assertThat(nodes.node(2).store.state().rows()).isZero();
        publisherCompletes();
        nothingIsLeft();
    }
}
