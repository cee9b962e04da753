package io.godwit.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.godwit.server.BrokerProcess;
import io.godwit.server.Main;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Real brokers on loopback find, lose and refuse each other. More of them, more often: {@code
 * -Dgodwit.test.nodes=7 -Dgodwit.test.rounds=10}.
 */
@Tag("alone")
class MembershipClusterIT {
    private static final int NODES = Integer.getInteger("godwit.test.nodes", 3);
    private static final int ROUNDS = Integer.getInteger("godwit.test.rounds", 2);
    private static final Duration SOON = Duration.ofSeconds(60);

    private static int[] all(int count) {
        return IntStream.rangeClosed(1, count).toArray();
    }

    @Test
    void who_starts_at_the_same_moment_finds_the_others() {
        for (int round = 0; round < ROUNDS; round++) {
            try (ClusterProcesses cluster =
                    new ClusterProcesses(NODES, "durability.store=memory")) {
                cluster.startAll();
                cluster.awaitLive(NODES, SOON, all(NODES));
            }
        }
    }

    @Test
    void who_was_killed_comes_back_as_another_start_and_who_was_stopped_as_the_same() {
        try (ClusterProcesses cluster = new ClusterProcesses(3)) {
            cluster.startAll();
            cluster.awaitLive(3, SOON, 1, 2, 3);
            JsonNode before = member(cluster.status(1), "n3");
            assertThat(before.get("start").asLong()).isEqualTo(1);
            assertThat(before.get("link").get("state").asText()).isEqualTo("up");
            assertThat(before.get("link").get("clockAheadMs").asLong()).isBetween(-2_000L, 2_000L);
            assertThat(before.get("link").get("classes").get("control").get("creditBytes").asLong())
                    .isPositive();

            assertThat(statusCommand(cluster.node(1).port("admin")))
                    .contains("cluster=godwit bind=127.0.0.1:")
                    .containsPattern("node=n3 server-id=[0-9]+ start=1 live")
                    .containsPattern("link=[0-9]+ up to=n3@127.0.0.1:" + cluster.clusterPort(3))
                    .contains("links opened=2 ended=0");

            cluster.kill(3);
            cluster.awaitLive(2, SOON, 1, 2);
            assertThat(cluster.page(1, "/health/ready"))
                    .contains("\"degraded\"", "\"cluster\"", "\"nodesOutOfReach\":[\"n3\"]");
            cluster.start(3);
            cluster.awaitLive(3, SOON, 1, 2, 3);
            assertThat(member(cluster.status(1), "n3").get("start").asLong()).isEqualTo(2);
            cluster.await(
                    "n1 is ready, and its copies are whole again",
                    SOON,
                    () -> cluster.page(1, "/health/ready").equals("{\"status\":\"ready\"}\n"));

            cluster.signal(2, "STOP");
            try {
                cluster.awaitLive(2, SOON, 1, 3);
            } finally {
                cluster.signal(2, "CONT");
            }
            cluster.awaitLive(3, SOON, 1, 2, 3);
            assertThat(member(cluster.status(1), "n2").get("start").asLong()).isEqualTo(1);

            cluster.node(3).terminate();
            assertThat(cluster.node(3).exitCode()).as(cluster.story()).isZero();
            cluster.awaitLive(2, SOON, 1, 2);
            assertThat(cluster.page(1, "/metrics"))
                    .contains("godwit_cluster_members 3.0", "godwit_cluster_members_live 2.0")
                    .contains("godwit_cluster_links_down_total");
        }
    }

    /** Returns what {@code godwit cluster status} prints. */
    static String statusCommand(int adminPort) {
        PrintStream out = System.out;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
        try {
            assertThat(Main.execute("cluster", "status", "--admin", "127.0.0.1:" + adminPort))
                    .isZero();
        } finally {
            System.setOut(out);
        }
        return said.toString(StandardCharsets.UTF_8);
    }

    private static JsonNode member(JsonNode status, String name) {
        for (JsonNode each : status.get("members")) {
            if (each.get("name").asText().equals(name)) {
                return each;
            }
        }
        throw new AssertionError(name + " is not in " + status);
    }

    @Test
    void a_start_waits_for_the_members_of_before_but_not_for_ever() {
        try (ClusterProcesses cluster = new ClusterProcesses(2)) {
            cluster.startAll();
            cluster.awaitLive(2, SOON, 1, 2);
            cluster.kill(1);
            cluster.kill(2);
            BrokerProcess alone = cluster.launch(1);
            cluster.awaitLine(
                    1,
                    SOON,
                    "In cluster 'godwit' after ([3-9]|[0-9]{2,})[0-9]{3} ms: 1 of 2 members are here, not n2");
            alone.awaitReady();
            cluster.start(2);
            cluster.awaitLive(2, SOON, 1, 2);
        }
    }

    @Test
    void who_does_not_belong_is_refused_on_both_sides() throws Exception {
        try (ClusterProcesses cluster = new ClusterProcesses(3)) {
            cluster.start(1);
            cluster.start(2, "cluster.name=another");
            cluster.awaitLine(1, SOON, "Refused node n2 at .*: cluster.name is 'another' there");
            cluster.awaitLine(2, SOON, "Refused node n1 at .*: cluster.name is 'godwit' there");
            assertThat(cluster.live(1)).containsExactly("n1");
            assertThat(cluster.page(1, "/metrics").lines())
                    .anyMatch(line ->
                            line.startsWith("godwit_cluster_refused_total")
                                    && line.contains("cause=\"cluster-name\"")
                                    && line.contains("by=\"here\"")
                                    && !line.endsWith(" 0.0"));
            // The copy of a folder: the same server id, and the later process.
            TimeUnit.SECONDS.sleep(2);
            copy(cluster.folder(1), cluster.folder(3));
            BrokerProcess copied = cluster.launch(3);
            assertThat(copied.exitCode()).as(cluster.story()).isEqualTo(1);
            assertThat(copied.output())
                    .anyMatch(line -> line.contains("is its data folder a copy"));
            cluster.awaitLine(1, SOON, "Refused (node|by) n3.*: server id [0-9]+ is that of node");
            assertThat(cluster.node(1).process().isAlive()).isTrue();
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path each : files.toList()) {
                Path target = to.resolve(from.relativize(each).toString());
                if (Files.isDirectory(each)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(each, target);
                }
            }
        }
    }

    @Test
    void beyond_loopback_a_cluster_needs_tls_or_the_operators_word() {
        try (BrokerProcess broker =
                new BrokerProcess.Setup()
                        .set("cluster.enabled=true", "cluster.bind=192.0.2.1:7800")
                        .launch()) {
            assertThat(broker.exitCode()).isEqualTo(1);
            assertThat(broker.output())
                    .anyMatch(line ->
                            line.contains("cluster.bind")
                                    && line.contains("cluster.tls")
                                    && line.contains("cluster.insecure: true"));
        }
    }

    @Test
    void without_a_cluster_nothing_of_it_is_loaded() {
        try (BrokerProcess broker =
                new BrokerProcess.Setup()
                        .jvmFlags(List.of("-Xmx256m", "-Xlog:class+load:stdout"))
                        .start()) {
            broker.readyLine();
            assertThat(broker.output())
                    .anyMatch(line -> line.contains(" io.godwit.server.Server "));
            assertThat(broker.output())
                    .noneMatch(line -> line.contains(" org.jgroups."))
                    .noneMatch(line -> line.contains(" io.godwit.cluster."))
                    .noneMatch(line -> line.contains(" io.godwit.server.cluster."));
        }
    }
}
