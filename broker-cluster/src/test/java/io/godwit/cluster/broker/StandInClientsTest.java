package io.godwit.cluster.broker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.HybridId;
import io.godwit.core.metrics.Metric;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Clients that keep nothing, while the leader of their slot is down or out of reach. */
class StandInClientsTest extends RoamingFixture {
    private static final int STANDS_IN_MS = 1_300;

    /** Connects with Clean Start, and a session that ends with the connection. */
    private TestClient connectClean(int node) {
        TestClient client = nodes.node(node).connectAs(clientId(), true, 0);
        nodes.settle();
        return client;
    }

    /** Has a durable session with a subscription, whose leader is node 1, and no connection. */
    private void leavesSession() {
        TestClient client = connect(1, 3600);
        client.subscribe(1, 1, "t");
        nodes.settle();
        client.cut();
        nodes.settle();
    }

    private void crash(int node) {
        nodes.node(node).crash();
        nodes.pass(STANDS_IN_MS);
    }

    private static boolean isTakenOver(TestClient client) {
        return client.packets().stream()
                .anyMatch(each ->
                        each instanceof Packet.Disconnect disconnect
                                && disconnect.reason() == ReasonCode.SESSION_TAKEN_OVER);
    }

    private long grantedByStandIns() {
        long sum = 0;
        for (int server = 2; server <= 3; server++) {
            for (int shard = 0; shard < 2; shard++) {
                sum +=
                        nodes.node(server)
                                .node()
                                .broker()
                                .shard(shard)
                                .counters()
                                .total(Metric.GRANTED_BY_STAND_IN);
            }
        }
        return sum;
    }

    @Test
    void transient_client_with_clean_start_is_served_while_the_leader_of_its_slot_is_down() {
        crash(1);
        TestClient older = connectClean(2);
        assertThat(connAck(older).code()).isZero();
        TestClient newer = connectClean(3);
        assertThat(connAck(newer).code()).isZero();
        assertThat(isTakenOver(older)).isTrue();
        assertThat(isTakenOver(newer)).isFalse();
        assertThat(grantedByStandIns()).isEqualTo(2);
    }

    @Test
    void client_of_mqtt_3_with_clean_session_is_served_while_the_leader_of_its_slot_is_down() {
        crash(1);
        TestClient client = nodes.node(2).node().open(0, ProtocolVersion.MQTT_3_1_1);
        client.connect(clientId(), true, 0, 0);
        nodes.settle();
        assertThat(connAck(client).code()).isZero();
    }

    @Test
    void client_that_waits_when_the_leader_dies_is_served_by_the_stand_in() {
        nodes.node(1).crash();
        nodes.settle();
        TestClient client = connectClean(2);
        assertThat(client.packets()).isEmpty();
        nodes.pass(STANDS_IN_MS);
        assertThat(connAck(client).code()).isZero();
    }

    @Test
    void client_without_clean_start_waits_for_the_leader_that_is_down() {
        crash(1);
        TestClient client = connect(2, 0);
        assertThat(client.packets()).isEmpty();
        nodes.node(1).restart();
        nodes.pass(500);
        assertThat(connAck(client).code()).isZero();
    }

    @Test
    void session_does_not_come_back_after_its_client_has_begun_anew_while_the_leader_was_down() {
        leavesSession();
        crash(1);
        publisher.publish("t", 1, 1, "m1");
        nodes.settle();
        assertThat(acknowledged()).as("it waits for the session").isZero();
        TestClient client = connectClean(2);
        client.cut();
        nodes.settle();
        nodes.node(1).restart();
        nodes.pass(1_500);
        assertThat(connAck(connect(3, 3600)).sessionPresent()).isFalse(); // [MQTT-3.1.2-4]
        assertThat(acknowledged()).as("nobody gets it any more").isOne();
    }

    @Test
    void session_does_not_come_back_while_the_client_that_has_begun_anew_is_connected() {
        leavesSession();
        crash(1);
        TestClient client = connectClean(2);
        nodes.node(1).restart();
        nodes.pass(1_500);
        assertThat(isTakenOver(client)).isFalse();
        assertThat(connAck(connect(3, 3600)).sessionPresent()).isFalse(); // [MQTT-3.1.2-4]
        assertThat(isTakenOver(client)).isTrue();
    }

    @Test
    void session_whose_client_has_not_come_meanwhile_is_there_when_the_leader_is_back() {
        leavesSession();
        crash(1);
        nodes.node(1).restart();
        nodes.pass(1_500);
        assertThat(connAck(connect(3, 3600)).sessionPresent()).isTrue();
    }

    private void cutOffLeader() {
        nodes.cut(nodes.node(1), nodes.node(2));
        nodes.cut(nodes.node(1), nodes.node(3));
        nodes.pass(STANDS_IN_MS);
    }

    private void healCut() {
        nodes.link(nodes.node(1), nodes.node(2));
        nodes.link(nodes.node(1), nodes.node(3));
        nodes.pass(1_500);
    }

    /** Publishes at node 1, which acknowledges it. */
    private void publishAtLeader(String payload) {
        TestClient client = nodes.node(1).connect("at-leader", true, 0);
        nodes.settle();
        client.publish("t", 1, 1, payload);
        nodes.settle();
        assertThat(client.packets()).hasAtLeastOneElementOfType(Packet.Ack.class);
        client.cut();
        nodes.settle();
    }

