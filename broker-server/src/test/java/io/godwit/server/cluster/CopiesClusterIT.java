package io.godwit.server.cluster;

import static io.godwit.server.cluster.ClusterClients.client;
import static io.godwit.server.cluster.ClusterClients.connect;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5PublishResult;
import io.godwit.server.Main;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Durable sessions of three nodes have a copy at a second one; acknowledgements wait for it, as
 * long as it is there.
 */
@Tag("alone")
class CopiesClusterIT {
    private static final Duration SOON = Duration.ofSeconds(60);

    /** A follower that does not confirm is one no more after 5 s. */
    private static final Duration FOLLOWER_GIVEN_UP = Duration.ofSeconds(20);

    private static void awaitWhole(ClusterProcesses cluster, int... nodes) {
        for (int node : nodes) {
            cluster.await(
                    "copies of n" + node + " are whole",
                    SOON,
                    () -> cluster.status(node).get("copies").get("whole").asBoolean());
        }
    }

    private static CompletableFuture<Mqtt5PublishResult> publish(
            Mqtt5BlockingClient by, String topic, String payload) {
        return by.toAsync()
                .publishWith()
                .topic(topic)
                .qos(MqttQos.AT_LEAST_ONCE)
                .payload(payload.getBytes(UTF_8))
                .send();
    }

    private static void acknowledged(CompletableFuture<Mqtt5PublishResult> publish)
            throws Exception {
        assertThat(publish.get(SOON.toMillis(), TimeUnit.MILLISECONDS).getError()).isEmpty();
    }

    /** Offline durable sessions, one for each name, that a node leads; subscribed to their name. */
    private static List<String> sessionsAt(ClusterProcesses cluster, int node, int count) {
        List<String> names = new ArrayList<>();
        for (int i = 0; names.size() < count; i++) {
            String name = "s" + node + "-" + i;
            Mqtt5BlockingClient client = client(cluster, node, name);
            connect(client);
            if (cluster.served(node).contains(name)) {
                client.subscribeWith().topicFilter(name).qos(MqttQos.AT_LEAST_ONCE).send();
                names.add(name);
            }
            client.disconnect();
        }
        return names;
    }

    private static long metric(ClusterProcesses cluster, int node, String name) {
        for (String line : cluster.page(node, "/metrics").lines().toList()) {
            if (line.startsWith(name + " ")) {
                return (long) Double.parseDouble(line.substring(name.length() + 1));
            }
        }
        throw new AssertionError("no metric " + name);
    }

    private static long server(ClusterProcesses cluster, int node) {
        for (JsonNode each : cluster.status(node).get("members")) {
            if (each.get("self").asBoolean()) {
                return each.get("server").asLong();
            }
        }
        throw new AssertionError("n" + node + " does not know itself");
    }

    /** Copy sets of a leader by whose record a node has everything. */
    private static long recordedWhole(ClusterProcesses cluster, int leader, long server) {
        long sets = 0;
        for (JsonNode each : cluster.status(leader).get("copies").get("records")) {
            for (JsonNode whole : each.get("whole")) {
                sets += whole.asLong() == server ? 1 : 0;
            }
        }
        return sets;
    }

    private static long followed(ClusterProcesses cluster, int leader, int follower) {
        long server = 0;
        for (JsonNode each : cluster.status(leader).get("members")) {
            if (each.get("name").asText().equals("n" + follower)) {
                server = each.get("server").asLong();
            }
        }
        for (JsonNode each : cluster.status(leader).get("copies").get("followers")) {
            if (each.get("server").asLong() == server) {
                return each.get("sets").asLong();
            }
        }
        return 0;
    }

