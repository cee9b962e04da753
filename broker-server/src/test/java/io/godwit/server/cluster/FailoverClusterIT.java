package io.godwit.server.cluster;

import static io.godwit.server.cluster.ClusterClients.client;
import static io.godwit.server.cluster.ClusterClients.connect;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Nodes that are killed for ever, their disks lost, or that do not run for a while, under load at
 * the others: everything acknowledged arrives, QoS 2 once, in order.
 */
@Tag("alone")
class FailoverClusterIT {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int OFFLINE = 24;
    private static final int WAITING = 10;

    private static void awaitWhole(ClusterProcesses cluster, int... nodes) {
        for (int node : nodes) {
            cluster.await(
                    "copies of n" + node + " are whole",
                    SOON,
                    () -> cluster.status(node).get("copies").get("whole").asBoolean());
        }
    }

    /** Offline durable sessions with messages, whoever leads them. */
    private static List<String> queued(ClusterProcesses cluster, int node) throws Exception {
        List<String> names = new ArrayList<>();
        Mqtt5BlockingClient device = client(cluster, node, "device");
        device.connect();
        for (int i = 0; i < OFFLINE; i++) {
            String name = "offline-" + i;
            Mqtt5BlockingClient client = client(cluster, node, name);
            assertThat(connect(client)).isFalse();
            client.subscribeWith().topicFilter(name + "/#").qos(MqttQos.EXACTLY_ONCE).send();
            client.disconnect();
            names.add(name);
        }
        for (int i = 0; i < WAITING; i++) {
            for (String name : names) {
                device.toAsync()
                        .publishWith()
                        .topic(name + "/t")
                        .qos(i % 2 == 0 ? MqttQos.AT_LEAST_ONCE : MqttQos.EXACTLY_ONCE)
                        .payload(("m" + i).getBytes(UTF_8))
                        .send()
                        .get(SOON.toSeconds(), TimeUnit.SECONDS);
            }
        }
        device.disconnect();
        return names;
    }

    private static void findQueued(ClusterProcesses cluster, int node, List<String> names)
            throws Exception {
        for (String name : names) {
            Mqtt5BlockingClient back = client(cluster, node, name);
            try (var heard = back.publishes(MqttGlobalPublishFilter.ALL)) {
                assertThat(connect(back)).as("%s %s", name, cluster.story()).isTrue();
                List<String> texts = new ArrayList<>();
                while (texts.size() < WAITING) {
                    Optional<Mqtt5Publish> next = heard.receive(30, TimeUnit.SECONDS);
                    assertThat(next).as("%s after %s %s", name, texts, cluster.story()).isPresent();
                    texts.add(new String(next.get().getPayloadAsBytes(), UTF_8));
                }
                // The library gives messages of QoS 2 on when PUBREL has come.
                assertThat(texts).filteredOn(each -> isAtQos(each, 1)).isEqualTo(all(1));
                assertThat(texts).filteredOn(each -> isAtQos(each, 2)).isEqualTo(all(2));
                back.disconnect();
            }
        }
    }

    private static boolean isAtQos(String text, int qos) {
        return Integer.parseInt(text.substring(1)) % 2 == qos - 1;
    }

    private static List<String> all(int qos) {
        return IntStream.range(0, WAITING)
                .mapToObj(i -> "m" + i)
                .filter(each -> isAtQos(each, qos))
                .toList();
    }

    /** What a former leader had became copies: it set nothing aside. */
    private static void requireNoneAside(ClusterProcesses cluster, int... nodes) {
        for (int node : nodes) {
            assertThat(cluster.status(node).get("slots").get("sessionsAside").asLong())
                    .as("sessions of n%d that are set aside", node)
                    .isZero();
        }
    }

    private static void awaitLed(ClusterProcesses cluster, int... nodes) {
        for (int node : nodes) {
            cluster.await(
                    "n" + node + " knows who leads all slots",
                    SOON,
                    () -> {
                        var slots = cluster.status(node).get("slots");
                        return slots.get("offline").asInt() == 0
                                && slots.get("loading").asInt() == 0;
                    });
        }
    }

    private static ClusterProcesses whole() {
        ClusterProcesses cluster = new ClusterProcesses(3, "cluster.nodes=3");
        cluster.startAll();
        cluster.awaitLive(3, SOON, 1, 2, 3);
        awaitWhole(cluster, 1, 2, 3);
        return cluster;
    }

    @Test
    void two_nodes_that_are_lost_one_after_the_other_cost_their_clients_a_reconnect()
            throws Exception {
        try (ClusterProcesses cluster = whole()) {
            List<String> names = queued(cluster, 3);
            try (FailoverLoad load = new FailoverLoad(cluster, 12, 3)) {
                load.begin();
                load.runFor(Duration.ofSeconds(2));
                cluster.lose(1);
                load.awaitAllServed(Duration.ofSeconds(20));
                awaitWhole(cluster, 2, 3);
                cluster.lose(2);
                load.awaitAllServed(Duration.ofSeconds(20));
                load.runFor(Duration.ofSeconds(2));
                load.finish();
            }
            findQueued(cluster, 3, names);
        }
    }

