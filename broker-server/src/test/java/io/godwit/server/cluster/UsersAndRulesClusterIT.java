package io.godwit.server.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5PubAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5SubAckException;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAck;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAckReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.publish.puback.Mqtt5PubAckReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.subscribe.suback.Mqtt5SubAckReasonCode;
import io.godwit.server.BrokerProcess;
import io.godwit.server.security.users.NewHashes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Users and rules where clients connect to one node and another one leads their sessions. */
@Tag("alone")
class UsersAndRulesClusterIT {
    private static final int NODES = 3;
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String RULES =
            """
            rules:
              - {allow: connect, user: ["dev-*", spy]}
              - {allow: publish, user: "dev-*", topic: "devices/%u/#"}
              - {allow: subscribe, user: "dev-*", topic: "commands/%u"}
            """;

    private @TempDir Path folder;

    private String[] settings() throws Exception {
        NewHashes hashes = new NewHashes(new SecureRandom());
        StringBuilder users = new StringBuilder();
        for (int i = 0; i < 6; i++) {
            users.append("dev-")
                    .append(i)
                    .append(':')
                    .append(hashes.ofToken("secret-dev-" + i).text());
            users.append('\n');
        }
        users.append("spy:").append(hashes.ofToken("secret-spy").text()).append('\n');
        Path usersFile = Files.writeString(folder.resolve("users"), users);
        Path rulesFile = Files.writeString(folder.resolve("rules.yaml"), RULES);
        return new String[] {
            "cluster.nodes=" + NODES, "security.users=" + usersFile, "security.rules=" + rulesFile
        };
    }

    private static Mqtt5BlockingClient client(
            ClusterProcesses cluster, int node, String id, String user) {
        return ClusterClients.builder(cluster, node, id)
                .simpleAuth()
                .username(user)
                .password(("secret-" + user).getBytes(UTF_8))
                .applySimpleAuth()
                .buildBlocking();
    }

    private static Mqtt5ConnAck connect(
            Mqtt5BlockingClient client, boolean cleanStart, long expirySeconds) {
        return client.connectWith()
                .cleanStart(cleanStart)
                .sessionExpiryInterval(expirySeconds)
                .send();
    }

    @Test
    void leader_knows_who_a_client_at_another_node_is_and_goes_by_its_rules() throws Exception {
        try (ClusterProcesses cluster = new ClusterProcesses(NODES, settings())) {
            cluster.startAll();
            cluster.awaitLive(NODES, SOON, 1, 2, 3);
            for (int i = 0; i < 6; i++) {
                String user = "dev-" + i;
                int node = 1 + i % NODES;
                Mqtt5BlockingClient client = client(cluster, node, "client-" + i, user);
                connect(client, true, 600);
                publish(client, "devices/" + user + "/t");
                assertThatThrownBy(() -> publish(client, "devices/other/t"))
                        .isInstanceOfSatisfying(
                                Mqtt5PubAckException.class,
                                refused ->
                                        assertThat(refused.getMqttMessage().getReasonCode())
                                                .isEqualTo(Mqtt5PubAckReasonCode.NOT_AUTHORIZED));
                client.subscribeWith().topicFilter("commands/" + user).send();
                assertThatThrownBy(() -> client.subscribeWith().topicFilter("commands/#").send())
                        .isInstanceOfSatisfying(
                                Mqtt5SubAckException.class,
                                refused ->
                                        assertThat(refused.getMqttMessage().getReasonCodes())
                                                .containsExactly(
                                                        Mqtt5SubAckReasonCode.NOT_AUTHORIZED));
                assertThat(userOf(cluster, "client-" + i)).isEqualTo(user);
                client.disconnect();
            }
        }
    }