    @Test
    void messages_for_a_durable_session_have_a_copy_at_a_second_node() throws Exception {
        try (ClusterProcesses cluster = new ClusterProcesses(3, "cluster.copies=2")) {
            cluster.startAll();
            cluster.awaitLive(3, SOON, 1, 2, 3);
            awaitWhole(cluster, 1, 2, 3);
            assertThat(followed(cluster, 1, 2) + followed(cluster, 1, 3)).isEqualTo(9);
            for (int node = 2; node <= 3; node++) {
                assertThat(recordedWhole(cluster, 1, server(cluster, node)))
                        .as("recorded sets of n%s", node)
                        .isEqualTo(followed(cluster, 1, node));
                assertThat(cluster.folder(node).resolve("data/followers")).isNotEmptyFile();
            }
            List<String> names = sessionsAt(cluster, 1, 12);
            Mqtt5BlockingClient device = client(cluster, 2, "device");
            device.connect();
            for (int i = 0; i < 5; i++) {
                for (String name : names) {
                    acknowledged(publish(device, name, "m" + i));
                }
            }
            cluster.await(
                    "both others have copies",
                    SOON,
                    () ->
                            metric(cluster, 2, "godwit_store_copies")
                                            + metric(cluster, 3, "godwit_store_copies")
                                    >= 12);
            assertThat(metric(cluster, 2, "godwit_store_copies")).isPositive();
            assertThat(metric(cluster, 3, "godwit_store_copies")).isPositive();

            assertThat(cluster.page(1, "/health/ready")).doesNotContain("copies");
            cluster.kill(2);
            cluster.kill(3);
            cluster.await(
                    "n1 says that copies are missing",
                    SOON,
                    () -> cluster.page(1, "/health/ready").contains("\"copies\""));
            cluster.kill(1);
            String copies = exported(cluster, 2) + exported(cluster, 3);
            for (String name : names) {
                assertThat(copies).contains("\"client\":\"" + name + '"');
            }
            for (int i = 0; i < 5; i++) {
                String payload = Base64.getEncoder().encodeToString(("m" + i).getBytes(UTF_8));
                assertThat(copies).contains("\"payload\":\"" + payload + '"');
            }
            assertThat(copies.lines().filter(line -> line.contains("\"type\":\"message\"")))
                    .as("each message of each session, at a node that does not lead it")
                    .hasSizeGreaterThanOrEqualTo(60);
            cluster.startAll();
            awaitWhole(cluster, 1, 2, 3);
            for (String name : names) {
                Mqtt5BlockingClient back = client(cluster, 3, name);
                try (var messages = back.publishes(MqttGlobalPublishFilter.ALL)) {
                    assertThat(connect(back)).isTrue();
                    for (int i = 0; i < 5; i++) {
                        var next = messages.receive(30, TimeUnit.SECONDS).orElseThrow();
                        assertThat(new String(next.getPayloadAsBytes(), UTF_8)).isEqualTo("m" + i);
                    }
                    back.disconnect();
                }
            }
        }
    }

    private static final String FILLED = "godwit_cluster_copies_filled_bytes_total";

    /** Acknowledged messages of offline sessions, and what fills may send beside them. */
    private record Queued(List<String> names, int messages) {
        private static final int PAYLOAD_BYTES = 1_000;

        /** Makes sessions at each of three nodes, and publishes to all of them. */
        static Queued at(ClusterProcesses cluster, int sessions, int messages) throws Exception {
            List<String> names = new ArrayList<>();
            for (int node = 1; node <= 3; node++) {
                names.addAll(sessionsAt(cluster, node, sessions));
            }
            Mqtt5BlockingClient device = client(cluster, 1, "device");
            device.connect();
            for (int i = 0; i < messages; i++) {
                List<CompletableFuture<Mqtt5PublishResult>> publishes = new ArrayList<>();
                for (String name : names) {
                    publishes.add(publish(device, name, text(i)));
                }
                for (CompletableFuture<Mqtt5PublishResult> each : publishes) {
                    acknowledged(each);
                }
            }
            device.disconnect();
            return new Queued(names, messages);
        }

        private static String text(int number) {
            return number + "m".repeat(PAYLOAD_BYTES);
        }

        void assertShippedLittle(long filled) {
            long queued = (long) names.size() * messages * PAYLOAD_BYTES;
            System.out.println("filled " + filled + " of " + queued + " bytes");
            assertThat(filled).as("bytes beside %s queued", queued).isLessThan(queued / 20);
        }

        /** Connects each session, which has all its messages in order. */
        void assertAllThere(ClusterProcesses cluster, int node) throws InterruptedException {
            for (String name : names) {
                Mqtt5BlockingClient back = client(cluster, node, name);
                try (var heard = back.publishes(MqttGlobalPublishFilter.ALL)) {
                    assertThat(connect(back)).as("session of %s", name).isTrue();
                    for (int i = 0; i < messages; i++) {
                        var next = heard.receive(30, TimeUnit.SECONDS).orElseThrow();
                        assertThat(new String(next.getPayloadAsBytes(), UTF_8)).isEqualTo(text(i));
                    }
                    back.disconnect();
                }
            }
        }

        private long servedBy(ClusterProcesses cluster, int node) {
            return cluster.served(node).stream().filter(names::contains).count();
        }

