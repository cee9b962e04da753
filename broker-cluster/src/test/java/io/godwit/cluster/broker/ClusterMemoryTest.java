package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.load.MemoryClass;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ReasonCode;
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
