package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.load.MemoryClass;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.TopicFilter;
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

    /** Two of three nodes know of each session what others are to do without its home. */
    @Test
    void sessions_of_one_node_are_charged_at_those_that_know_of_them() {
        List<TestClient> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(nodes.node(1).client("client-" + i, 3_600));
        }
        assertThat(sessions(2)).isGreaterThan(300L * CLIENTS / 2);
        assertThat(sessions(3)).isGreaterThan(300L * CLIENTS / 2);
        assertThat(sessions(1)).isGreaterThan((600L + 120) * CLIENTS);

        clients.forEach(ClusterMemoryTest::end);
        nodes.settle();

        assertThat(sessions(1)).isZero();
        assertThat(sessions(2)).isZero();
        assertThat(sessions(3)).isZero();
    }

    @Test
    void what_is_known_of_a_forgotten_node_leaves_the_account() {
        for (int i = 0; i < CLIENTS; i++) {
            nodes.node(1).client("client-" + i, 3_600);
        }
        nodes.node(1).crash();
        nodes.pass(2_000);
        assertThat(sessions(2)).isGreaterThan(300L * CLIENTS / 2);
        nodes.forget(1);
        nodes.settle();
        assertThat(sessions(2)).isZero();
        assertThat(sessions(3)).isZero();
    }

    /** As long as a former home may pass on what comes for them. */
    @Test
    void the_filters_that_a_session_has_come_with_are_charged_until_nothing_comes_round() {
        String[] filters = new String[CLIENTS];
        for (int i = 0; i < CLIENTS; i++) {
            filters[i] = "t/" + i;
        }
        TestClient first = nodes.node(1).client("s", 3_600);
        first.subscribe(1, 1, filters);
        nodes.settle();
        long usual = sessions(1);
        TestClient second = nodes.node(2).client("s", 3_600);
        long arrived = sessions(2);
        second.send(
                new Packet.Unsubscribe(2, List.of(TopicFilter.of(filters[0])), Properties.NONE));
        nodes.settle();
        assertThat(sessions(2)).isLessThan(arrived);
        second.subscribe(3, 1, filters[0]);
        nodes.settle();
        assertThat(arrived).isGreaterThan(usual + 2L * 90 * CLIENTS);
        nodes.pass(20_000);
        assertThat(sessions(2)).isLessThan(usual + 1_000);
        end(second);
        nodes.settle();
        nodes.pass(5_000);
        for (int server = 1; server <= 3; server++) {
            assertThat(sessions(server)).as("node " + server).isZero();
        }
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