    @Test
    void leader_that_does_not_run_for_a_while_loses_nothing_and_doubles_no_qos_2()
            throws Exception {
        try (ClusterProcesses cluster = whole()) {
            List<String> names = queued(cluster, 3);
            try (FailoverLoad load = new FailoverLoad(cluster, 12, 2, 3)) {
                load.begin();
                load.runFor(Duration.ofSeconds(2));
                cluster.signal(1, "STOP");
                load.runFor(Duration.ofSeconds(15));
                load.awaitAllServed(Duration.ofSeconds(20));
                cluster.signal(1, "CONT");
                cluster.awaitLive(3, SOON, 1, 2, 3);
                load.runFor(Duration.ofSeconds(3));
                load.finish();
            }
            awaitWhole(cluster, 1, 2, 3);
            requireNoneAside(cluster, 1, 2, 3);
            cluster.lose(2);
            cluster.awaitLive(2, SOON, 1, 3);
            awaitLed(cluster, 1, 3);
            findQueued(cluster, 1, names);
        }
    }

    @Test
    void node_that_returns_follows_whoever_leads_now() throws Exception {
        try (ClusterProcesses cluster = whole()) {
            List<String> names = queued(cluster, 3);
            try (FailoverLoad load = new FailoverLoad(cluster, 12, 3)) {
                load.begin();
                load.runFor(Duration.ofSeconds(1));
                cluster.kill(1);
                load.awaitAllServed(Duration.ofSeconds(20));
                cluster.start(1);
                cluster.awaitLive(3, SOON, 1, 2, 3);
                awaitWhole(cluster, 1, 2, 3);
                requireNoneAside(cluster, 1, 2, 3);
                cluster.lose(2);
                load.awaitAllServed(Duration.ofSeconds(20));
                load.finish();
            }
            findQueued(cluster, 1, names);
        }
    }

    @Test
    void
            after_an_outage_of_all_nodes_operators_see_that_copy_sets_wait_for_a_leader_to_be_forgotten()
                    throws Exception {
        try (ClusterProcesses cluster = whole()) {
            List<String> names = queued(cluster, 3);
            cluster.kill(2);
            cluster.kill(3);
            cluster.lose(1);
            for (int node : new int[] {2, 3}) {
                cluster.launch(node);
            }
            for (int node : new int[] {2, 3}) {
                cluster.node(node).awaitReady();
                cluster.node(node).readyLine();
            }
            cluster.awaitLive(2, SOON, 2, 3);
            String line = "Copy sets .* of node n1 wait: too few of the nodes that are here";
            cluster.awaitLine(2, SOON, line);
            cluster.awaitLine(3, SOON, line);
            var unheard = cluster.status(2).get("unheard");
            assertThat(unheard).hasSize(1);
            assertThat(unheard.get(0).get("name").asText()).isEqualTo("n1");
            assertThat(MembershipClusterIT.statusCommand(cluster.node(2).port("admin")))
                    .containsPattern("  copy sets [0-9, ]+ of n1 wait: .* cluster forget n1");
            assertThat(ForgetClusterIT.forget(cluster, 2, "n1").out()).contains("nothing is lost");
            assertThat(cluster.forget(2, "n1").get()).isEmpty();
            awaitLed(cluster, 2, 3);
            cluster.awaitLine(2, SOON, "Copy sets of node n1 wait no longer");
            assertThat(cluster.status(2).get("unheard")).isEmpty();
            findQueued(cluster, 2, names);
        }
    }

    @Test
    void sessions_that_have_no_copies_are_copied_when_their_node_is_drained() throws Exception {
        try (ClusterProcesses cluster =
                new ClusterProcesses(3, "cluster.nodes=3", "cluster.copies=1")) {
            cluster.startAll();
            cluster.awaitLive(3, SOON, 1, 2, 3);
            List<String> names = queued(cluster, 3);
            assertThat(cluster.served(1)).as("sessions").containsAnyElementsOf(names);
            assertThat(TransferRuns.command(cluster, "drain", 1)).as(cluster.story()).isZero();
            assertThat(cluster.served(1)).doesNotContainAnyElementsOf(names);
            cluster.lose(1);
            awaitLed(cluster, 2, 3);
            findQueued(cluster, 2, names);
            assertThat(TransferRuns.command(cluster, "drain", 2)).as(cluster.story()).isZero();
            for (String name : names) {
                assertThat(connect(client(cluster, 3, name))).as(name).isTrue();
            }
            assertThat(TransferRuns.command(cluster, "undrain", 2)).isZero();
        }
    }

