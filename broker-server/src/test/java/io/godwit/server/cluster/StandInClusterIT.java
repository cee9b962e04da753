package io.godwit.server.cluster;

import static io.godwit.server.cluster.ClusterClients.connect;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5DisconnectException;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAck;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAckReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5DisconnectReasonCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Clients without a session are served while the leader of their slot is down. */
class StandInClusterIT {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final ClusterProcesses CLUSTER =
            new ClusterProcesses(
                    3,
                    "cluster.nodes=3",
                    "cluster.claim-wait=5s",
                    "cluster.failover-timeout=never");

    @BeforeAll
    static void start() {
        CLUSTER.startAll();
        CLUSTER.awaitLive(3, SOON, 1, 2, 3);
    }

    @AfterAll
    static void stop() {
        CLUSTER.close();
    }

    private static Mqtt5BlockingClient client(int node, String id) {
        return ClusterClients.client(CLUSTER, node, id);
    }

    /** Connects with Clean Start, and a session that ends with the connection. */
    private static CompletableFuture<Mqtt5ConnAck> connectTransient(Mqtt5BlockingClient client) {
        return client.toAsync().connectWith().cleanStart(true).sessionExpiryInterval(0).send();
    }

    private static void awaitConnected(CompletableFuture<Mqtt5ConnAck> connecting) {
        assertThat(connecting)
                .as("connected %s", CLUSTER.story())
                .succeedsWithin(SOON)
                .matches(connAck -> !connAck.isSessionPresent());
    }

    private static double grantedByStandIns(int node) {
        return CLUSTER.page(node, "/metrics")
                .lines()
                .filter(line -> line.startsWith("godwit_cluster_stand_in_granted_total"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    private static Mqtt5BlockingClient durable(int node, String id, boolean isPresent) {
        Mqtt5BlockingClient client = client(node, id);
        assertThat(connect(client)).as("%s %s", id, CLUSTER.story()).isEqualTo(isPresent);
        return client;
    }

    @Test
    void transient_clients_get_in_while_a_node_is_down_and_sessions_they_ended_stay_away()
            throws Exception {
        List<String> ids = IntStream.range(0, 40).mapToObj(i -> "kept-" + i).toList();
        for (String each : ids) {
            durable(1, each, false).disconnect();
        }
        List<String> away = new ArrayList<>(ids);
        away.retainAll(CLUSTER.served(3));
        assertThat(away).as(CLUSTER.story()).hasSizeGreaterThan(3);
        String gone = away.get(0);
        String stays = away.get(1);
        List<String> untouched = away.subList(2, away.size());

        CLUSTER.kill(3);
        CLUSTER.awaitLive(2, SOON, 1, 2);
        Mqtt5BlockingClient staying = client(1, stays);
        awaitConnected(connectTransient(staying)); // Somebody stands in now.

        List<Mqtt5BlockingClient> clients =
                IntStream.range(0, 50).mapToObj(i -> client(1 + i % 2, "transient-" + i)).toList();
        long before = System.nanoTime();
        List<CompletableFuture<Mqtt5ConnAck>> all =
                clients.stream().map(StandInClusterIT::connectTransient).toList();
        for (CompletableFuture<Mqtt5ConnAck> each : all) {
            awaitConnected(each);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - before))
                .as(CLUSTER.story())
                .isLessThan(Duration.ofSeconds(2));
        assertThat(grantedByStandIns(1) + grantedByStandIns(2)).isGreaterThan(5);

        CompletableFuture<Throwable> ended = new CompletableFuture<>();
        Mqtt5BlockingClient older =
                ClusterClients.builder(CLUSTER, 1, gone)
                        .addDisconnectedListener(context -> ended.complete(context.getCause()))
                        .buildBlocking();
        awaitConnected(connectTransient(older));
        Mqtt5BlockingClient newer = client(2, gone);
        awaitConnected(connectTransient(newer));
        assertThat(ended.get(SOON.toSeconds(), TimeUnit.SECONDS))
                .isInstanceOf(Mqtt5DisconnectException.class)
                .extracting(e -> ((Mqtt5DisconnectException) e).getMqttMessage().getReasonCode())
                .isEqualTo(Mqtt5DisconnectReasonCode.SESSION_TAKEN_OVER);
        newer.disconnect();
        assertThatThrownBy(() -> connect(client(2, untouched.getFirst())))
                .as("what it has is not known")
                .isInstanceOf(Mqtt5ConnAckException.class)
                .extracting(e -> ((Mqtt5ConnAckException) e).getMqttMessage().getReasonCode())
                .isEqualTo(Mqtt5ConnAckReasonCode.SERVER_UNAVAILABLE);

        CLUSTER.start(3);
        CLUSTER.awaitLive(3, SOON, 1, 2, 3);
        for (String each : untouched) {
            durable(2, each, true).disconnect();
        }
        assertThat(staying.getState().isConnected()).as(CLUSTER.story()).isTrue();
        assertThat(clients).allMatch(each -> each.getState().isConnected());
        for (String each : List.of(gone, stays)) {
            durable(2, each, false).disconnect(); // [MQTT-3.1.2-4]
        }
        clients.forEach(Mqtt5BlockingClient::disconnect);
    }
}
