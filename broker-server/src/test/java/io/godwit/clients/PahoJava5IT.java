package io.godwit.clients;

import io.godwit.clients.TestClient.Connection;
import io.godwit.clients.TestClient.Endpoint;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttCallback;
import org.eclipse.paho.mqttv5.client.MqttClient;
import org.eclipse.paho.mqttv5.client.MqttConnectionOptions;
import org.eclipse.paho.mqttv5.client.MqttDisconnectResponse;
import org.eclipse.paho.mqttv5.client.persist.MemoryPersistence;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;

/** Eclipse Paho's Java client for MQTT 5.0. */
class PahoJava5IT {
    @Nested
    class Over_tcp extends Exchange {
        Over_tcp() {
            super(Transport.TCP);
        }
    }

    @Nested
    class Over_tls extends Exchange {
        Over_tls() {
            super(Transport.TLS);
        }
    }

    @Nested
    class Over_secure_websocket extends Exchange {
        Over_secure_websocket() {
            super(Transport.WSS);
        }
    }

    private abstract static class Exchange extends ExchangeContract {
        Exchange(Transport transport) {
            super(transport);
        }

        @Override
        TestClient client(Endpoint endpoint) {
            return new Client(endpoint);
        }
    }

    private static final class Client implements TestClient, MqttCallback {
        private final Endpoint endpoint;
        private final BlockingQueue<Delivery> received = new LinkedBlockingQueue<>();
        private @Nullable MqttClient client;

        Client(Endpoint endpoint) {
            this.endpoint = endpoint;
        }

        @Override
        public boolean connect(Connection connection) throws MqttException {
            client =
                    new MqttClient(
                            endpoint.uri("tcp", "ssl"),
                            connection.clientId(),
                            new MemoryPersistence());
            client.setCallback(this);
            MqttConnectionOptions options = new MqttConnectionOptions();
            options.setCleanStart(connection.clean());
            options.setSessionExpiryInterval(connection.clean() ? 0L : 600L);
            if (endpoint.transport().isSecure()) {
                options.setSocketFactory(endpoint.broker().sslContext().getSocketFactory());
            }
            Delivery will = connection.will();
            if (will != null) {
                options.setWill(
                        will.topic(),
                        new MqttMessage(will.payload(), will.qos(), will.retain(), null));
            }
            return client.connectWithResult(options).getSessionPresent();
        }

        @Override
        public void subscribe(String filter, int qos) throws MqttException {
            client().subscribe(filter, qos);
        }

        @Override
        public void publish(Delivery message) throws MqttException {
            client().publish(message.topic(), message.payload(), message.qos(), message.retain());
        }

        @Override
        public @Nullable Delivery receive(Duration limit) throws InterruptedException {
            return received.poll(limit.toMillis(), TimeUnit.MILLISECONDS);
        }

        @Override
        public void disconnect() throws MqttException {
            client().disconnect();
        }

        @Override
        public void close() {
            try {
                if (client != null && client.isConnected()) {
                    client.disconnect();
                }
                if (client != null) {
                    client.close();
                }
            } catch (MqttException cutMeanwhile) {
                // The connection is gone, and that was all to release.
            }
        }

        @Override
        public void messageArrived(String topic, MqttMessage message) {
            received.add(
                    new Delivery(
                            topic, message.getPayload(), message.getQos(), message.isRetained()));
        }

        @Override
        public void disconnected(MqttDisconnectResponse response) {
            // The tests that cut the connection look at the broker's side.
        }

        @Override
        public void mqttErrorOccurred(MqttException exception) {
            // What a call can't do it throws itself.
        }

        @Override
        public void deliveryComplete(IMqttToken token) {
            // publish() waited for it.
        }

        @Override
        public void connectComplete(boolean reconnect, String serverUri) {
            // connect() waited for it.
        }

        @Override
        public void authPacketArrived(int reasonCode, MqttProperties properties) {
            // No test here authenticates.
        }

        private MqttClient client() {
            return Objects.requireNonNull(client);
        }
    }
}
