package io.godwit.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import io.godwit.server.extension.TestExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Limits that the node of a client's socket was granted, where another one leads the session. */
@Tag("alone")
class GrantedLimitsClusterIT {
    private static final int NODES = 2;
    private static final int CLIENTS = 8;
    private static final int QUEUED_MAX = 2;
    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir private Path folder;

    @Test
    void queue_of_a_session_at_its_leader_holds_what_the_edge_was_granted() {
        TestExtension.starting(
                        "door",
                        """
                        context.registrations().authenticator(request ->
                                AuthenticationResult.granted(
                                        Grant.to(request.connect().userName())
                                                .queueMessages(%d)
                                                .build())
                                        .now());
                        """
                                .formatted(QUEUED_MAX))
                .writeTo(folder);
        try (ClusterProcesses cluster =
                new ClusterProcesses(
                        NODES, "cluster.nodes=" + NODES, "extensions.folder=" + folder)) {
            cluster.startAll();
            cluster.awaitLive(NODES, SOON, 1, 2);
            for (int i = 0; i < CLIENTS; i++) {
                Mqtt5BlockingClient client =
                        ClusterClients.builder(cluster, 1, "client-" + i)
                                .simpleAuth()
                                .username("user")
                                .applySimpleAuth()
                                .buildBlocking();
                ClusterClients.connect(client);
                client.subscribeWith().topicFilter("t").qos(MqttQos.AT_LEAST_ONCE).send();
                client.disconnect();
            }
            await().atMost(SOON)
                    .until(() ->
                            sessions(cluster).noneMatch(each -> each.get("connected").asBoolean()));
            Mqtt5BlockingClient publisher = ClusterClients.client(cluster, 1, "publisher");
            publisher.connectWith().simpleAuth().username("user").applySimpleAuth().send();
            for (int i = 0; i < QUEUED_MAX + 2; i++) {
                publisher.publishWith().topic("t").qos(MqttQos.AT_LEAST_ONCE).send();
            }

            assertThat(sessions(cluster).map(each -> each.get("queued").asInt()))
                    .hasSize(CLIENTS)
                    .containsOnly(QUEUED_MAX);
            assertThat(sessionsAt(cluster, 1)).isNotEmpty();
            assertThat(sessionsAt(cluster, 2)).isNotEmpty();
        }
    }

    private static Stream<JsonNode> sessions(ClusterProcesses cluster) {
        return Stream.concat(sessionsAt(cluster, 1), sessionsAt(cluster, 2));
    }

    private static Stream<JsonNode> sessionsAt(ClusterProcesses cluster, int leader) {
        JsonNode clients = cluster.json(leader, "/clients?size=1000").get("clients");
        return StreamSupport.stream(clients.spliterator(), false)
                .filter(each -> each.get("clientId").asText().startsWith("client-"));
    }
}