        private boolean areServedBy(ClusterProcesses cluster, int... nodes) {
            long served = 0;
            for (int node : nodes) {
                served += servedBy(cluster, node);
            }
            return served == names.size();
        }
    }

    /**
     * Stops and starts each node in turn.
     *
     * @param leftOut queues that a node leaves out of fills when it is back, at least
     * @return bytes that fills have sent
     */
    private static long restartEach(ClusterProcesses cluster, Queued queued, long leftOut)
            throws Exception {
        long filled = 0;
        for (int node = 1; node <= 3; node++) {
            assertThat(queued.servedBy(cluster, node)).as("sessions at n%s", node).isPositive();
            long before = filledBytes(cluster, node);
            cluster.node(node).terminate();
            assertThat(cluster.node(node).exitCode()).isZero();
            cluster.start(node);
            cluster.awaitLive(3, SOON, 1, 2, 3);
            awaitWhole(cluster, 1, 2, 3);
            filled += filledBytes(cluster) - before;
            assertThat(metric(cluster, node, "godwit_cluster_copies_left_out_total"))
                    .as("sessions of n%s, at others", node)
                    .isGreaterThanOrEqualTo(leftOut);
        }
        return filled;
    }

    private static void assertEqual(ClusterProcesses cluster) {
        String admin = "127.0.0.1:" + cluster.node(1).port("admin");
        assertThat(Main.execute("cluster", "verify", "--admin", admin)).isZero();
    }

    /** Each node has copies of both others, and sessions wait for their node. */
    @Test
    void rolling_restart_sends_no_copy_what_it_has() throws Exception {
        try (ClusterProcesses cluster =
                new ClusterProcesses(3, "cluster.copies=3", "cluster.failover-timeout=never")) {
            cluster.startAll();
            cluster.awaitLive(3, SOON, 1, 2, 3);
            awaitWhole(cluster, 1, 2, 3);
            Queued queued = Queued.at(cluster, 5, 200);
            queued.assertShippedLittle(restartEach(cluster, queued, 10));
            assertEqual(cluster);
        }
    }

    /** Sessions go to nodes that have copies: the copies of all others are equal already. */
    @Test
    void rolling_restart_that_moves_sessions_sends_no_copy_what_it_has() throws Exception {
        try (ClusterProcesses cluster =
                new ClusterProcesses(
                        3,
                        "cluster.copies=3",
                        "cluster.failover-timeout=6s",
                        "cluster.drain-wait=100ms")) {
            cluster.startAll();
            cluster.awaitLive(3, SOON, 1, 2, 3);
            awaitWhole(cluster, 1, 2, 3);
            Queued queued = Queued.at(cluster, 40, 50);
            queued.assertShippedLittle(restartEach(cluster, queued, 0));
            assertThat(queued.areServedBy(cluster, 1, 2, 3)).isTrue();
            assertEqual(cluster);
            queued.assertAllThere(cluster, 3);
        }
    }

    @Test
    void failover_sends_no_copy_what_it_has() throws Exception {
        try (ClusterProcesses cluster =
                new ClusterProcesses(3, "cluster.copies=3", "cluster.failover-timeout=6s")) {
            cluster.startAll();
            cluster.awaitLive(3, SOON, 1, 2, 3);
            awaitWhole(cluster, 1, 2, 3);
            Queued queued = Queued.at(cluster, 20, 50);
            assertThat(queued.servedBy(cluster, 1)).isPositive();
            long before = filledBytes(cluster, 1);
            cluster.kill(1);
            cluster.await("all are served", SOON, () -> queued.areServedBy(cluster, 2, 3));
            cluster.start(1);
            cluster.awaitLive(3, SOON, 1, 2, 3);
            awaitWhole(cluster, 1, 2, 3);
            queued.assertShippedLittle(filledBytes(cluster) - before);
            assertEqual(cluster);
            queued.assertAllThere(cluster, 1);
        }
    }

    /** Bytes that fills have sent, but for those of a node that is about to forget its own. */
    private static long filledBytes(ClusterProcesses cluster, int ending) {
        return filledBytes(cluster) - metric(cluster, ending, FILLED);
    }

    private static long filledBytes(ClusterProcesses cluster) {
        return metric(cluster, 1, FILLED) + metric(cluster, 2, FILLED) + metric(cluster, 3, FILLED);
    }

