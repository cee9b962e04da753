package io.godwit.server.client;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A client with a durable session that connects again until it is closed, to the next node when one
 * is away.
 */
final class LastingClient implements AutoCloseable {
    private static final int KEEP_ALIVE_SECONDS = 10;
    private static final long SESSION_EXPIRY_SECONDS = 86_400;
    private static final long RETRY_MS = 300;

    /** Uses the client's connection; all methods run on the client's thread. */
    interface Handler {
        void onConnected(MqttConnection connection) throws IOException;

        void onPacket(MqttConnection connection, Packet packet) throws IOException;

        void onDisconnected();
    }

    private final List<BrokerChoice.Address> addresses;
    private final String id;
    private final Handler handler;
    private volatile @Nullable MqttConnection current;
    private volatile boolean isClosed;

    LastingClient(List<BrokerChoice.Address> addresses, String id, Handler handler) {
        this.addresses = addresses;
        this.id = id;
        this.handler = handler;
    }

    void start() {
        Thread.ofPlatform().daemon().name(id).start(this::run);
    }

    private void run() {
        for (int i = 0; !isClosed; i++) {
            BrokerChoice.Address address = addresses.get(i % addresses.size());
            try (MqttConnection connection = MqttConnection.open(address, connect())) {
                serve(connection);
            } catch (ClientFailed | IOException e) {
                // The node is away, or says no until it is whole: another attempt follows.
            }
            awaitRetry();
        }
    }

    private void serve(MqttConnection connection) throws ClientFailed, IOException {
        current = connection;
        try {
            handler.onConnected(connection);
            while (!isClosed) handler.onPacket(connection, connection.receive());
        } finally {
            current = null;
            handler.onDisconnected();
        }
    }

    private void awaitRetry() {
        try {
            TimeUnit.MILLISECONDS.sleep(RETRY_MS);
        } catch (InterruptedException e) {
            isClosed = true;
        }
    }

    private Packet.Connect connect() {
        return new Packet.Connect(
                ProtocolVersion.MQTT_5,
                new ClientId(id.getBytes(StandardCharsets.UTF_8)),
                false,
                KEEP_ALIVE_SECONDS,
                null,
                null,
                null,
                false,
                Properties.builder()
                        .add(Property.SESSION_EXPIRY_INTERVAL, SESSION_EXPIRY_SECONDS)
                        .build());
    }

    @Override
    public void close() {
        isClosed = true;
        MqttConnection connection = current;
        if (connection != null) {
            connection.disconnect();
            connection.abort();
        }
    }
}
