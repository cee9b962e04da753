package io.godwit.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;

/** Clients of brokers that kits have started. */
final class KitClients {
    private KitClients() {}

    static Mqtt5BlockingClient client(GodwitKit broker, String id) {
        return MqttClient.builder()
                .useMqttVersion5()
                .identifier(id)
                .serverHost(broker.host())
                .serverPort(broker.port())
                .buildBlocking();
    }

    static Mqtt5BlockingClient connected(GodwitKit broker, String id) {
        Mqtt5BlockingClient made = client(broker, id);
        made.connectWith().keepAlive(0).send();
        return made;
    }

    /** Returns the reason code of CONNACK. */
    static int connect(Mqtt5BlockingClient client, String user, String password) {
        try {
            client.connectWith()
                    .simpleAuth()
                    .username(user)
                    .password(password.getBytes(UTF_8))
                    .applySimpleAuth()
                    .send();
            return 0;
        } catch (Mqtt5ConnAckException refused) {
            return refused.getMqttMessage().getReasonCode().getCode();
        }
    }

    static void publish(Mqtt5BlockingClient client, String topic, String payload) {
        client.publishWith()
                .topic(topic)
                .payload(payload.getBytes(UTF_8))
                .qos(MqttQos.AT_LEAST_ONCE)
                .send();
    }
}
