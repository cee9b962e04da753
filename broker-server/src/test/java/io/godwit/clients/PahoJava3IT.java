package io.godwit.clients;

import io.godwit.clients.TestClient.Connection;
import io.godwit.clients.TestClient.Endpoint;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.paho.client.mqttv3.IMqttDeliveryToken;
import org.eclipse.paho.client.mqttv3.IMqttToken;
import org.eclipse.paho.client.mqttv3.MqttCallback;
import org.eclipse.paho.client.mqttv3.MqttClient;
import org.eclipse.paho.client.mqttv3.MqttConnectOptions;
import org.eclipse.paho.client.mqttv3.MqttException;
import org.eclipse.paho.client.mqttv3.MqttMessage;
import org.eclipse.paho.client.mqttv3.persist.MemoryPersistence;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;

/** Eclipse Paho's older Java client: MQTT 3.1.1 and 3.1. */
class PahoJava3IT {
    @Nested
    class Mqtt311_over_tcp extends Mqtt311Exchange {
        Mqtt311_over_tcp() {
            super(Transport.TCP);
        }
    }

    @Nested
    class Mqtt311_over_tls extends Mqtt311Exchange {
        Mqtt311_over_tls() {
            super(Transport.TLS);
        }
    }

    @Nested
    class Mqtt311_over_websocket extends Mqtt311Exchange {
        Mqtt311_over_websocket() {
            super(Transport.WS);
        }
    }

    @Nested
    class Mqtt31_over_tcp extends ExchangeContract {
        Mqtt31_over_tcp() {
            super(Transport.TCP);
        }

        @Override
        TestClient client(Endpoint endpoint) {
            return new Client(endpoint, MqttConnectOptions.MQTT_VERSION_3_1);
        }

        @Override
        boolean knowsSessionPresent() {
            return false;
        }
    }

    private abstract static class Mqtt311Exchange extends ExchangeContract {
        Mqtt311Exchange(Transport transport) {
            super(transport);
        }

        @Override
        TestClient client(Endpoint endpoint) {
            return new Client(endpoint, MqttConnectOptions.MQTT_VERSION_3_1_1);
        }
    }

    private static final class Client implements TestClient, MqttCallback {
        private final Endpoint endpoint;
        private final int version;
        private final BlockingQueue<Delivery> received = new LinkedBlockingQueue<>();
        private @Nullable MqttClient client;

        Client(Endpoint endpoint, int version) {
            this.endpoint = endpoint;
            this.version = version;
        }

        @Override
        public boolean connect(Connection connection) throws MqttException {
            client =
                    new MqttClient(
                            endpoint.uri("tcp", "ssl"),
                            connection.clientId(),
                            new MemoryPersistence());
            client.setCallback(this);
            MqttConnectOptions options = new MqttConnectOptions();
            options.setMqttVersion(version);
            options.setCleanSession(connection.clean());
            options.setMaxInflight(100);
            if (endpoint.transport().isSecure()) {
                options.setSocketFactory(endpoint.broker().sslContext().getSocketFactory());
            }
            Delivery will = connection.will();
            if (will != null) {
                options.setWill(will.topic(), will.payload(), will.qos(), will.retain());
            }
            IMqttToken answer = client.connectWithResult(options);
            return answer.getSessionPresent();
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
        public void connectionLost(Throwable cause) {
            // The tests that cut the connection look at the broker's side.
        }

        @Override
        public void deliveryComplete(IMqttDeliveryToken token) {
            // publish() waited for it.
        }

        private MqttClient client() {
            return Objects.requireNonNull(client);
        }
    }
}
