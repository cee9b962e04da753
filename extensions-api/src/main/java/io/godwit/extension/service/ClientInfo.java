package io.godwit.extension.service;

import io.godwit.extension.packet.MqttVersion;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Describes a session, and the connection that it has.
 *
 * @param node name of the node that has the session
 * @param version of the connection, or of the last one
 * @param userName of the connection, or the one to whom the session belongs; null: anonymous
 * @param connection empty: the client is not connected
 * @param disconnectedSince empty: it is connected
 * @param sessionExpirySeconds for so long the session outlives a connection; 4 294 967 295: for
 *     ever
 * @param subscriptions how many the session has
 */
public record ClientInfo(
        String clientId,
        String node,
        MqttVersion version,
        @Nullable String userName,
        Optional<Connection> connection,
        Optional<Instant> disconnectedSince,
        long sessionExpirySeconds,
        int subscriptions) {
    /**
     * Describes a connection.
     *
     * @param node name of the node that has the client's socket
     * @param address of the client, as {@code 10.0.0.1:50412}
     * @param listener name of the listener in the configuration
     * @param groups that its authenticator has put the user into
     * @param keepAliveSeconds 0: none
     */
    public record Connection(
            String node,
            String address,
            String listener,
            List<String> groups,
            int keepAliveSeconds,
            Instant since) {
        public Connection {
            groups = List.copyOf(groups);
        }
    }

    public boolean isConnected() {
        return connection.isPresent();
    }
}
