package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.publish.ShardStreams;
import io.godwit.cluster.stream.StreamRules;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.node.SettableTime;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import io.godwit.core.store.KeptStore;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A node whose followers confirm nothing. They may do so only when they have heard who leads which
 * slot, by the stream of what is retained: nothing in it may wait for them.
 */
class UnconfirmedCommitTest {
    private final SourceNode node =
            new SourceNode(
                    1,
                    StreamRules.ALL,
                    new KeptStore(1),
                    new SettableTime(),
                    (gone, loadedBy) -> false,
                    (copySet, position) -> false);

    private final LoopLink link = new LoopLink(node.start(), new NodeStart(2, 1), 1);

    @BeforeEach
    void linkUp() {
        node.up(link);
        node.onEachShard(ShardStreams::allKnown);
        node.onEachShard(ShardStreams::ready);
        node.node.settle();
    }

    private void publishRetained() {
        TestClient publisher = node.node.open(1, ProtocolVersion.MQTT_5);
        publisher.connect("p", true, 100, 0);
        node.node.settle();
        publisher.send(
                new Packet.Publish(
                        Topic.of("t"),
                        2,
                        false,
                        true,
                        7,
                        Properties.NONE,
                        "m".getBytes(StandardCharsets.UTF_8)));
        node.node.settle();
        assertThat(publisher.packets()).noneMatch(each -> each.type() == PacketType.PUBREC);
    }

    private int shared() {
        return link.sent(TrafficClass.APPENDS).size();
    }

    @Test
    void retained_message_of_qos_2_goes_to_other_nodes_when_its_id_is_kept_here() {
        int before = shared();
        publishRetained();
        assertThat(shared()).isEqualTo(before + 1);
    }

    @Test
    void what_follows_a_retained_message_of_qos_2_goes_to_other_nodes() {
        publishRetained();
        int before = shared();
        node.onOwner(() -> node.overs.tookOver(node.start(), 1, 3, 20, new BitSet(), () -> {}));
        node.node.settle();
        assertThat(shared()).isEqualTo(before + 1);
    }
}
