package io.godwit.server.cluster;

import static io.godwit.server.cluster.ClusterClients.connect;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5DisconnectException;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAckReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5Disconnect;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5DisconnectReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node is stopped by SIGTERM while another one is there, or is stopped, too. */
@Tag("alone")
class DrainClusterIT {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int AWAY = 20;
    private static final int ONLINE = 20;

    private static Mqtt5BlockingClient client(
            ClusterProcesses cluster, int node, String id, CompletableFuture<Throwable> lost) {
        return ClusterClients.builder(cluster, node, id)
                .addDisconnectedListener(context -> lost.complete(context.getCause()))
                .buildBlocking();
    }

    @Test
    void clients_are_told_where_to_go_and_queues_are_with_the_leaders_of_their_slots()
            throws Exception {
        try (ClusterProcesses cluster =
                new ClusterProcesses(
                        2,
                        "cluster.nodes=2",
                        "cluster.failover-timeout=never",
                        "cluster.claim-wait=1s",
                        "cluster.drain-wait=100ms",
                        "cluster.server-reference=other:1883",
                        "cluster.peer-timeout=1s",
                        "stop.timeout=60s")) {
            cluster.startAll();
            cluster.awaitLive(2, SOON, 1, 2);
            for (int i = 0; i < AWAY; i++) {
                Mqtt5BlockingClient away =
                        client(cluster, 1, "away" + i, new CompletableFuture<>());
                connect(away);
                away.subscribeWith().topicFilter("drain").qos(MqttQos.AT_LEAST_ONCE).send();
                away.disconnect();
            }
            Set<String> atLeaving = cluster.served(1);
            Set<String> atOther = cluster.served(2);
            assertThat(atLeaving).isNotEmpty();
            assertThat(atOther).isNotEmpty();
            assertThat(atLeaving.size() + atOther.size()).isEqualTo(AWAY);
            List<CompletableFuture<Throwable>> lost = new ArrayList<>();
            for (int i = 0; i < ONLINE; i++) {
                lost.add(new CompletableFuture<>());
                connect(client(cluster, 1, "online" + i, lost.get(i)));
            }
            assertThat(cluster.served(2))
                    .as("clients that are served by another node")
                    .hasSizeGreaterThan(atOther.size());
            lost.add(new CompletableFuture<>());
            client(cluster, 1, "transient", lost.getLast()).connect();
            List<CompletableFuture<Throwable>> piped = new ArrayList<>();
            for (int i = 0; piped.size() < 3; i++) {
                CompletableFuture<Throwable> ended = new CompletableFuture<>();
                String id = "piped" + i;
                connect(client(cluster, 2, id, ended));
                if (cluster.served(1).contains(id)) {
                    piped.add(ended);
                }
            }
            Mqtt5BlockingClient publisher =
                    client(cluster, 2, "publisher", new CompletableFuture<>());
            publisher.connect();
            List<String> said = IntStream.range(0, 100).mapToObj(i -> "text " + i).toList();
            for (String each : said) {
                publisher
                        .publishWith()
                        .topic("drain")
                        .qos(MqttQos.AT_LEAST_ONCE)
                        .payload(each.getBytes(UTF_8))
                        .send();
            }

            cluster.node(1).terminate();
            for (CompletableFuture<Throwable> each : lost) {
                Throwable cause = each.get(SOON.toSeconds(), TimeUnit.SECONDS);
                assertThat(cause).isInstanceOf(Mqtt5DisconnectException.class);
                Mqtt5Disconnect told = ((Mqtt5DisconnectException) cause).getMqttMessage();
                assertThat(told.getReasonCode())
                        .isEqualTo(Mqtt5DisconnectReasonCode.USE_ANOTHER_SERVER);
                assertThat(told.getServerReference()).map(Object::toString).contains("other:1883");
            }
            for (CompletableFuture<Throwable> each : piped) {
                Throwable cause = each.get(SOON.toSeconds(), TimeUnit.SECONDS);
                assertThat(cause).isInstanceOf(Mqtt5DisconnectException.class);
                Mqtt5Disconnect told = ((Mqtt5DisconnectException) cause).getMqttMessage();
                assertThat(told.getReasonCode())
                        .isEqualTo(Mqtt5DisconnectReasonCode.SERVER_SHUTTING_DOWN);
            }
            assertThat(cluster.node(1).exitCode()).as(cluster.story()).isZero();
            cluster.awaitLine(1, SOON, "Left the cluster");

            cluster.awaitLive(1, SOON, 2);
            for (String each : atOther) {
                assertHears(cluster, each, said);
            }
            for (String each : atLeaving) {
                assertThatThrownBy(
                                () -> connect(client(cluster, 2, each, new CompletableFuture<>())))
                        .as("%s %s", each, cluster.story())
                        .isInstanceOf(Mqtt5ConnAckException.class)
                        .extracting(
                                e -> ((Mqtt5ConnAckException) e).getMqttMessage().getReasonCode())
                        .isEqualTo(Mqtt5ConnAckReasonCode.SERVER_UNAVAILABLE);
            }
            cluster.start(1);
            cluster.awaitLive(2, SOON, 1, 2);
            for (String each : atLeaving) {
                assertHears(cluster, each, said);
            }
            publisher.disconnect();
        }
    }

