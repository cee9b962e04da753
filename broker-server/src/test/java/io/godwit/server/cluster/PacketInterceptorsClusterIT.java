package io.godwit.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAck;
import io.godwit.server.extension.TestExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Interceptors where a client is connected to one node and another one leads its session. */
class PacketInterceptorsClusterIT {
    private static final Duration SOON = Duration.ofSeconds(60);

    /**
     * The client id says which node was asked about CONNECT, a User Property which about CONNACK.
     */
    private static final String NAMING =
            """
            context.registrations().connectInterceptor((origin, connect) ->
                    Interception.changed(connect.change()
                            .clientId(connect.clientId() + "-%1$s").build()).now());
            context.registrations().packetInterceptor(PacketPoint.CONNACK, (client, connAck) ->
                    Interception.changed(connAck.withUserProperties(List.of(
                            new io.godwit.extension.packet.UserProperty(
                                    "who", client.clientId() + " at %1$s")))).now());
            """;

    private @TempDir Path folder;

    private String withExtension(int node) {
        Path extensions = folder.resolve("n" + node);
        TestExtension.starting("names", NAMING.formatted("n" + node)).writeTo(extensions);
        return "extensions.folder=" + extensions;
    }

    @Test
    void connect_is_shown_where_its_client_is_connected_and_connack_where_its_session_is() {
        try (ClusterProcesses cluster = new ClusterProcesses(2, "cluster.nodes=2")) {
            cluster.launch(1, withExtension(1));
            cluster.launch(2, withExtension(2));
            for (int node = 1; node <= 2; node++) {
                cluster.node(node).awaitReady();
                cluster.node(node).readyLine();
            }
            cluster.awaitLive(2, SOON, 1, 2);
            Set<String> said = new LinkedHashSet<>();
            for (int i = 0; i < 20; i++) {
                Mqtt5BlockingClient client = ClusterClients.client(cluster, 1, "c" + i);
                Mqtt5ConnAck connAck =
                        client.connectWith().cleanStart(false).sessionExpiryInterval(600).send();
                String who = connAck.getUserProperties().asList().getFirst().getValue().toString();
                assertThat(who).startsWith("c" + i + "-n1 at ");
                said.add(who.substring(who.indexOf(" at ")));
                client.disconnect();
            }
            assertThat(said).containsExactlyInAnyOrder(" at n1", " at n2");
        }
    }

    @Test
    void client_is_told_what_its_node_alone_has_changed_in_its_connect() {
        Path extensions = folder.resolve("n1");
        TestExtension.starting(
                        "changes",
                        """
                        context.registrations().connectInterceptor((origin, connect) ->
                                Interception.changed(connect.change().keepAliveSeconds(33)
                                        .sessionExpirySeconds(500).build()).now());
                        """)
                .writeTo(extensions);
        try (ClusterProcesses cluster = new ClusterProcesses(2, "cluster.nodes=2")) {
            cluster.launch(1, "extensions.folder=" + extensions);
            cluster.launch(2);
            for (int node = 1; node <= 2; node++) {
                cluster.node(node).awaitReady();
                cluster.node(node).readyLine();
            }
            cluster.awaitLive(2, SOON, 1, 2);
            for (int i = 0; i < 20; i++) {
                Mqtt5BlockingClient client = ClusterClients.client(cluster, 1, "c" + i);
                Mqtt5ConnAck connAck =
                        client.connectWith()
                                .cleanStart(false)
                                .keepAlive(77)
                                .sessionExpiryInterval(600)
                                .send();
                assertThat(connAck.getServerKeepAlive()).hasValue(33);
                assertThat(connAck.getSessionExpiryInterval()).hasValue(500);
            }
            assertThat(cluster.served(1)).isNotEmpty();
            assertThat(cluster.served(2)).isNotEmpty();
        }
    }
}
