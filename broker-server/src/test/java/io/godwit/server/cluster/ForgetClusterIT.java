package io.godwit.server.cluster;

import static io.godwit.server.cluster.ClusterClients.client;
import static io.godwit.server.cluster.ClusterClients.connect;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5PublishResult;
import io.godwit.server.Main;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A node is killed and forgotten, and comes back with its old store. */
class ForgetClusterIT {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int CLIENTS = 30;

    private static void subscribe(Mqtt5BlockingClient client, int number) {
        client.subscribeWith().topicFilter("f/" + number).qos(MqttQos.EXACTLY_ONCE).send();
    }

    private static CompletableFuture<Mqtt5PublishResult> publish(
            Mqtt5BlockingClient by, int number, MqttQos qos, String text) {
        return by.toAsync()
                .publishWith()
                .topic("f/" + number)
                .qos(qos)
                .payload(text.getBytes(UTF_8))
                .send();
    }

    private static List<String> take(Mqtt5BlockingClient.Mqtt5Publishes from, int count)
            throws InterruptedException {
        List<String> texts = new ArrayList<>();
        long waitMs = SOON.toMillis();
        for (int i = 0; i <= count; i++) {
            // One more than there should be is not waited for as long.
            Optional<Mqtt5Publish> next =
                    from.receive(i < count ? waitMs : 300, TimeUnit.MILLISECONDS);
            next.ifPresent(each -> texts.add(new String(each.getPayloadAsBytes(), UTF_8)));
        }
        return texts;
    }

    record Said(int exitCode, String out, String err) {}

