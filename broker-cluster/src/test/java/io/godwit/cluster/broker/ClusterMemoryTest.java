package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.publish.LeaderAway;
import io.godwit.core.load.MemoryClass;
import io.godwit.core.metrics.Metric;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.settings.Limits;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.Rules;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What nodes know of each other's clients is in the account, and leaves it. */
class ClusterMemoryTest {
    private static final int CLIENTS = 100;

    private final LoopNodes nodes = new LoopNodes(3, new SplittableRandom(1));

    private long account(int server, MemoryClass of) {
        nodes.pass(200);
        return nodes.node(server).node().broker().context().load().memory().account(of);
    }

    private long sessions(int server) {
        return account(server, MemoryClass.SESSIONS);
    }

    private static void end(TestClient client) {
        Properties now = Properties.builder().add(Property.SESSION_EXPIRY_INTERVAL, 0).build();
        client.send(new Packet.Disconnect(ReasonCode.SUCCESS, now));
    }

    @Test
    void sessions_are_charged_at_the_node_that_has_them() {
        List<TestClient> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            nodes.node(1).id("client-" + i);
            clients.add(nodes.node(2).client("client-" + i, 3_600));
        }
        assertThat(sessions(1)).isGreaterThanOrEqualTo(600L * CLIENTS);
        assertThat(sessions(2)).isZero();
        assertThat(sessions(3)).isZero();

        clients.forEach(ClusterMemoryTest::end);
        nodes.settle();

        assertThat(sessions(1)).isZero();
    }

    @Test
    void registered_client_ids_are_charged_at_their_leader_until_their_connections_end() {
        List<TestClient> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            nodes.node(1).id("client-" + i);
            clients.add(nodes.node(2).client("client-" + i, 0));
        }
        assertThat(sessions(1)).isBetween(100L * CLIENTS, 300L * CLIENTS);
        assertThat(sessions(2)).isBetween(700L * CLIENTS, 900L * CLIENTS);
        assertThat(sessions(3)).isZero();

        clients.forEach(TestClient::cut);
        nodes.settle();

        assertThat(sessions(1)).isZero();
        assertThat(sessions(2)).isZero();
    }

    @Test
    void client_whose_leader_has_no_room_is_refused_as_one_that_is_connected_there() {
        LoopNodes small =
                new LoopNodes(
                        3,
                        new SplittableRandom(1),
                        LeaderAway.WAIT,
                        Rules.ALL,
                        Limits.with(limits -> limits.sessionBytes = 10_000),
                        OverloadSettings.DEFAULTS);
        small.node(1).id("elsewhere");
        List<TestClient> here = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            here.add(small.node(1).client("here-" + i, 0));
        }
        small.pass(200);
        long used =
                small.node(1)
                        .node()
                        .broker()
                        .context()
                        .load()
                        .memory()
                        .account(MemoryClass.SESSIONS);
        here.getFirst().subscribe(1, 0, "f".repeat((int) (10_000 - used - 250)));
        small.settle();
        int refused = ReasonCode.QUOTA_EXCEEDED.code();
        assertThat(connAck(here.getLast())).isEqualTo(refused);
        long before = small.node(1).node().count(Metric.REFUSED_SESSIONS);

        TestClient elsewhere = small.node(2).client("elsewhere", 0);

        assertThat(connAck(elsewhere)).isEqualTo(refused);
        assertThat(elsewhere.isClosed()).isTrue();
        assertThat(small.node(1).node().count(Metric.REFUSED_SESSIONS)).isEqualTo(before + 1);
        here.forEach(TestClient::cut);
        small.pass(200);
        assertThat(connAck(small.node(2).client("elsewhere", 0))).isZero();
    }

    private static int connAck(TestClient client) {
        return ((Packet.ConnAck) client.packets().getFirst()).code();
    }

    @Test
    void names_that_a_link_has_brought_are_charged_until_it_ends() {
        TestClient subscriber = nodes.node(1).subscriber("s", "#");
        TestClient publisher = nodes.node(2).client("p", 0);
        long before = account(1, MemoryClass.ROUTES);
        for (int i = 0; i < CLIENTS; i++) {
            publisher.publish("topic/" + i, 0, 0, "m");
            nodes.settle();
        }
        assertThat(subscriber.payloads()).hasSize(CLIENTS);
        long with = account(1, MemoryClass.ROUTES);
        assertThat(with).isGreaterThan(before + 50L * CLIENTS);
        nodes.cut(nodes.node(1), nodes.node(2));
        nodes.cut(nodes.node(1), nodes.node(3));
        // The routes that topics keep are still there.
        assertThat(account(1, MemoryClass.ROUTES)).isLessThan(with - 4_096 - 50L * CLIENTS);
    }
}
