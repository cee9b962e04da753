package io.godwit.server.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5ClientBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.Set;

/** Clients of a client library at the nodes of a cluster. */
final class ClusterClients {
    private static final int EXPIRY_SECONDS = 600;

    private ClusterClients() {}

    static Mqtt5ClientBuilder builder(ClusterProcesses cluster, int node, String id) {
        return MqttClient.builder()
                .useMqttVersion5()
                .identifier(id)
                .serverHost("127.0.0.1")
                .serverPort(cluster.node(node).port("mqtt"));
    }

    static Mqtt5BlockingClient client(ClusterProcesses cluster, int node, String id) {
        return builder(cluster, node, id).buildBlocking();
    }

    /** Returns the client ids of sessions that a node serves. */
    static Set<String> served(ClusterProcesses cluster, int node) {
        try {
            Set<String> ids = new HashSet<>();
            String page = cluster.page(node, "/clients?size=1000");
            for (JsonNode each : JsonMapper.builder().build().readTree(page).get("clients")) {
                ids.add(each.get("clientId").asText());
            }
            return ids;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Connects with a session that outlives the connection.
     *
     * @return whether there was one
     */
    static boolean connect(Mqtt5BlockingClient client) {
        return client.connectWith()
                .cleanStart(false)
                .sessionExpiryInterval(EXPIRY_SECONDS)
                .send()
                .isSessionPresent();
    }
}
