package io.godwit.server.cluster;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5ClientBuilder;

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
