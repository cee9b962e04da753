package io.godwit.server.cluster;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Larger and longer than {@link FailoverClusterIT}, and in no build: {@code -Dit.test=FailoverRuns}
 * runs them. Nodes are lost, or sleep, while clients at random nodes publish; everything
 * acknowledged arrives, QoS 2 once, in order.
 */
@Tag("alone")
class FailoverRuns {
    private static final Duration SOON = Duration.ofSeconds(120);

    /** {@code cluster.failover-timeout} and 2 s. */
    private static final Duration SERVED_WITHIN = Duration.ofSeconds(8);

    private static final int PAIRS = 12;
    private static final int SESSIONS = Integer.getInteger("failover.sessions", 2_000);
    private static final int MESSAGES = Integer.getInteger("failover.messages", 50);

    private static ClusterProcesses whole(int copies) {
        return whole(copies, "1m");
    }

    /**
     * @param rebalanceAfter a set that a node has just got has no whole copy yet if it is lost
     */
    private static ClusterProcesses whole(int copies, String rebalanceAfter) {
        ClusterProcesses cluster =
                new ClusterProcesses(
                        3,
                        "cluster.nodes=3",
                        "cluster.copies=" + copies,
                        "cluster.rebalance-after=" + rebalanceAfter);
        cluster.startAll();
        cluster.awaitLive(3, SOON, 1, 2, 3);
        awaitWhole(cluster, 1, 2, 3);
        return cluster;
    }

    private static void awaitWhole(ClusterProcesses cluster, int... nodes) {
        cluster.await(
                "copies are whole",
                SOON,
                () ->
                        IntStream.of(nodes)
                                .allMatch(each ->
                                        cluster.status(each)
                                                .get("copies")
                                                .get("whole")
                                                .asBoolean()));
    }

    /** Has those that the log says something of printed. */
    private static void print(ClusterProcesses cluster) {
        cluster.story()
                .lines()
                .filter(each -> each.matches(".*(takes over|Took over|Adopted|no follower).*"))
                .forEach(System.out::println);
    }

    @Test
    void two_nodes_that_are_lost_one_after_the_other_cost_a_reconnect() throws Exception {
        try (ClusterProcesses cluster = whole(2)) {
            OfflineSessions offline = new OfflineSessions(cluster, SESSIONS, MESSAGES);
            offline.fill(1, 2, 3);
            try (FailoverLoad load = new FailoverLoad(cluster, PAIRS, 1, 2, 3)) {
                load.begin();
                load.runFor(Duration.ofSeconds(2));
                cluster.lose(1);
                load.awaitAllServed(SERVED_WITHIN);
                load.runFor(Duration.ofSeconds(25));
                awaitWhole(cluster, 2, 3);
                cluster.lose(2);
                load.awaitAllServed(SERVED_WITHIN);
                load.finish();
            }
            print(cluster);
            offline.check(3);
        }
    }

    @Test
    void two_of_three_copies_that_are_lost_at_once_cost_a_reconnect() throws Exception {
        try (ClusterProcesses cluster = whole(3)) {
            OfflineSessions offline = new OfflineSessions(cluster, SESSIONS, MESSAGES);
            offline.fill(1, 2, 3);
            try (FailoverLoad load = new FailoverLoad(cluster, PAIRS, 1, 2, 3)) {
                load.begin();
                load.runFor(Duration.ofSeconds(2));
                cluster.lose(1);
                cluster.lose(2);
                load.awaitAllServed(SERVED_WITHIN);
                load.finish();
            }
            print(cluster);
            offline.check(3);
        }
    }

    @Test
    void nodes_that_are_wiped_in_turn_lose_nothing() throws Exception {
        try (ClusterProcesses cluster = whole(2)) {
            OfflineSessions offline = new OfflineSessions(cluster, SESSIONS, MESSAGES);
            offline.fill(1, 2, 3);
            try (FailoverLoad load = new FailoverLoad(cluster, PAIRS, 1, 2, 3)) {
                load.begin();
                for (int node = 1; node <= 3; node++) {
                    int at = node % 3 + 1;
                    String before = "" + cluster.server(node);
                    load.runFor(Duration.ofSeconds(2));
                    cluster.lose(node);
                    load.awaitAllServed(SERVED_WITHIN);
                    cluster.start(node);
                    cluster.await(
                            before + " is forgotten",
                            SOON,
                            () -> cluster.forget(at, before).join().isEmpty());
                    cluster.awaitLive(3, SOON, 1, 2, 3);
                    awaitWhole(cluster, 1, 2, 3);
                }
                load.finish();
            }
            print(cluster);
            offline.check(1, 2, 3);
        }
    }

    @Test
    void leader_that_sleeps_loses_nothing() throws Exception {
        try (ClusterProcesses cluster = whole(2)) {
            OfflineSessions offline = new OfflineSessions(cluster, SESSIONS, MESSAGES);
            offline.fill(1, 2, 3);
            try (FailoverLoad load = new FailoverLoad(cluster, PAIRS, 2, 3)) {
                load.begin();
                load.runFor(Duration.ofSeconds(2));
                cluster.signal(1, "STOP");
                load.runFor(Duration.ofMillis(ThreadLocalRandom.current().nextInt(4_000, 20_000)));
                cluster.signal(1, "CONT");
                load.awaitAllServed(Duration.ofSeconds(20));
                cluster.awaitLive(3, SOON, 1, 2, 3);
                load.runFor(Duration.ofSeconds(3));
                load.finish();
            }
            print(cluster);
            awaitWhole(cluster, 1, 2, 3);
            offline.check(1, 2, 3);
        }
    }

    private static Duration cpu(ClusterProcesses cluster, int... nodes) {
        return IntStream.of(nodes)
                .mapToObj(each -> cluster.node(each).process().info().totalCpuDuration())
                .map(Optional::orElseThrow)
                .reduce(Duration.ZERO, Duration::plus);
    }

    /** Prints what the table of docs/reliability.md says of one lost node. */
    @Test
    void take_over_of_many_sessions() throws Exception {
        try (ClusterProcesses cluster = whole(2, "never")) {
            OfflineSessions offline =
                    new OfflineSessions(
                            cluster,
                            Integer.getInteger("failover.many", 10_000),
                            Integer.getInteger("failover.many-messages", 10));
            offline.fill(1, 2, 3);
            awaitWhole(cluster, 1, 2, 3);
            try (FailoverLoad load = new FailoverLoad(cluster, PAIRS, 2, 3);
                    HealthyPair healthy = new HealthyPair(cluster, 2)) {
                load.begin();
                healthy.begin();
                load.runFor(Duration.ofSeconds(10));
                System.out.println("Before, at node 2: " + healthy.times());
                Duration cpu = cpu(cluster, 2, 3);
                cluster.lose(1);
                load.awaitAllServed(Duration.ofSeconds(60));
                System.out.println("Meanwhile, at node 2: " + healthy.times());
                Duration more = cpu(cluster, 2, 3).minus(cpu);
                System.out.println("Two nodes, with the load: " + more.toMillis() + " ms of CPU");
                load.runFor(Duration.ofSeconds(10));
                load.finish();
            }
            print(cluster);
            for (int node = 2; node <= 3; node++) {
                cluster.page(node, "/metrics")
                        .lines()
                        .filter(each -> each.matches("godwit_loop_turn(s_long|_longest|_recent).*"))
                        .forEach(System.out::println);
            }
            offline.check(2, 3);
        }
    }
}
