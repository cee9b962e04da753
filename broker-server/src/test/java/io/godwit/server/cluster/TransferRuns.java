package io.godwit.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.Main;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Nodes that are stopped in order, under load at the others, give their sessions to nodes with
 * copies: everything acknowledged arrives, QoS 2 once, in order.
 */
@Tag("alone")
class TransferRuns {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int PAIRS = 16;

    /** Starts three nodes, and waits until all copies are whole. */
    static ClusterProcesses whole() {
        ClusterProcesses cluster =
                new ClusterProcesses(
                        3,
                        "cluster.nodes=3",
                        "cluster.rebalance-after=3s",
                        "cluster.drain-wait=100ms");
        cluster.startAll();
        awaitWhole(cluster);
        return cluster;
    }

    static void awaitWhole(ClusterProcesses cluster) {
        cluster.awaitLive(3, SOON, 1, 2, 3);
        for (int node = 1; node <= 3; node++) {
            int each = node;
            cluster.await(
                    "copies of n" + node + " are whole",
                    SOON,
                    () -> cluster.status(each).get("copies").get("whole").asBoolean());
        }
    }

    static boolean servesSubscribers(ClusterProcesses cluster, int node) {
        return cluster.served(node).stream().anyMatch(each -> each.startsWith("subscriber"));
    }

    /** Stops a node in order, which gives all its sessions away. */
    static void stop(ClusterProcesses cluster, int node) throws Exception {
        cluster.node(node).terminate();
        assertThat(cluster.node(node).exitCode()).as(cluster.story()).isZero();
        cluster.awaitLine(node, SOON, "Left the cluster: other nodes lead all durable sessions");
    }

    @Test
    void node_that_is_stopped_gives_its_sessions_away_and_gets_some_when_it_is_back()
            throws Exception {
        try (ClusterProcesses cluster = whole();
                FailoverLoad load = new FailoverLoad(cluster, PAIRS, 2, 3)) {
            load.begin();
            load.runFor(Duration.ofSeconds(2));
            load.addPairsUntil(() -> servesSubscribers(cluster, 1));
            load.longestOutageMs();
            stop(cluster, 1);
            load.awaitAllServed(Duration.ofSeconds(20));
            System.out.println("longest outage: " + load.longestOutageMs() + " ms");
            cluster.start(1);
            awaitWhole(cluster);
            cluster.await("node 1 gets sessions", SOON, () -> servesSubscribers(cluster, 1));
            load.awaitAllServed(Duration.ofSeconds(20));
            System.out.println("longest outage at return: " + load.longestOutageMs() + " ms");
            load.finish();
        }
    }

    @Test
    void rolling_restart_of_all_nodes_loses_nothing() throws Exception {
        try (ClusterProcesses cluster = whole();
                FailoverLoad load = new FailoverLoad(cluster, PAIRS, 1, 2, 3)) {
            load.begin();
            load.runFor(Duration.ofSeconds(2));
            for (int node = 1; node <= 3; node++) {
                load.longestOutageMs();
                stop(cluster, node);
                load.awaitAllServed(Duration.ofSeconds(20));
                System.out.println("longest outage: " + load.longestOutageMs() + " ms");
                cluster.start(node);
                awaitWhole(cluster);
            }
            load.awaitAllServed(Duration.ofSeconds(20));
            load.finish();
        }
    }

    /**
     * Runs {@code godwit cluster NAME} for a node by its admin port.
     *
     * @return the exit code
     */
    static int command(ClusterProcesses cluster, String name, int node) {
        return Main.execute(
                "cluster",
                name,
                ClusterProcesses.name(node),
                "--admin",
                "127.0.0.1:" + cluster.node(node).port("admin"));
    }

    @Test
    void node_that_is_drained_by_a_command_leads_no_session_until_it_is_undrained()
            throws Exception {
        try (ClusterProcesses cluster = whole();
                FailoverLoad load = new FailoverLoad(cluster, PAIRS, 1, 2, 3)) {
            load.begin();
            load.runFor(Duration.ofSeconds(2));
            load.addPairsUntil(() -> servesSubscribers(cluster, 2));
            assertThat(command(cluster, "drain", 2)).as(cluster.story()).isZero();
            assertThat(cluster.status(2).get("slots").get("drain").asText()).isEqualTo("drained");
            load.awaitAllServed(Duration.ofSeconds(20));
            assertThat(servesSubscribers(cluster, 2)).isFalse();
            load.runFor(Duration.ofSeconds(6));
            assertThat(servesSubscribers(cluster, 2)).as("it gets nothing back").isFalse();
            assertThat(command(cluster, "undrain", 2)).isZero();
            cluster.await("node 2 gets sessions", SOON, () -> servesSubscribers(cluster, 2));
            load.awaitAllServed(Duration.ofSeconds(20));
            load.finish();
        }
    }
}
