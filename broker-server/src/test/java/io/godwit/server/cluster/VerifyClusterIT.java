package io.godwit.server.cluster;

import static io.godwit.server.cluster.ClusterClients.client;
import static io.godwit.server.cluster.ClusterClients.connect;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import io.godwit.core.packet.ClientId;
import io.godwit.server.Main;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code godwit cluster verify} at running nodes. */
@Tag("alone")
class VerifyClusterIT {
    private static final Duration SOON = Duration.ofSeconds(60);

    private record Said(int exitCode, String out, String err) {}

    private static Said verify(int adminPort, String... more) {
        List<String> all = new ArrayList<>(List.of("cluster", "verify"));
        all.addAll(List.of("--admin", "127.0.0.1:" + adminPort));
        all.addAll(List.of(more));
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        ByteArrayOutputStream complained = new ByteArrayOutputStream();
        System.setOut(new PrintStream(said, true, UTF_8));
        System.setErr(new PrintStream(complained, true, UTF_8));
        try {
            int exitCode = Main.execute(all.toArray(String[]::new));
            return new Said(exitCode, said.toString(UTF_8), complained.toString(UTF_8));
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
    }

    private static Said verify(ClusterProcesses cluster, int at) {
        return verify(cluster.node(at).port("admin"));
    }

    private static void awaitWhole(ClusterProcesses cluster, int... nodes) {
        for (int node : nodes) {
            cluster.await(
                    "copies of n" + node + " are whole",
                    SOON,
                    () -> cluster.status(node).get("copies").get("whole").asBoolean());
        }
    }

    /**
     * Durable sessions subscribed to their own names, of which every second one stays connected.
     */
    private static List<Mqtt5BlockingClient> sessions(ClusterProcesses cluster, int count) {
        List<Mqtt5BlockingClient> connected = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Mqtt5BlockingClient client = client(cluster, 1 + i % cluster.count(), "s" + i);
            connect(client);
            client.subscribeWith().topicFilter("t/" + i).qos(MqttQos.EXACTLY_ONCE).send();
            if (i % 2 == 0) {
                client.disconnect();
            } else {
                connected.add(client);
            }
        }
        return connected;
    }

    /** Publishes to all sessions until it is interrupted, a few messages at a time. */
    private static Thread load(Mqtt5BlockingClient by, int sessions) {
        Semaphore room = new Semaphore(20);
        return Thread.ofPlatform()
                .start(() -> {
                    for (int i = 0; !Thread.currentThread().isInterrupted(); i++) {
                        try {
                            room.acquire();
                        } catch (InterruptedException e) {
                            return;
                        }
                        by.toAsync()
                                .publishWith()
                                .topic("t/" + i % sessions)
                                .qos(i % 3 == 0 ? MqttQos.EXACTLY_ONCE : MqttQos.AT_LEAST_ONCE)
                                .payload(("m" + i).getBytes(UTF_8))
                                .send()
                                .whenComplete((any, failure) -> room.release());
                    }
                });
    }

    private static void restartAll(ClusterProcesses cluster, int copies) {
        for (int node = 1; node <= 3; node++) {
            cluster.signal(node, "TERM");
            cluster.node(node).exitCode();
            cluster.start(node, "cluster.copies=" + copies);
            cluster.awaitLive(3, SOON, 1, 2, 3);
            awaitWhole(cluster, 1, 2, 3);
        }
    }

    @Test
    void number_of_copies_changes_by_restarting_one_node_after_the_other() throws Exception {
        try (ClusterProcesses cluster = new ClusterProcesses(3, "cluster.nodes=3")) {
            cluster.startAll();
            cluster.awaitLive(3, SOON, 1, 2, 3);
            awaitWhole(cluster, 1, 2, 3);
            sessions(cluster, 30).forEach(Mqtt5BlockingClient::disconnect);
            Mqtt5BlockingClient device = client(cluster, 1, "device");
            device.connect();
            for (int i = 0; i < 30; i++) {
                device.publishWith()
                        .topic("t/" + i)
                        .qos(MqttQos.AT_LEAST_ONCE)
                        .payload(("m" + i).getBytes(UTF_8))
                        .send();
            }
            device.disconnect();

            restartAll(cluster, 3);
            Said three = verify(cluster, 1);
            assertThat(three.exitCode()).as("%s %s", three, cluster.story()).isZero();
            assertThat(three.out())
                    .containsPattern("n1 +n2 +9 .* equal")
                    .containsPattern("n1 +n3 +9 .* equal")
                    .containsPattern("n3 +n2 +9 .* equal");

            restartAll(cluster, 2);
            Said two = verify(cluster, 1);
            assertThat(two.exitCode()).as("%s %s", two, cluster.story()).isZero();
            assertThat(two.out()).doesNotContainPattern("n1 +n2 +9 .*\\n(.*\\n)*n1 +n3 +9 ");
            for (int i = 0; i < 30; i++) {
                Mqtt5BlockingClient back = client(cluster, 2, "s" + i);
                try (var heard = back.publishes(MqttGlobalPublishFilter.ALL)) {
                    assertThat(connect(back)).as("s%s", i).isTrue();
                    assertThat(heard.receive(30, TimeUnit.SECONDS))
                            .as("s%s %s", i, cluster.story())
                            .hasValueSatisfying(each ->
                                    assertThat(each.getPayloadAsBytes())
                                            .asString()
                                            .startsWith("m"));
                    back.disconnect();
                }
            }
        }
    }

