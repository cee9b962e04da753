package io.godwit.server.cluster;

import static io.godwit.server.cluster.ClusterClients.connect;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAckReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A client has its session at whichever node it connects to. */
class SessionClusterIT {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final ClusterProcesses CLUSTER =
            new ClusterProcesses(
                    3,
                    "cluster.nodes=3",
                    "cluster.claim-wait=2s",
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

    /** Returns when it is acknowledged. */
    private static void publish(Mqtt5BlockingClient by, MqttQos qos, String text) throws Exception {
        try {
            by.toAsync()
                    .publishWith()
                    .topic("move/x")
                    .qos(qos)
                    .payload(text.getBytes(UTF_8))
                    .send()
                    .get(SOON.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError(text + " is not acknowledged" + CLUSTER.story(), e);
        }
    }

    @Test
    void session_with_its_queue_is_found_at_whichever_node_its_client_connects_to()
            throws Exception {
        Mqtt5BlockingClient first = client(1, "mover");
        assertThat(connect(first)).isFalse();
        first.subscribeWith().topicFilter("move/+").qos(MqttQos.EXACTLY_ONCE).send();
        first.disconnect();

        Mqtt5BlockingClient publisher = client(3, "move-publisher");
        publisher.connect();
        List<String> said = IntStream.range(0, 300).mapToObj(i -> "text " + i).toList();
        for (String each : said) {
            publish(publisher, MqttQos.EXACTLY_ONCE, each);
        }
        Mqtt5BlockingClient second = client(2, "mover");
        try (var heard = second.publishes(MqttGlobalPublishFilter.ALL)) {
            assertThat(connect(second)).as("session present %s", CLUSTER.story()).isTrue();
            publish(publisher, MqttQos.AT_LEAST_ONCE, "live");
            List<String> all = new ArrayList<>(said);
            all.add("live");
            List<String> texts = new ArrayList<>();
            while (texts.size() < all.size()) {
                Optional<Mqtt5Publish> next = heard.receive(SOON.toSeconds(), TimeUnit.SECONDS);
                assertThat(next).as("after %s %s", texts.size(), CLUSTER.story()).isPresent();
                texts.add(new String(next.get().getPayloadAsBytes(), UTF_8));
            }
            assertThat(texts).containsExactlyInAnyOrderElementsOf(all);
            assertThat(texts.stream().filter(each -> !each.equals("live")).toList())
                    .isEqualTo(said);
            assertThat(heard.receive(300, TimeUnit.MILLISECONDS)).isEmpty();
        }
        second.disconnect();
        publisher.disconnect();
    }

    @Test
    void one_client_id_is_connected_once_in_the_cluster() {
        Mqtt5BlockingClient older = client(1, "only-one");
        connect(older);
        Mqtt5BlockingClient newer = client(2, "only-one");
        assertThat(connect(newer)).isTrue();
        Awaitility.await()
                .atMost(SOON)
                .untilAsserted(() -> assertThat(older.getState().isConnected()).isFalse());
        assertThat(newer.getState().isConnected()).isTrue();
        newer.disconnect();
    }

    @Test
    void client_is_shown_at_the_node_that_serves_it_with_the_node_that_has_its_socket()
            throws Exception {
        List<Mqtt5BlockingClient> clients = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            Mqtt5BlockingClient client = client(1, "edge-" + i);
            connect(client);
            clients.add(client);
        }
        int here = 0;
        int elsewhere = 0;
        for (int node = 1; node <= 3; node++) {
            String page = CLUSTER.page(node, "/clients?size=1000");
            for (JsonNode each : JsonMapper.builder().build().readTree(page).get("clients")) {
                if (each.get("clientId").asText().startsWith("edge-")) {
                    here += node == 1 ? 1 : 0;
                    elsewhere += node == 1 ? 0 : 1;
                    assertThat(each.path("edge").asText("none"))
                            .as("%s %s", node, each)
                            .isEqualTo(node == 1 ? "none" : "n1");
                }
            }
        }
        assertThat(here).isPositive();
        assertThat(elsewhere).isPositive();
        assertThat(here + elsewhere).isEqualTo(30);
        clients.forEach(Mqtt5BlockingClient::disconnect);
    }

    /** Wherever they have connected: each of three nodes leads a third of the slots. */
    @Test
    void durable_clients_are_refused_while_the_leader_of_their_slot_is_down_and_no_others_are() {
        List<String> ids = IntStream.range(0, 30).mapToObj(i -> "waiting-" + i).toList();
        for (String each : ids) {
            Mqtt5BlockingClient client = client(1, each);
            assertThat(connect(client)).isFalse();
            client.disconnect();
        }
        List<String> away = new ArrayList<>(ids);
        away.retainAll(CLUSTER.served(1));
        List<String> others = new ArrayList<>(ids);
        others.removeAll(away);
        assertThat(away).as(CLUSTER.story()).isNotEmpty();
        assertThat(others).as(CLUSTER.story()).isNotEmpty();
        CLUSTER.kill(1);
        CLUSTER.awaitLive(2, SOON, 2, 3);
        for (String each : others) {
            Mqtt5BlockingClient client = client(2 + ids.indexOf(each) % 2, each);
            assertThat(connect(client)).as("%s %s", each, CLUSTER.story()).isTrue();
            client.disconnect();
        }
        for (String each : away) {
            assertThatThrownBy(() -> connect(client(2 + ids.indexOf(each) % 2, each)))
                    .as("%s %s", each, CLUSTER.story())
                    .isInstanceOf(Mqtt5ConnAckException.class)
                    .extracting(e -> ((Mqtt5ConnAckException) e).getMqttMessage().getReasonCode())
                    .isEqualTo(Mqtt5ConnAckReasonCode.SERVER_UNAVAILABLE);
        }
        CLUSTER.start(1);
        CLUSTER.awaitLive(3, SOON, 1, 2, 3);
        for (String each : ids) {
            Mqtt5BlockingClient client = client(2, each);
            assertThat(connect(client)).as("%s %s", each, CLUSTER.story()).isTrue();
            client.disconnect();
        }
    }
}