    /** What a follower's folder has, also of sessions that other nodes lead. */
    private static String exported(ClusterProcesses cluster, int node) throws Exception {
        Path file = cluster.folder(node).resolve("copies.jsonl");
        String data = cluster.folder(node).resolve("data").toString();
        assertThat(Main.execute("store", "export", "--copies", file.toString(), "--data", data))
                .isZero();
        return Files.readString(file);
    }

    @Test
    void publishers_wait_while_a_follower_has_a_disk_alarm() throws Exception {
        try (ClusterProcesses cluster = new ClusterProcesses(2, "cluster.copies=2")) {
            cluster.startAll();
            cluster.awaitLive(2, SOON, 1, 2);
            awaitWhole(cluster, 1, 2);
            List<String> names = sessionsAt(cluster, 1, 3);
            List<String> elsewhere = sessionsAt(cluster, 2, 3);
            Mqtt5BlockingClient device = client(cluster, 1, "device");
            device.connect();
            cluster.kill(2);
            cluster.start(2, "durability.disk-free=1000GiB");
            cluster.awaitLive(2, SOON, 1, 2);
            cluster.await(
                    "n1 knows of the alarm of n2",
                    SOON,
                    () -> cluster.page(1, "/health/ready").contains("\"copies-full\""));
            cluster.await(
                    "the metric says it, too",
                    SOON,
                    () -> metric(cluster, 1, "godwit_cluster_copies_full") == 1);
            List<CompletableFuture<Mqtt5PublishResult>> waiting = new ArrayList<>();
            for (String name : names) {
                waiting.add(publish(device, name, "in the alarm"));
            }
            for (String name : elsewhere) {
                waiting.add(publish(device, name, "in the alarm"));
            }
            Thread.sleep(2_000);
            assertThat(waiting).noneMatch(CompletableFuture::isDone);
            assertThat(device.getState().isConnected()).isTrue();

            cluster.kill(2);
            cluster.start(2, "durability.disk-free=64MiB");
            for (CompletableFuture<Mqtt5PublishResult> each : waiting) {
                acknowledged(each);
            }
            awaitWhole(cluster, 1, 2);
            assertThat(cluster.page(1, "/health/ready")).doesNotContain("copies");
        }
    }

    @Test
    void stopped_follower_holds_its_own_acknowledgements_until_another_takes_its_place()
            throws Exception {
        try (ClusterProcesses cluster = new ClusterProcesses(3, "cluster.copies=2")) {
            cluster.startAll();
            cluster.awaitLive(3, SOON, 1, 2, 3);
            awaitWhole(cluster, 1, 2, 3);
            List<String> names = sessionsAt(cluster, 1, 12);
            Mqtt5BlockingClient device = client(cluster, 1, "device");
            device.connect();
            for (String name : names) {
                acknowledged(publish(device, name, "before"));
            }
            device.disconnect();
            List<Mqtt5BlockingClient> devices = new ArrayList<>();
            for (String name : names) {
                Mqtt5BlockingClient each = client(cluster, 1, "device-" + name);
                each.connect();
                devices.add(each);
            }
            long stopped = server(cluster, 3);
            assertThat(recordedWhole(cluster, 1, stopped)).isPositive();
            cluster.signal(3, "STOP");
            List<CompletableFuture<Mqtt5PublishResult>> under = new ArrayList<>();
            for (int i = 0; i < names.size(); i++) {
                under.add(publish(devices.get(i), names.get(i), "stopped"));
            }
            Thread.sleep(1_500);
            long acknowledged = under.stream().filter(CompletableFuture::isDone).count();
            assertThat(acknowledged)
                    .as("those whose follower runs, and no others")
                    .isPositive()
                    .isLessThan(names.size());
            cluster.await(
                    "all acknowledged",
                    FOLLOWER_GIVEN_UP,
                    () -> under.stream().allMatch(CompletableFuture::isDone));
            for (CompletableFuture<Mqtt5PublishResult> each : under) {
                acknowledged(each);
            }
            assertThat(followed(cluster, 1, 2)).isEqualTo(9);
            assertThat(recordedWhole(cluster, 1, stopped)).isZero();
            awaitWhole(cluster, 1);
            cluster.signal(3, "CONT");
            awaitWhole(cluster, 1, 2, 3);
            devices.forEach(Mqtt5BlockingClient::disconnect);
            assertThat(Objects.requireNonNull(cluster.status(1).get("copies").get("wanted")))
                    .hasToString("2");
        }
    }
}
