package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.leadership.SlotLeaders;
import io.godwit.cluster.membership.Member;
import io.godwit.cluster.membership.Nodes;
import io.godwit.cluster.membership.Slots;
import io.godwit.cluster.transport.Forgotten;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Topic;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Leaders of slots are told in the stream that filters and retained messages share. */
class SlotLeadershipTest {
    private final LoopNodes nodes = new LoopNodes(3, new SplittableRandom(1));
    private final LoopNodes.One one = nodes.node(1);

    private final TestClient publisher = one.client("publisher", 0);

    private void publish(int packetId, boolean retain) {
        publisher.send(
                new Packet.Publish(
                        Topic.of("t"),
                        1,
                        false,
                        retain,
                        packetId,
                        Properties.NONE,
                        new byte[] {(byte) packetId}));
        nodes.settle();
    }

    private boolean isAcknowledged(int packetId) {
        return publisher.packets().stream()
                .anyMatch(each ->
                        each instanceof Packet.Ack ack
                                && ack.type() == PacketType.PUBACK
                                && ack.packetId() == packetId);
    }

    /** Node 1 takes all slots, as if the others were forgotten, and tells it to them. */
    private void lead() {
        NodeStart self = one.start();
        one.part()
                .slots()
                .onNodes(
                        new Nodes(
                                self,
                                List.of(new Member(self, 1, "n1", "")),
                                new Forgotten(Set.of(2, 3), 1),
                                Map.of(1, self),
                                new Slots(List.of(1))));
        nodes.settle();
        assertThat(one.part().slots().leaders().count(SlotLeaders.State.LED))
                .isEqualTo(Slots.COUNT);
    }

    /**
     * A message behind a retained one on its topic waits until each node has answered all that was
     * sent to it. The link to one of them breaks before it has answered the leaders of slots.
     */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void publisher_behind_leaders_that_a_broken_link_has_not_told_goes_on(int broken) {
        int other = 5 - broken;
        one.linkTo(other).isSharedSlow = true;
        publish(1, true);
        one.linkTo(broken).isSharedSlow = true;
        lead();
        one.linkTo(other).isSharedSlow = false;
        nodes.settle();
        publish(2, false);
        nodes.cut(one, nodes.node(broken));
        nodes.link(one, nodes.node(broken));
        nodes.settle();
        assertThat(isAcknowledged(2)).isTrue();
    }
}
