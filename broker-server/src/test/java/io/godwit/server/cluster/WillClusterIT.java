package io.godwit.server.cluster;

import static io.godwit.server.cluster.ClusterClients.client;
import static io.godwit.server.cluster.ClusterClients.connect;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAck;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Wills of transient clients whose node is killed for ever, or does not run for a while: each comes
 * once, and none of a client that is back.
 */
@Tag("alone")
class WillClusterIT {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String RETAINED = "will/retained/";
    private static final int IDS = 40;

    /** A Will comes at the latest so long after its node was killed. */
    private static final Duration KILLED = Duration.ofSeconds(5);

    /** Hears Wills; a Will that came twice stands twice in what it returns. */
    private static final class Heard implements AutoCloseable {
        private final Mqtt5BlockingClient client;
        private final Mqtt5BlockingClient.Mqtt5Publishes publishes;
        private final List<String> ids = new ArrayList<>();

        Heard(ClusterProcesses cluster, int node, String id) {
            client = client(cluster, node, id);
            publishes = client.publishes(MqttGlobalPublishFilter.ALL);
            client.connectWith().cleanStart(true).sessionExpiryInterval(0).send();
            client.subscribeWith().topicFilter("will/#").qos(MqttQos.EXACTLY_ONCE).send();
        }

        /** Returns the client ids whose Wills have come until now, or come within some time. */
        List<String> within(Duration time) throws InterruptedException {
            long end = System.nanoTime() + time.toNanos();
            for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
                Optional<Mqtt5Publish> next = publishes.receive(left, TimeUnit.NANOSECONDS);
                next.ifPresent(each -> ids.add(new String(each.getPayloadAsBytes(), UTF_8)));
            }
            return List.copyOf(ids);
        }