    @Test
    void sessions_that_have_no_copies_are_copied_to_a_node_that_joins() throws Exception {
        try (ClusterProcesses cluster =
                new ClusterProcesses(
                        2, "cluster.nodes=2", "cluster.copies=1", "cluster.rebalance-after=10s")) {
            cluster.startAll();
            cluster.awaitLive(2, SOON, 1, 2);
            List<String> names = queued(cluster, 2);
            int joined = cluster.add();
            cluster.start(joined);
            cluster.await(
                    "the new node serves sessions",
                    Duration.ofSeconds(60),
                    () -> cluster.served(joined).stream().anyMatch(names::contains));
            List<String> moved = names.stream().filter(cluster.served(joined)::contains).toList();
            cluster.lose(1);
            cluster.lose(2);
            cluster.await(
                    "both are out of reach",
                    SOON,
                    () ->
                            !cluster.isHeard("n1", List.of(joined))
                                    && !cluster.isHeard("n2", List.of(joined)));
            findQueued(cluster, joined, moved);
        }
    }

    /** Offline durable members of a shared group at all nodes. */
    private static List<String> members(ClusterProcesses cluster, int node) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < OFFLINE; i++) {
            String name = "worker-" + i;
            Mqtt5BlockingClient client = client(cluster, node, name);
            assertThat(connect(client)).isFalse();
            client.subscribeWith().topicFilter("$share/g/jobs/#").qos(MqttQos.EXACTLY_ONCE).send();
            client.disconnect();
            names.add(name);
        }
        return names;
    }

    /** Publishes jobs, half of them at QoS 2, which are acknowledged. */
    private static void publishJobs(ClusterProcesses cluster, int node, int from, int to)
            throws Exception {
        Mqtt5BlockingClient device = client(cluster, node, "device-" + from);
        device.connect();
        for (int i = from; i < to; i++) {
            device.toAsync()
                    .publishWith()
                    .topic("jobs/" + i)
                    .qos(i % 2 == 0 ? MqttQos.AT_LEAST_ONCE : MqttQos.EXACTLY_ONCE)
                    .payload(("m" + i).getBytes(UTF_8))
                    .send()
                    .get(SOON.toSeconds(), TimeUnit.SECONDS);
        }
        device.disconnect();
    }

    private static void awaitTakenOver(ClusterProcesses cluster, Integer... nodes) {
        List<Integer> at = List.of(nodes);
        cluster.await("n1 is out of reach", SOON, () -> !cluster.isHeard("n1", at));
        cluster.await("all slots are led", SOON, () -> cluster.areAllSlotsLed(at));
    }

    /** Connected members of a shared group, and what has come to them. */
    private static final class Workers implements AutoCloseable {
        private final ClusterProcesses cluster;
        private final List<String> heard = new ArrayList<>();
        private final List<Mqtt5BlockingClient> clients = new ArrayList<>();

        Workers(ClusterProcesses cluster, List<String> names, int... nodes) {
            this.cluster = cluster;
            for (String name : names) {
                Mqtt5BlockingClient client =
                        client(cluster, nodes[clients.size() % nodes.length], name);
                client.toAsync().publishes(MqttGlobalPublishFilter.ALL, this::heard);
                clients.add(client);
                assertThat(connect(client)).as("%s %s", name, cluster.story()).isTrue();
            }
        }

        private void heard(Mqtt5Publish publish) {
            synchronized (heard) {
                heard.add(new String(publish.getPayloadAsBytes(), UTF_8));
            }
        }

        private List<String> all() {
            synchronized (heard) {
                return List.copyOf(heard);
            }
        }

        void awaitJobs(int count) throws InterruptedException {
            List<String> due = IntStream.range(0, count).mapToObj(i -> "m" + i).toList();
            cluster.await("all jobs have come", SOON, () -> all().containsAll(due));
            Thread.sleep(1_000); // What comes twice would come now.
            assertThat(all()).as("%s", cluster.story()).containsOnlyOnceElementsOf(due);
        }

        @Override
        public void close() {
            clients.forEach(Mqtt5BlockingClient::disconnect);
        }
    }

    @Test
    void what_waited_in_shared_groups_of_a_lost_node_comes_to_their_members() throws Exception {
        try (ClusterProcesses cluster = whole()) {
            List<String> names = members(cluster, 2);
            publishJobs(cluster, 1, 0, 100);
            cluster.lose(1);
            publishJobs(cluster, 2, 100, 120);
            awaitTakenOver(cluster, 2, 3);
            try (Workers workers = new Workers(cluster, names, 2, 3)) {
                workers.awaitJobs(120);
            }
        }
    }

    @Test
    void node_that_returns_does_not_serve_its_groups_beside_whoever_has_taken_them_over()
            throws Exception {
        try (ClusterProcesses cluster = whole()) {
            List<String> names = members(cluster, 2);
            publishJobs(cluster, 1, 0, 100);
            cluster.kill(1);
            awaitTakenOver(cluster, 2, 3);
            cluster.start(1);
            cluster.awaitLive(3, SOON, 1, 2, 3);
            awaitWhole(cluster, 1, 2, 3);
            try (Workers workers = new Workers(cluster, names, 1, 2, 3)) {
                workers.awaitJobs(100);
                publishJobs(cluster, 1, 100, 120);
                workers.awaitJobs(120);
            }
        }
    }
}
