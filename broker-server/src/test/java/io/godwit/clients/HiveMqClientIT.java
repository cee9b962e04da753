package io.godwit.clients;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttClientBuilder;
import com.hivemq.client.mqtt.MqttClientSslConfig;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.MqttWebSocketConfig;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt3.Mqtt3BlockingClient;
import com.hivemq.client.mqtt.mqtt3.message.connect.Mqtt3Connect;
import com.hivemq.client.mqtt.mqtt3.message.connect.Mqtt3ConnectBuilder;
import com.hivemq.client.mqtt.mqtt3.message.publish.Mqtt3Publish;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.message.connect.Mqtt5Connect;
import com.hivemq.client.mqtt.mqtt5.message.connect.Mqtt5ConnectBuilder;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import io.godwit.clients.TestClient.Connection;
import io.godwit.clients.TestClient.Endpoint;
import io.netty.util.ResourceLeakDetector;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** The HiveMQ MQTT Client, whose Netty is the broker's here. */
class HiveMqClientIT {
    private static final ResourceLeakDetector.Level LEVEL = ResourceLeakDetector.getLevel();

    /** Ten mebibytes take it twenty seconds when each access to a buffer is recorded. */
    @BeforeAll
    static void do_not_look_for_leaks_in_the_client() {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    }

    @AfterAll
    static void look_for_leaks_as_before() {
        ResourceLeakDetector.setLevel(LEVEL);
    }

    @Nested
    class Mqtt5_over_tcp extends Mqtt5Exchange {
        Mqtt5_over_tcp() {
            super(Transport.TCP);
        }
    }

    @Nested
    class Mqtt5_over_tls extends Mqtt5Exchange {
        Mqtt5_over_tls() {
            super(Transport.TLS);
        }
    }

    @Nested
    class Mqtt5_over_secure_websocket extends Mqtt5Exchange {
        Mqtt5_over_secure_websocket() {
            super(Transport.WSS);
        }
    }

    @Nested
    class Mqtt311_over_tcp extends Mqtt311Exchange {
        Mqtt311_over_tcp() {
            super(Transport.TCP);
        }
    }

    @Nested
    class Mqtt311_over_websocket extends Mqtt311Exchange {
        Mqtt311_over_websocket() {
            super(Transport.WS);
        }
    }

    private abstract static class Mqtt5Exchange extends ExchangeContract {
        Mqtt5Exchange(Transport transport) {
            super(transport);
        }

        @Override
        TestClient client(Endpoint endpoint) {
            return new V5(endpoint);
        }
    }

    private abstract static class Mqtt311Exchange extends ExchangeContract {
        Mqtt311Exchange(Transport transport) {
            super(transport);
        }

        @Override
        TestClient client(Endpoint endpoint) {
            return new V3(endpoint);
        }
    }

    private static MqttClientBuilder builder(Endpoint endpoint, String clientId) {
        MqttClientBuilder builder =
                MqttClient.builder()
                        .identifier(clientId)
                        .serverHost(endpoint.broker().host())
                        .serverPort(endpoint.port());
        if (endpoint.transport().isSecure()) {
            builder =
                    builder.sslConfig(
                            MqttClientSslConfig.builder()
                                    .trustManagerFactory(endpoint.broker().trust())
                                    .build());
        }
        if (endpoint.transport().isWebSocket()) {
            builder =
                    builder.webSocketConfig(
                            MqttWebSocketConfig.builder().serverPath("mqtt").build());
        }
        return builder;
    }

    private static MqttQos qos(int qos) {
        return switch (qos) {
            case 0 -> MqttQos.AT_MOST_ONCE;
            case 1 -> MqttQos.AT_LEAST_ONCE;
            default -> MqttQos.EXACTLY_ONCE;
        };
    }

    private static final class V5 implements TestClient {
        private final Endpoint endpoint;
        private final BlockingQueue<Delivery> received = new LinkedBlockingQueue<>();
        private @Nullable Mqtt5BlockingClient client;