        @Override
        public void close() {
            publishes.close();
            client.disconnect();
        }
    }

    private static ClusterProcesses start(String... settings) {
        ClusterProcesses cluster = new ClusterProcesses(3, settings);
        cluster.startAll();
        cluster.awaitLive(3, SOON, 1, 2, 3);
        return cluster;
    }

    /** Finds client ids that other nodes than this one lead. */
    private static List<String> ledElsewhere(ClusterProcesses cluster, int node) {
        List<String> ids = IntStream.range(0, IDS).mapToObj(i -> "device-" + i).toList();
        for (String each : ids) {
            Mqtt5BlockingClient client = client(cluster, 3, each);
            connect(client);
            client.disconnect();
        }
        List<String> found = new ArrayList<>(ids);
        found.removeAll(cluster.served(node));
        assertThat(found).as(cluster.story()).hasSizeBetween(10, IDS - 5);
        return found;
    }

    private static CompletableFuture<Mqtt5ConnAck> connectTransient(
            Mqtt5BlockingClient client, String id) {
        boolean isRetained = id.hashCode() % 2 == 0;
        return client.toAsync()
                .connectWith()
                .cleanStart(true)
                .sessionExpiryInterval(0)
                .keepAlive(4)
                .willPublish()
                .topic((isRetained ? RETAINED : "will/") + id)
                .qos(MqttQos.EXACTLY_ONCE)
                .retain(isRetained)
                .payload(id.getBytes(UTF_8))
                .applyWillPublish()
                .send();
    }

    private static void connectAll(ClusterProcesses cluster, int node, List<String> ids)
            throws Exception {
        for (String each : ids) {
            connectTransient(client(cluster, node, each), each)
                    .get(SOON.toSeconds(), TimeUnit.SECONDS);
        }
    }

    /** Some clients connect at another node, as soon as that serves them. */
    private static void connectAgain(ClusterProcesses cluster, int node, List<String> ids)
            throws Exception {
        List<CompletableFuture<Mqtt5ConnAck>> all = new ArrayList<>();
        for (String each : ids) {
            all.add(connectTransient(client(cluster, node, each), each));
        }
        for (CompletableFuture<Mqtt5ConnAck> each : all) {
            each.get(SOON.toSeconds(), TimeUnit.SECONDS);
        }
    }

    @Test
    void wills_come_once_when_their_node_is_killed_and_not_of_clients_that_are_back()
            throws Exception {
        try (ClusterProcesses cluster = start("cluster.nodes=3");
                Heard heard = new Heard(cluster, 2, "listener")) {
            List<String> ids = ledElsewhere(cluster, 1);
            List<String> back = ids.subList(0, 4);
            List<String> gone = ids.subList(4, ids.size());
            connectAll(cluster, 1, ids);
            assertThat(heard.within(Duration.ofSeconds(1))).isEmpty();
            cluster.kill(1);
            connectAgain(cluster, 2, back);
            assertThat(heard.within(KILLED))
                    .as(cluster.story())
                    .containsExactlyInAnyOrderElementsOf(gone);
            try (Heard late = new Heard(cluster, 3, "late")) {
                assertThat(late.within(Duration.ofSeconds(2)))
                        .containsExactlyInAnyOrderElementsOf(
                                gone.stream().filter(each -> each.hashCode() % 2 == 0).toList());
            }
            cluster.start(1);
            cluster.awaitLive(3, SOON, 1, 2, 3);
            assertThat(heard.within(KILLED))
                    .as("after its start %s", cluster.story())
                    .containsExactlyInAnyOrderElementsOf(gone);
        }
    }

    @Test
    void wills_come_once_when_their_node_does_not_run_for_fifteen_seconds() throws Exception {
        try (ClusterProcesses cluster = start("cluster.nodes=3");
                Heard heard = new Heard(cluster, 3, "listener")) {
            cluster.await("whole copies", SOON, cluster::areCopiesWhole);
            List<String> ids = ledElsewhere(cluster, 1);
            List<String> back = ids.subList(0, 4);
            List<String> gone = ids.subList(4, ids.size());
            connectAll(cluster, 1, ids);
            cluster.signal(1, "STOP");
            connectAgain(cluster, 2, back);
            assertThat(heard.within(Duration.ofSeconds(15)))
                    .as(cluster.story())
                    .containsExactlyInAnyOrderElementsOf(gone);
            cluster.signal(1, "CONT");
            cluster.awaitLive(3, SOON, 1, 2, 3);
            assertThat(heard.within(Duration.ofSeconds(10)))
                    .as("after SIGCONT %s", cluster.story())
                    .containsExactlyInAnyOrderElementsOf(gone);
        }
    }

    // ---------------------------------------------------------------- durable sessions

    private static Mqtt5ConnAck connectDurable(ClusterProcesses cluster, int node, String id) {
        Mqtt5BlockingClient client = client(cluster, node, id);
        Mqtt5ConnAck accepted =
                client.connectWith()
                        .cleanStart(false)
                        .sessionExpiryInterval(600)
                        .willPublish()
                        .topic(RETAINED + id)
                        .qos(id.hashCode() % 2 == 0 ? MqttQos.EXACTLY_ONCE : MqttQos.AT_LEAST_ONCE)
                        .retain(true)
                        .payload((id + " is offline").getBytes(UTF_8))
                        .applyWillPublish()
                        .send();
        client.publishWith()
                .topic(RETAINED + id)
                .qos(MqttQos.AT_LEAST_ONCE)
                .retain(true)
                .payload((id + " is online").getBytes(UTF_8))
                .send();
        return accepted;
    }

    /** Returns what is retained, in the order of the ids. */
    private static List<String> retained(ClusterProcesses cluster, int node) throws Exception {
        try (Heard late = new Heard(cluster, node, "late-" + node)) {
            return late.within(Duration.ofSeconds(2)).stream().sorted().toList();
        }
    }

    private static boolean leadAll(ClusterProcesses cluster) {
        return IntStream.of(2, 3)
                .mapToObj(node -> cluster.status(node).get("slots"))
                .allMatch(slots ->
                        slots.get("offline").asInt() == 0 && slots.get("loading").asInt() == 0);
    }

    private static List<String> state(List<String> ids, String state) {
        return ids.stream().map(id -> id + " is " + state).sorted().toList();
    }

    @Test
    void node_that_is_back_does_not_publish_wills_of_sessions_that_were_taken_over()
            throws Exception {
        try (ClusterProcesses cluster = start("cluster.nodes=3")) {
            cluster.await("whole copies", SOON, cluster::areCopiesWhole);
            List<String> ids = IntStream.range(0, IDS).mapToObj(i -> "durable-" + i).toList();
            List<String> back = ids.subList(0, IDS / 2);
            List<String> gone = ids.subList(IDS / 2, IDS);
            ids.forEach(each -> connectDurable(cluster, 1, each));
            try (Heard heard = new Heard(cluster, 3, "listener")) {
                assertThat(heard.within(Duration.ofSeconds(2)))
                        .containsExactlyInAnyOrderElementsOf(state(ids, "online"));
                cluster.kill(1);
                cluster.await("n1 is gone", SOON, () -> !cluster.isHeard("n1", List.of(2, 3)));
                cluster.await("n2 and n3 lead all slots", SOON, () -> leadAll(cluster));
                for (String each : back) {
                    assertThat(connectDurable(cluster, 2, each).isSessionPresent()).isTrue();
                }
                heard.within(KILLED);
                List<String> expected = new ArrayList<>(state(back, "online"));
                expected.addAll(state(gone, "offline"));
                expected.sort(null);
                assertThat(retained(cluster, 3)).as(cluster.story()).isEqualTo(expected);
                cluster.start(1);
                cluster.awaitLive(3, SOON, 1, 2, 3);
                List<String> all = heard.within(KILLED);
                assertThat(all.stream().filter(each -> each.endsWith("offline")))
                        .as("Wills %s", cluster.story())
                        .doesNotHaveDuplicates()
                        .containsAll(state(gone, "offline"));
                for (int node = 1; node <= 3; node++) {
                    assertThat(retained(cluster, node)).as(cluster.story()).isEqualTo(expected);
                }
            }
        }
    }
}