    private static List<String> payloads(TestClient client) {
        return client.packets().stream()
                .filter(Packet.Publish.class::isInstance)
                .map(each -> new String(((Packet.Publish) each).payload(), UTF_8))
                .toList();
    }

    @Test
    void leader_that_ran_all_the_time_ends_an_older_session_when_it_is_heard_again() {
        leavesSession();
        cutOffLeader();
        TestClient client = connectClean(2);
        assertThat(connAck(client).code()).isZero();
        healCut();
        assertThat(isTakenOver(client)).isFalse();
        assertThat(connAck(connect(3, 3600)).sessionPresent()).isFalse(); // [MQTT-3.1.2-4]
        assertThat(isTakenOver(client)).isTrue();
    }

    @Test
    void
            leader_ends_an_older_session_when_the_client_that_began_anew_has_gone_before_it_is_heard() {
        leavesSession();
        cutOffLeader();
        connectClean(2).cut();
        nodes.settle();
        healCut();
        assertThat(connAck(connect(3, 3600)).sessionPresent()).isFalse(); // [MQTT-3.1.2-4]
    }

    @Test
    void session_whose_client_came_to_the_leader_after_a_grant_stays_when_the_leader_is_heard() {
        leavesSession();
        cutOffLeader();
        TestClient client = connectClean(2);
        nodes.pass(100);
        connect(1, 3600).cut();
        nodes.settle();
        publishAtLeader("m1");
        healCut();
        assertThat(isTakenOver(client)).as("the older one").isTrue();
        TestClient back = connect(3, 3600);
        assertThat(connAck(back).sessionPresent()).isTrue();
        assertThat(payloads(back)).containsExactly("m1");
    }

    @Test
    void session_made_at_a_leader_that_is_cut_off_after_a_grant_outlives_a_restart_of_the_leader() {
        cutOffLeader();
        TestClient client = connectClean(2);
        nodes.pass(100);
        TestClient durable = connect(1, 3600);
        durable.subscribe(1, 1, "t");
        nodes.settle();
        durable.cut();
        nodes.settle();
        publishAtLeader("m1");
        nodes.node(1).crash();
        nodes.node(1).begin();
        nodes.pass(500);
        healCut();
        assertThat(isTakenOver(client)).as("the older one").isTrue();
        TestClient back = connect(3, 3600);
        assertThat(connAck(back).sessionPresent()).isTrue();
        assertThat(payloads(back)).containsExactly("m1");
    }

    @Test
    void session_that_is_connected_at_the_leader_stays_and_the_connection_elsewhere_ends() {
        TestClient durable = connect(1, 3600);
        cutOffLeader();
        TestClient client = connectClean(2);
        assertThat(connAck(client).code()).isZero();
        healCut();
        assertThat(isTakenOver(client)).isTrue();
        assertThat(isTakenOver(durable)).isFalse();
    }

    @Test
    void session_does_not_come_back_when_the_clock_of_its_leader_was_ahead_of_the_stand_in() {
        long ahead = (nodes.time.wallMs() + 4_000) << 16;
        for (int shard = 0; shard < 2; shard++) {
            nodes.node(1).node().broker().shard(shard).ids().observe(new HybridId(ahead, 0));
        }
        leavesSession();
        long sent = ahead + (1 << 16);
        nodes.node(2).part().observe(() -> sent);
        nodes.node(3).part().observe(() -> sent);
        crash(1);
        connectClean(2).cut();
        nodes.settle();
        nodes.node(1).restart();
        nodes.pass(1_500);
        assertThat(connAck(connect(3, 3600)).sessionPresent()).isFalse(); // [MQTT-3.1.2-4]
    }

    @Test
    void session_that_was_connected_when_its_leader_died_does_not_come_back_after_a_clean_start() {
        connect(1, 3600);
        crash(1);
        connectClean(2).cut();
        nodes.settle();
        nodes.node(1).restart();
        nodes.pass(1_500);
        assertThat(connAck(connect(3, 3600)).sessionPresent()).isFalse(); // [MQTT-3.1.2-4]
    }

    @Test
    void
            session_does_not_come_back_when_its_leader_dies_again_before_it_is_told_of_a_clean_start() {
        connect(1, 3600);
        crash(1);
        connectClean(2).cut();
        nodes.settle();
        nodes.node(1).begin();
        nodes.pass(200);
        nodes.node(1).crash();
        nodes.node(1).restart();
        nodes.pass(1_500);
        assertThat(connAck(connect(3, 3600)).sessionPresent()).isFalse(); // [MQTT-3.1.2-4]
    }

    @Test
    void session_does_not_come_back_after_a_clean_start_though_its_connection_was_lost_later() {
        TestClient durable = connect(1, 3600);
        cutOffLeader();
        TestClient client = connectClean(2);
        nodes.pass(100);
        durable.cut();
        nodes.settle();
        healCut();
        assertThat(isTakenOver(client)).isFalse();
        assertThat(connAck(connect(3, 3600)).sessionPresent()).isFalse(); // [MQTT-3.1.2-4]
    }

    @Test
    void nobody_stands_in_for_a_leader_that_another_node_hears() {
        nodes.cut(nodes.node(1), nodes.node(2));
        nodes.pass(STANDS_IN_MS);
        TestClient client = connectClean(2);
        nodes.pass(10_500);
        assertThat(connAck(client).code()).isEqualTo(ReasonCode.SERVER_UNAVAILABLE.code());
        assertThat(grantedByStandIns()).isZero();
        assertThat(connAck(connectClean(3)).code()).as("hears the leader").isZero();
    }
}
