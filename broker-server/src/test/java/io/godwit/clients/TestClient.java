package io.godwit.clients;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One client library behind the few verbs that the exchange needs; each call waits for its answer.
 */
interface TestClient extends AutoCloseable {
    /**
     * @param port of the broker, or of a proxy before it
     */
    record Endpoint(BrokerUnderTest broker, Transport transport, int port) {
        String uri(String tcp, String tls) {
            String scheme =
                    switch (transport) {
                        case TCP -> tcp;
                        case TLS -> tls;
                        case WS -> "ws";
                        case WSS -> "wss";
                    };
            String path = transport.isWebSocket() ? "/mqtt" : "";
            return scheme + "://" + broker.host() + ":" + port + path;
        }
    }

    /**
     * @param clean clean start (5.0) or clean session (3.x); a session that is not clean outlives
     *     its connection by ten minutes or more
     */
    record Connection(String clientId, boolean clean, @Nullable Delivery will) {
        static Connection clean(String clientId) {
            return new Connection(clientId, true, null);
        }

        static Connection persistent(String clientId) {
            return new Connection(clientId, false, null);
        }

        Connection withWill(Delivery message) {
            return new Connection(clientId, clean, message);
        }
    }

    /** Connects, once per instance; true when the broker still had the session. */
    boolean connect(Connection connection) throws Exception;

    /** Waits for SUBACK; fails when it refuses. */
    void subscribe(String filter, int qos) throws Exception;

    /** Waits until the message is sent (QoS 0), acknowledged (1) or complete (2). */
    void publish(Delivery message) throws Exception;

    /** The next message in the order of arrival, null when none came in time. */
    @Nullable Delivery receive(Duration limit) throws Exception;

    void disconnect() throws Exception;

    /** Releases threads and sockets in whatever state the client is. */
    @Override
    void close();
}
