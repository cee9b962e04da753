package io.godwit.cluster.broker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A leader that is silent when it gets a CONNECT from another node, and answers too late. */
class OpenedOnceTest extends RoamingFixture {
    private static final int PEER_TIMEOUT_MS = 1_000;

    private TestClient watcher;

    @BeforeEach
    void watchWills() {
        watcher = nodes.node(3).connect("watcher", true, 0);
        nodes.settle();
        watcher.subscribe(1, 2, "w");
        nodes.settle();
    }

    /**
     * Connects to node 2, which passes the CONNECT to node 1; that one stops before it reads it.
     */
    private TestClient connectAndStopLeader(boolean cleanStart, String will) {
        TestClient client = connectTo2(cleanStart, will);
        nodes.node(2).settle();
        nodes.node(1).deliver(Integer.MAX_VALUE);
        nodes.node(1).isPaused = true;
        return client;
    }

    private TestClient connectTo2(boolean cleanStart, String will) {
        TestClient client = nodes.node(2).node().open(0, ProtocolVersion.MQTT_5);
        client.send(
                new Packet.Connect(
                        ProtocolVersion.MQTT_5,
                        ClientId.of(clientId()),
                        cleanStart,
                        60,
                        new Will(Topic.of("w"), 2, false, will.getBytes(UTF_8), 0, Properties.NONE),
                        null,
                        null,
                        false,
                        Properties.builder().add(Property.SESSION_EXPIRY_INTERVAL, 3600).build()));
        return client;
    }

    private void cutOffLeader() {
        nodes.cut(nodes.node(1), nodes.node(2));
        nodes.cut(nodes.node(1), nodes.node(3));
    }

    /** The leader runs again: it reads what it got before it stopped, and then has links again. */
    private void wakeLeader() {
        nodes.node(1).isPaused = false;
        nodes.settle();
        nodes.link(nodes.node(1), nodes.node(2));
        nodes.link(nodes.node(1), nodes.node(3));
        nodes.pass(1_500);
    }

    private List<String> wills() {
        return watcher.payloads();
    }

    private long closedAt2() {
        long sum = 0;
        for (int shard = 0; shard < 2; shard++) {
            sum +=
                    nodes.node(2)
                            .node()
                            .broker()
                            .shard(shard)
                            .counters()
                            .total(Metric.CLIENTS_UNAVAILABLE);
        }
        return sum;
    }

    @Test
    void client_of_a_leader_that_is_out_of_reach_for_too_long_is_closed_and_has_one_will() {
        TestClient client = connectAndStopLeader(false, "first");
        cutOffLeader();
        nodes.pass(PEER_TIMEOUT_MS + 200);
        wakeLeader();
        client.cut();
        nodes.pass(200);
        assertThat(wills()).containsExactly("first");
        assertThat(client.packets()).isEmpty();
        assertThat(client.isClosed()).isTrue();
        assertThat(closedAt2()).isEqualTo(1);

        TestClient again = connectTo2(false, "second");
        nodes.settle();
        assertThat(connAck(again).code()).isZero();
        assertThat(wills()).containsExactly("first");
        again.cut();
        nodes.settle();
        assertThat(wills()).containsExactly("first", "second");
    }

    @Test
    void client_of_a_leader_that_is_silent_for_claim_wait_is_closed_and_has_one_will() {
        TestClient client = connectAndStopLeader(false, "first");
        nodes.node(2).silent(nodes.node(1));
        nodes.pass(10_200);
        assertThat(client.packets()).isEmpty();
        assertThat(client.isClosed()).isTrue();
        client.cut();
        nodes.node(1).isPaused = false;
        nodes.settle();
        nodes.node(2).heard(nodes.node(1));
        nodes.pass(1_500);
        assertThat(wills()).containsExactly("first");
        TestClient again = connectTo2(false, "second");
        nodes.settle();
        assertThat(connAck(again).code()).isZero();
    }

    @Test
    void client_of_a_leader_that_is_back_in_time_is_served_and_has_one_will() {
        TestClient client = connectAndStopLeader(true, "first");
        cutOffLeader();
        nodes.pass(PEER_TIMEOUT_MS - 400);
        wakeLeader();
        assertThat(client.packets()).hasSize(1);
        assertThat(connAck(client).sessionPresent()).isFalse();
        assertThat(wills()).isEmpty();
        client.cut();
        nodes.settle();
        assertThat(wills()).containsExactly("first");
    }

    @Test
    void client_whose_leader_could_not_be_asked_waits_and_is_served_once() {
        cutOffLeader();
        nodes.settle();
        TestClient client = connectTo2(false, "first");
        nodes.pass(PEER_TIMEOUT_MS + 1_000);
        assertThat(client.isClosed()).isFalse();
        wakeLeader();
        assertThat(client.packets()).hasSize(1);
        assertThat(connAck(client).sessionPresent()).isFalse();
        assertThat(wills()).isEmpty();
    }
}