        V5(Endpoint endpoint) {
            this.endpoint = endpoint;
        }

        @Override
        public boolean connect(Connection connection) {
            client = builder(endpoint, connection.clientId()).useMqttVersion5().buildBlocking();
            client.toAsync()
                    .publishes(
                            MqttGlobalPublishFilter.ALL,
                            p ->
                                    received.add(
                                            new Delivery(
                                                    p.getTopic().toString(),
                                                    p.getPayloadAsBytes(),
                                                    p.getQos().getCode(),
                                                    p.isRetain())));
            Mqtt5ConnectBuilder connect =
                    Mqtt5Connect.builder()
                            .cleanStart(connection.clean())
                            .sessionExpiryInterval(connection.clean() ? 0 : 600);
            if (connection.will() != null) {
                connect = connect.willPublish(publishOf(connection.will()));
            }
            return client.connect(connect.build()).isSessionPresent();
        }

        @Override
        public void subscribe(String filter, int qos) {
            client().subscribeWith().topicFilter(filter).qos(qos(qos)).send();
        }

        @Override
        public void publish(Delivery message) {
            client().publish(publishOf(message));
        }

        @Override
        public @Nullable Delivery receive(Duration limit) throws InterruptedException {
            return received.poll(limit.toMillis(), TimeUnit.MILLISECONDS);
        }

        @Override
        public void disconnect() {
            client().disconnect();
        }

        @Override
        public void close() {
            if (client != null) {
                client.toAsync().disconnect().exceptionally(alreadyCut -> null).join();
            }
        }

        private Mqtt5BlockingClient client() {
            return Objects.requireNonNull(client);
        }

        private static Mqtt5Publish publishOf(Delivery message) {
            return Mqtt5Publish.builder()
                    .topic(message.topic())
                    .payload(message.payload())
                    .qos(qos(message.qos()))
                    .retain(message.retain())
                    .build();
        }
    }

    private static final class V3 implements TestClient {
        private final Endpoint endpoint;
        private final BlockingQueue<Delivery> received = new LinkedBlockingQueue<>();
        private @Nullable Mqtt3BlockingClient client;

        V3(Endpoint endpoint) {
            this.endpoint = endpoint;
        }

        @Override
        public boolean connect(Connection connection) {
            client = builder(endpoint, connection.clientId()).useMqttVersion3().buildBlocking();
            client.toAsync()
                    .publishes(
                            MqttGlobalPublishFilter.ALL,
                            p ->
                                    received.add(
                                            new Delivery(
                                                    p.getTopic().toString(),
                                                    p.getPayloadAsBytes(),
                                                    p.getQos().getCode(),
                                                    p.isRetain())));
            Mqtt3ConnectBuilder connect = Mqtt3Connect.builder().cleanSession(connection.clean());
            if (connection.will() != null) {
                connect = connect.willPublish(publishOf(connection.will()));
            }
            return client.connect(connect.build()).isSessionPresent();
        }

        @Override
        public void subscribe(String filter, int qos) {
            client().subscribeWith().topicFilter(filter).qos(qos(qos)).send();
        }

        @Override
        public void publish(Delivery message) {
            client().publish(publishOf(message));
        }

        @Override
        public @Nullable Delivery receive(Duration limit) throws InterruptedException {
            return received.poll(limit.toMillis(), TimeUnit.MILLISECONDS);
        }

        @Override
        public void disconnect() {
            client().disconnect();
        }

        @Override
        public void close() {
            if (client != null) {
                client.toAsync().disconnect().exceptionally(alreadyCut -> null).join();
            }
        }

        private Mqtt3BlockingClient client() {
            return Objects.requireNonNull(client);
        }

        private static Mqtt3Publish publishOf(Delivery message) {
            return Mqtt3Publish.builder()
                    .topic(message.topic())
                    .payload(message.payload())
                    .qos(qos(message.qos()))
                    .retain(message.retain())
                    .build();
        }
    }
}
