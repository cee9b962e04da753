package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.NodeRef;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A publish that would wait for a node that is away, where the operator wants it refused. */
class LeaderAwayTest {
    private static final Set<String> REFUSES = Set.of("refusesForAway", "isAway");

    /** Another node has subscribers of "away/#", and is away. */
    private final TestNode node =
            new TestNode(
                    1, new FarNodes((method, arguments) -> REFUSES.contains(method) ? true : null));

    LeaderAwayTest() {
        node.broker.index().addNode(TopicFilter.of("away/#"), new NodeRef(9));
    }

    private TestClient publisher(ProtocolVersion version) {
        TestClient client = node.open(0, version);
        client.connect("p", true, 0, 0);
        node.settle();
        client.packets();
        return client;
    }

    @Test
    void a_client_that_can_be_told_is_told_before_anybody_gets_it() {
        TestClient subscriber = node.subscriber(0, "s", 1, "away/#");
        TestClient client = publisher(ProtocolVersion.MQTT_5);
        client.publish("away/a", 1, 1, "x");
        client.publish("away/a", 2, 2, "x");
        node.settle();
        assertThat(client.packets())
                .filteredOn(Packet.Ack.class::isInstance)
                .extracting(each -> ((Packet.Ack) each).reason())
                .containsExactly(ReasonCode.QUOTA_EXCEEDED, ReasonCode.QUOTA_EXCEEDED);
        assertThat(subscriber.payloads()).isEmpty();
        assertThat(node.count(Metric.REFUSED_NODE_AWAY)).isEqualTo(2);
    }

    @Test
    void what_does_not_go_to_that_node_is_not_refused() {
        TestClient client = publisher(ProtocolVersion.MQTT_5);
        client.publish("here", 1, 1, "x");
        node.settle();
        assertThat(client.acks(PacketType.PUBACK)).containsExactly(1);
        assertThat(node.count(Metric.REFUSED_NODE_AWAY)).isZero();
    }

    @Test
    void a_client_that_cannot_be_told_is_not_refused() {
        TestClient client = publisher(ProtocolVersion.MQTT_3_1_1);
        client.publish("away/a", 1, 1, "x");
        node.settle();
        assertThat(node.count(Metric.REFUSED_NODE_AWAY)).isZero();
    }
}