    /** Has a client connect at node 2, where it finds its session with these in its queue. */
    private static void assertHears(ClusterProcesses cluster, String id, List<String> said)
            throws InterruptedException {
        Mqtt5BlockingClient back = client(cluster, 2, id, new CompletableFuture<>());
        List<String> texts = new ArrayList<>();
        try (var heard = back.publishes(MqttGlobalPublishFilter.ALL)) {
            assertThat(connect(back)).as("session of %s present %s", id, cluster.story()).isTrue();
            while (texts.size() < said.size()) {
                Optional<Mqtt5Publish> next = heard.receive(SOON.toSeconds(), TimeUnit.SECONDS);
                assertThat(next).as("after %s %s", texts.size(), cluster.story()).isPresent();
                texts.add(new String(next.get().getPayloadAsBytes(), UTF_8));
            }
        }
        assertThat(texts).isEqualTo(said);
        back.disconnect();
    }

    @Test
    void nodes_that_are_all_stopped_at_once_end_in_time_and_lose_nothing() throws Exception {
        try (ClusterProcesses cluster = new ClusterProcesses(3)) {
            cluster.startAll();
            cluster.awaitLive(3, SOON, 1, 2, 3);
            for (int node = 1; node <= 3; node++) {
                Mqtt5BlockingClient away =
                        client(cluster, node, "away" + node, new CompletableFuture<>());
                connect(away);
                away.subscribeWith().topicFilter("all").qos(MqttQos.AT_LEAST_ONCE).send();
                away.disconnect();
            }
            Mqtt5BlockingClient publisher =
                    client(cluster, 2, "publisher", new CompletableFuture<>());
            publisher.connect();
            publisher
                    .publishWith()
                    .topic("all")
                    .qos(MqttQos.AT_LEAST_ONCE)
                    .payload("text".getBytes(UTF_8))
                    .send();

            for (int node = 1; node <= 3; node++) {
                cluster.node(node).terminate();
            }
            for (int node = 1; node <= 3; node++) {
                assertThat(cluster.node(node).exitCode()).as(cluster.story()).isZero();
            }
            cluster.startAll();
            cluster.awaitLive(3, SOON, 1, 2, 3);
            for (int node = 1; node <= 3; node++) {
                Mqtt5BlockingClient back =
                        client(cluster, node % 3 + 1, "away" + node, new CompletableFuture<>());
                try (var heard = back.publishes(MqttGlobalPublishFilter.ALL)) {
                    assertThat(connect(back)).as("session present %s", cluster.story()).isTrue();
                    assertThat(heard.receive(SOON.toSeconds(), TimeUnit.SECONDS))
                            .as(cluster.story())
                            .isPresent();
                }
                back.disconnect();
            }
        }
    }
}