    @Test
    void users_who_are_removed_are_disconnected_whichever_node_leads_their_sessions()
            throws Exception {
        String[] all = settings();
        Path file = folder.resolve("users");
        List<String> users = Files.readAllLines(file);
        try (ClusterProcesses cluster = new ClusterProcesses(NODES, all)) {
            List.of(1, 2, 3).stream()
                    .map(node -> cluster.launch(node, "security.reload=1s"))
                    .toList()
                    .forEach(BrokerProcess::awaitReady);
            cluster.awaitLive(NODES, SOON, 1, 2, 3);
            List<Mqtt5BlockingClient> clients = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                Mqtt5BlockingClient client =
                        client(cluster, 1 + i % NODES, "client-" + i, "dev-" + i);
                connect(client, true, i % 2 == 0 ? 600 : 0);
                clients.add(client);
            }
            Path next = Files.write(folder.resolve("next"), users.subList(4, users.size()));
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
            await().atMost(SOON)
                    .until(() ->
                            clients.subList(0, 4).stream()
                                    .noneMatch(each -> each.getState().isConnected()));
            publish(clients.get(4), "devices/dev-4/t");
            publish(clients.get(5), "devices/dev-5/t");
        }
    }

    @Test
    void node_whose_files_differ_is_named_until_they_are_the_same() throws Exception {
        String[] all = settings();
        Path other = Files.writeString(folder.resolve("others.yaml"), RULES + "# another\n");
        try (ClusterProcesses cluster = new ClusterProcesses(NODES, all)) {
            List.of(
                            cluster.launch(1),
                            cluster.launch(2, "security.rules=" + other, "security.reload=1s"),
                            cluster.launch(3))
                    .forEach(BrokerProcess::awaitReady);
            cluster.awaitLive(NODES, SOON, 1, 2, 3);
            await().atMost(SOON)
                    .untilAsserted(() -> {
                        assertThat(differing(cluster, 1)).containsExactly("rules");
                        assertThat(differing(cluster, 2)).containsExactly("rules", "rules");
                    });
            Files.writeString(other, RULES);
            await().atMost(SOON)
                    .untilAsserted(() -> {
                        assertThat(differing(cluster, 1)).isEmpty();
                        assertThat(differing(cluster, 2)).isEmpty();
                    });
        }
    }

    /** Returns what differs at the other nodes, as a node sees it. */
    private static List<String> differing(ClusterProcesses cluster, int node) {
        List<String> found = new ArrayList<>();
        for (JsonNode each : cluster.json(node, "/cluster").get("members")) {
            each.get("security").get("differ").forEach(one -> found.add(one.asText()));
        }
        return found;
    }

    @Test
    void session_stays_its_users_whichever_node_another_one_comes_to() throws Exception {
        try (ClusterProcesses cluster = new ClusterProcesses(NODES, settings())) {
            cluster.startAll();
            cluster.awaitLive(NODES, SOON, 1, 2, 3);
            connect(client(cluster, 1, "mine", "dev-0"), true, 600);
            for (int node = 1; node <= NODES; node++) {
                refused(client(cluster, node, "mine", "spy"), true, 600);
                refused(client(cluster, node, "mine", "spy"), false, 600);
                refused(client(cluster, node, "mine", "spy"), true, 0);
            }
            for (int node = NODES; node >= 1; node--) {
                Mqtt5BlockingClient again = client(cluster, node, "mine", "dev-0");
                assertThat(connect(again, false, 600).isSessionPresent())
                        .as("node %s, %s", node, cluster.story())
                        .isTrue();
            }
        }
    }

    private static void publish(Mqtt5BlockingClient client, String topic) {
        client.publishWith().topic(topic).qos(MqttQos.AT_LEAST_ONCE).send();
    }

    private static void refused(Mqtt5BlockingClient client, boolean cleanStart, long expiry) {
        assertThatThrownBy(() -> connect(client, cleanStart, expiry))
                .isInstanceOfSatisfying(
                        Mqtt5ConnAckException.class,
                        refused ->
                                assertThat(refused.getMqttMessage().getReasonCode())
                                        .isEqualTo(
                                                Mqtt5ConnAckReasonCode
                                                        .CLIENT_IDENTIFIER_NOT_VALID));
    }

    /** Returns the user of a client, as the node tells that serves it. */
    private static String userOf(ClusterProcesses cluster, String id) {
        for (int node = 1; node <= NODES; node++) {
            for (JsonNode each : cluster.json(node, "/clients?size=1000").get("clients")) {
                if (each.get("clientId").asText().equals(id)) {
                    return each.get("user").asText();
                }
            }
        }
        return "";
    }
}
