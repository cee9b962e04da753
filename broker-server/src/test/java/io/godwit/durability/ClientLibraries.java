package io.godwit.durability;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient.Mqtt5Publishes;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.paho.client.mqttv3.MqttConnectOptions;
import org.eclipse.paho.client.mqttv3.persist.MemoryPersistence;

/** One durable session of the HiveMQ MQTT Client (5.0) and one of Eclipse Paho (3.1.1). */
final class ClientLibraries {
    private static final int PATIENCE_SECONDS = 60;

    private final String name;

    ClientLibraries(String name) {
        this.name = name;
    }

    private String filter() {
        return name + "/#";
    }

    /** Each subscribes at QoS 2 and leaves. */
    void openSessions(int port) throws Exception {
        Mqtt5BlockingClient hive = hive(port, false);
        hive.subscribeWith().topicFilter(filter()).qos(MqttQos.EXACTLY_ONCE).send();
        hive.disconnect();
        var paho = paho(port, new LinkedBlockingQueue<>(), false);
        paho.subscribe(filter(), 2);
        paho.disconnect();
        paho.close();
    }

    /** The HiveMQ client takes a message, never acknowledges it, and is cut off. */
    void takeWithoutAnswer(int port, String text) throws Exception {
        Mqtt5BlockingClient hive = client(port);
        try (Mqtt5Publishes publishes = hive.publishes(MqttGlobalPublishFilter.ALL, true)) {
            connect(hive, true);
            assertThat(text(publishes)).isEqualTo(text);
            hive.disconnect();
        }
    }

    /** Each gets these, in any order between QoS 1 and 2, and nothing twice. */
    void take(int port, List<String> texts) throws Exception {
        Mqtt5BlockingClient hive = client(port);
        try (Mqtt5Publishes publishes = hive.publishes(MqttGlobalPublishFilter.ALL)) {
            connect(hive, true);
            List<String> got = new ArrayList<>();
            for (int i = 0; i < texts.size(); i++) {
                got.add(text(publishes));
            }
            assertThat(got).as("HiveMQ").containsExactlyInAnyOrderElementsOf(texts);
            hive.disconnect();
        }
        BlockingQueue<String> got = new LinkedBlockingQueue<>();
        var paho = paho(port, got, true);
        List<String> taken = new ArrayList<>();
        for (int i = 0; i < texts.size(); i++) {
            taken.add(got.poll(PATIENCE_SECONDS, TimeUnit.SECONDS));
        }
        assertThat(taken).as("Paho").containsExactlyInAnyOrderElementsOf(texts);
        paho.disconnect();
        paho.close();
        assertThat(got).isEmpty();
    }

    private static String text(Mqtt5Publishes publishes) throws InterruptedException {
        Mqtt5Publish next =
                publishes
                        .receive(PATIENCE_SECONDS, TimeUnit.SECONDS)
                        .orElseThrow(() -> new AssertionError("nothing came"));
        return new String(next.getPayloadAsBytes(), StandardCharsets.UTF_8);
    }

    private Mqtt5BlockingClient hive(int port, boolean sessionPresent) {
        return connect(client(port), sessionPresent);
    }

    private Mqtt5BlockingClient client(int port) {
        return MqttClient.builder()
                .identifier(name + "-hive")
                .serverHost("127.0.0.1")
                .serverPort(port)
                .useMqttVersion5()
                .buildBlocking();
    }

    private static Mqtt5BlockingClient connect(Mqtt5BlockingClient client, boolean present) {
        var connAck = client.connectWith().cleanStart(false).sessionExpiryInterval(600).send();
        assertThat(connAck.isSessionPresent()).isEqualTo(present);
        return client;
    }

    private org.eclipse.paho.client.mqttv3.MqttClient paho(
            int port, BlockingQueue<String> got, boolean sessionPresent) throws Exception {
        var client =
                new org.eclipse.paho.client.mqttv3.MqttClient(
                        "tcp://127.0.0.1:" + port, name + "-paho", new MemoryPersistence());
        client.setCallback(new Taking(got));
        MqttConnectOptions options = new MqttConnectOptions();
        options.setMqttVersion(MqttConnectOptions.MQTT_VERSION_3_1_1);
        options.setCleanSession(false);
        assertThat(client.connectWithResult(options).getSessionPresent()).isEqualTo(sessionPresent);
        return client;
    }
}