    /** {@code godwit cluster forget} at a node. */
    static Said forget(ClusterProcesses cluster, int at, String... arguments) {
        List<String> all = new ArrayList<>(List.of("cluster", "forget"));
        all.addAll(List.of(arguments));
        all.addAll(List.of("--admin", "127.0.0.1:" + cluster.node(at).port("admin")));
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

    @Test
    void clients_get_new_sessions_and_whoever_waits_goes_on_and_nothing_is_doubled_later()
            throws Exception {
        try (ClusterProcesses cluster =
                new ClusterProcesses(3, "cluster.nodes=3", "cluster.failover-timeout=never")) {
            cluster.startAll();
            cluster.awaitLive(3, SOON, 1, 2, 3);
            Mqtt5BlockingClient publisher = client(cluster, 2, "publisher");
            publisher.connect();
            for (int i = 0; i < CLIENTS; i++) {
                Mqtt5BlockingClient client = client(cluster, 1, "c" + i);
                assertThat(connect(client)).isFalse();
                subscribe(client, i);
                client.disconnect();
                publish(publisher, i, MqttQos.EXACTLY_ONCE, "before " + i)
                        .get(SOON.toSeconds(), TimeUnit.SECONDS);
            }
            Set<String> served = cluster.served(1);
            List<Integer> lost = numbers(each -> served.contains("c" + each));
            List<Integer> kept = numbers(each -> !served.contains("c" + each));
            assertThat(lost).as(cluster.story()).hasSizeGreaterThan(1);
            assertThat(kept).as(cluster.story()).isNotEmpty();
            List<Integer> renewed = lost.subList(0, lost.size() / 2);
            List<Integer> returning = lost.subList(lost.size() / 2, lost.size());
            refused(cluster, "n1", "node n1 is there: only a node that has ended can be forgotten");
            refused(cluster, "n2", "node n2 is the one that was asked: ask another one");
            refused(cluster, "n9", "there is no member n9 in this cluster");

            cluster.kill(1);
            cluster.awaitLive(2, SOON, 2, 3);
            List<CompletableFuture<Mqtt5PublishResult>> waiting = new ArrayList<>();
            for (int i : kept) {
                publish(publisher, i, MqttQos.EXACTLY_ONCE, "kept " + i)
                        .get(SOON.toSeconds(), TimeUnit.SECONDS);
            }
            for (int i : lost) {
                MqttQos qos = i % 2 == 0 ? MqttQos.EXACTLY_ONCE : MqttQos.AT_LEAST_ONCE;
                waiting.add(publish(publisher, i, qos, "lost " + i));
            }
            Thread.sleep(1_000);
            assertThat(waiting).noneMatch(CompletableFuture::isDone);

            Said trial = forget(cluster, 2, "n1");
            assertThat(trial.exitCode()).as("%s", trial).isEqualTo(1);
            assertThat(trial.out()).contains("its durable sessions in copy sets [1,");
            assertThat(waiting).noneMatch(CompletableFuture::isDone);
            Said done = forget(cluster, 2, "n1", "--yes");
            assertThat(done.exitCode()).as("%s %s", done, cluster.story()).isZero();
            assertThat(done.out()).contains("is forgotten");
            for (CompletableFuture<Mqtt5PublishResult> each : waiting) {
                each.get(SOON.toSeconds(), TimeUnit.SECONDS);
            }
            assertThat(cluster.page(2, "/metrics"))
                    .contains(
                            "godwit_dropped_total{cause=\"node-forgotten\",protocol=\"none\"} "
                                    + (double) lost.size())
                    .contains("godwit_cluster_members 2.0");
            cluster.await(
                    "n3 is ready, and its copies are whole again",
                    SOON,
                    () -> cluster.page(3, "/health/ready").contains("\"ready\""));
            refused(cluster, "n1", "there is no member n1 in this cluster");

            cluster.node(3).terminate();
            cluster.node(3).exitCode();
            cluster.start(3);
            cluster.awaitLive(2, SOON, 2, 3);
            assertThat(cluster.status(3).get("members")).hasSize(2);
            Map<Integer, Mqtt5BlockingClient> newer = new HashMap<>();
            Map<Integer, Mqtt5BlockingClient.Mqtt5Publishes> heard = new HashMap<>();
            for (int i : renewed) {
                Mqtt5BlockingClient client = client(cluster, 2 + i % 2, "c" + i);
                // Before SUBSCRIBE: the library drops what comes while nobody is there for it.
                heard.put(i, client.publishes(MqttGlobalPublishFilter.ALL));
                assertThat(connect(client)).as("c%s %s", i, cluster.story()).isFalse();
                subscribe(client, i);
                newer.put(i, client);
            }

            cluster.start(1);
            cluster.awaitLive(3, SOON, 1, 2, 3);
            for (int i : renewed) {
                publish(publisher, i, MqttQos.EXACTLY_ONCE, "after " + i)
                        .get(SOON.toSeconds(), TimeUnit.SECONDS);
                assertThat(take(Objects.requireNonNull(heard.get(i)), 1))
                        .containsExactly("after " + i);
                Objects.requireNonNull(newer.get(i)).disconnect();
                Mqtt5BlockingClient back = client(cluster, 1, "c" + i);
                assertThat(connect(back)).as("c%s %s", i, cluster.story()).isTrue();
                back.disconnect();
            }
            String aside = "godwit_cluster_sessions_aside " + (double) renewed.size();
            cluster.await(aside, SOON, () -> cluster.page(1, "/metrics").contains(aside));
            for (int i : kept) {
                Mqtt5BlockingClient client = client(cluster, 1, "c" + i);
                try (var both = client.publishes(MqttGlobalPublishFilter.ALL)) {
                    assertThat(connect(client)).as("c%s %s", i, cluster.story()).isTrue();
                    assertThat(take(both, 2)).containsExactly("before " + i, "kept " + i);
                }
                client.disconnect();
            }
            for (int i : returning) {
                publish(publisher, i, MqttQos.EXACTLY_ONCE, "after " + i)
                        .get(SOON.toSeconds(), TimeUnit.SECONDS);
                Mqtt5BlockingClient client = client(cluster, 3, "c" + i);
                try (var both = client.publishes(MqttGlobalPublishFilter.ALL)) {
                    assertThat(connect(client)).as("c%s %s", i, cluster.story()).isTrue();
                    assertThat(take(both, 2)).containsExactly("before " + i, "after " + i);
                }
                client.disconnect();
            }
            publisher.disconnect();
        }
    }

    private static List<Integer> numbers(IntPredicate which) {
        return IntStream.range(0, CLIENTS).filter(which).boxed().toList();
    }

    private static void refused(ClusterProcesses cluster, String node, String why) {
        Said said = forget(cluster, 2, node, "--yes");
        assertThat(said.exitCode()).as("%s", said).isEqualTo(1);
        assertThat(said.err()).contains(why);
    }

    @Test
    void one_that_was_not_heard_for_long_is_forgotten_by_itself() {
        try (ClusterProcesses cluster =
                new ClusterProcesses(
                        2,
                        "cluster.nodes=2",
                        "cluster.forget-after=10s",
                        "cluster.failover-timeout=never")) {
            cluster.startAll();
            cluster.awaitLive(2, SOON, 1, 2);
            for (int i = 0; i < CLIENTS; i++) {
                Mqtt5BlockingClient client = client(cluster, 1, "c" + i);
                connect(client);
                client.disconnect();
            }
            String lost = cluster.served(1).iterator().next();
            cluster.kill(1);
            cluster.awaitLine(2, SOON, "Node n1 \\(server id [0-9]+\\) is forgotten");
            assertThat(cluster.status(2).get("members")).hasSize(1);
            Mqtt5BlockingClient again = client(cluster, 2, lost);
            assertThat(connect(again)).as(cluster.story()).isFalse();
            cluster.start(1);
            cluster.awaitLive(2, SOON, 1, 2);
            assertThat(again.getState().isConnected()).as(cluster.story()).isTrue();
            again.disconnect();
        }
    }
}