    @Test
    void copies_are_equal_under_load_and_one_that_was_damaged_is_named() throws Exception {
        try (ClusterProcesses cluster =
                new ClusterProcesses(2, "cluster.nodes=2", "cluster.copies=2")) {
            cluster.startAll();
            cluster.awaitLive(2, SOON, 1, 2);
            awaitWhole(cluster, 1, 2);
            List<Mqtt5BlockingClient> connected = sessions(cluster, 40);
            Mqtt5BlockingClient device = client(cluster, 1, "device");
            device.connect();
            Thread load = load(device, 40);
            try {
                for (int i = 0; i < 6; i++) {
                    Said said = verify(cluster, 1 + i % 2);
                    assertThat(said.exitCode()).as("%s %s", said, cluster.story()).isZero();
                    assertThat(said.out())
                            .containsPattern("n1 +n2 +9 .* equal")
                            .containsPattern("n2 +n1 +9 .* equal")
                            .contains("all 2 copies are equal to what their leaders have");
                    Thread.sleep(500);
                }
            } finally {
                load.interrupt();
                load.join();
            }
            connected.forEach(Mqtt5BlockingClient::disconnect);
            device.disconnect();
            String damaged =
                    cluster.served(1).stream()
                            .filter(each -> each.matches("s[0-9]*[02468]"))
                            .findFirst()
                            .orElseThrow();

            // The leader counts its own running time: the follower is not given up meanwhile.
            cluster.kill(2);
            cluster.signal(1, "STOP");
            try {
                String data = cluster.folder(2).resolve("data").toString();
                assertThat(Main.execute("store", "purge", damaged, "--data", data)).isZero();
                cluster.launch(2);
                Thread.sleep(2_000);
            } finally {
                cluster.signal(1, "CONT");
            }
            cluster.node(2).awaitReady();
            cluster.awaitLive(2, SOON, 1, 2);
            awaitWhole(cluster, 1, 2);
            Said said = verify(cluster, 2);
            assertThat(said.exitCode()).as("%s %s", said, cluster.story()).isEqualTo(1);
            int slot = ClientId.of(damaged).slot();
            assertThat(said.out())
                    .containsPattern("n1 +n2 .* differs in 1 slot: " + slot + " \\(1 of 1 there\\)")
                    .contains("1 copies differ from what their leaders have");
            cluster.awaitLine(2, SOON, "what node n2 has of node n1 differs in 1 slots: " + slot);
            assertThat(cluster.page(1, "/metrics"))
                    .contains("godwit_cluster_copies_differ_total 1.0");

            cluster.kill(2);
            Said alone = verify(cluster, 1);
            assertThat(alone.exitCode()).as("%s", alone).isEqualTo(3);
            assertThat(alone.out()).containsPattern("n2 .* not compared: it is out of reach");
        }
    }

    @Test
    void cluster_without_copies_has_nothing_to_compare() {
        try (ClusterProcesses cluster =
                new ClusterProcesses(2, "cluster.nodes=2", "cluster.copies=1")) {
            cluster.startAll();
            cluster.awaitLive(2, SOON, 1, 2);
            int port = cluster.node(1).port("admin");
            Said said = verify(cluster, 1);
            assertThat(said.exitCode()).as("%s", said).isZero();
            assertThat(said.out()).contains("there are no copies to compare (cluster.copies = 1)");
            cluster.kill(1);
            Said nobody = verify(port);
            assertThat(nobody.exitCode()).isEqualTo(1);
            assertThat(nobody.err()).contains("no broker answers at its admin port");
        }
    }
}
