package io.godwit.server.extension;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import io.godwit.server.BrokerProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Messages that an extension has removed from a queue stay removed when the broker is killed. */
class QueueRemovalIT {
    private static final int MESSAGES = 60;

    @TempDir private Path folder;

    private BrokerProcess start() {
        return new BrokerProcess.Setup()
                .in(folder)
                .set(
                        "extensions.folder=" + folder.resolve("extensions"),
                        "extensions.watch=0",
                        "log.level=warn")
                .start();
    }

    private static Mqtt5BlockingClient client(BrokerProcess broker, String id, int receiveMaximum) {
        Mqtt5BlockingClient client =
                MqttClient.builder()
                        .useMqttVersion5()
                        .identifier(id)
                        .serverHost("127.0.0.1")
                        .serverPort(broker.port("mqtt"))
                        .buildBlocking();
        client.connectWith()
                .cleanStart(false)
                .sessionExpiryInterval(3_600)
                .restrictions()
                .receiveMaximum(receiveMaximum)
                .applyRestrictions()
                .send();
        return client;
    }

    private static void publish(BrokerProcess broker, int from, int to) {
        Mqtt5BlockingClient publisher = client(broker, "publisher", 10);
        for (int i = from; i < to; i++) {
            publisher
                    .publishWith()
                    .topic("queued/x")
                    .qos(i % 2 == 0 ? MqttQos.AT_LEAST_ONCE : MqttQos.EXACTLY_ONCE)
                    .payload("%03d".formatted(i).getBytes(UTF_8))
                    .send();
        }
        publisher.disconnect();
    }

    private static List<String> receive(Mqtt5BlockingClient.Mqtt5Publishes from, long lastMs)
            throws Exception {
        List<String> got = new ArrayList<>();
        Optional<Mqtt5Publish> next = from.receive(10, TimeUnit.SECONDS);
        while (next.isPresent()) {
            got.add(new String(next.get().getPayloadAsBytes(), UTF_8));
            next = from.receive(lastMs, TimeUnit.MILLISECONDS);
        }
        return got;
    }

    @Test
    void removed_messages_stay_removed_when_the_broker_is_killed() throws Exception {
        ServiceProbe.extension().writeTo(folder.resolve("extensions"));
        try (BrokerProcess broker = start()) {
            Mqtt5BlockingClient subscriber = client(broker, "s", 10);
            subscriber.subscribeWith().topicFilter("queued/#").qos(MqttQos.EXACTLY_ONCE).send();
            subscriber.disconnect();
            Mqtt5BlockingClient other = client(broker, "other", 10);
            other.subscribeWith().topicFilter("queued/#").qos(MqttQos.EXACTLY_ONCE).send();
            other.disconnect();
            publish(broker, 0, MESSAGES);
            ServiceProbe probe = new ServiceProbe(broker.port("mqtt"), "probe");
            assertThat(probe.ask("remove s 5")).isEqualTo("6 0");
            assertThat(probe.ask("queue s")).startsWith("54 ");
            assertThat(probe.ask("purge other")).isEqualTo("60 0");
            assertThat(probe.ask("purge nobody")).contains("REFUSED", "nobody");
            broker.process().destroyForcibly().waitFor();
        }
        try (BrokerProcess broker = start()) {
            ServiceProbe probe = new ServiceProbe(broker.port("mqtt"), "probe");
            assertThat(probe.ask("queue s")).startsWith("54 ");
            assertThat(probe.ask("queue other")).startsWith("0 ");
            assertThat(probe.ask("remove s 7")).isEqualTo("6 0"); // Rows that nobody has read.
            broker.process().destroyForcibly().waitFor();
        }
        try (BrokerProcess broker = start()) {
            publish(broker, MESSAGES, MESSAGES + 2);
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < MESSAGES; i++) {
                if (i % 10 != 5 && i % 10 != 7) {
                    expected.add("%03d".formatted(i));
                }
            }
            expected.add("060");
            expected.add("061");
            assertThat(got(broker, "s")).containsExactlyInAnyOrderElementsOf(expected);
            assertThat(got(broker, "other")).containsExactly("060", "061");
        }
    }

    private static List<String> got(BrokerProcess broker, String id) throws Exception {
        Mqtt5BlockingClient client =
                MqttClient.builder()
                        .useMqttVersion5()
                        .identifier(id)
                        .serverHost("127.0.0.1")
                        .serverPort(broker.port("mqtt"))
                        .buildBlocking();
        try (Mqtt5BlockingClient.Mqtt5Publishes all =
                client.publishes(MqttGlobalPublishFilter.ALL)) {
            client.connectWith().cleanStart(false).sessionExpiryInterval(3_600).send();
            return receive(all, 1_000);
        }
    }

    @Test
    void messages_in_flight_are_told_of_and_their_handshake_goes_on() throws Exception {
        ServiceProbe.extension().writeTo(folder.resolve("extensions"));
        try (BrokerProcess broker = start()) {
            Mqtt5BlockingClient subscriber = client(broker, "s", 4);
            subscriber.subscribeWith().topicFilter("queued/#").qos(MqttQos.EXACTLY_ONCE).send();
            try (Mqtt5BlockingClient.Mqtt5Publishes all =
                    subscriber.publishes(MqttGlobalPublishFilter.ALL, true)) {
                publish(broker, 0, 20);
                List<Mqtt5Publish> sent = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    sent.add(all.receive(20, TimeUnit.SECONDS).orElseThrow());
                }
                ServiceProbe probe = new ServiceProbe(broker.port("mqtt"), "probe");
                assertThat(probe.ask("purge s")).isEqualTo("16 4");
                sent.forEach(Mqtt5Publish::acknowledge);
                assertThat(all.receive(1, TimeUnit.SECONDS)).isEmpty();
                publish(broker, 20, 21);
                Mqtt5Publish next = all.receive(20, TimeUnit.SECONDS).orElseThrow();
                assertThat(new String(next.getPayloadAsBytes(), UTF_8)).isEqualTo("020");
                next.acknowledge();
                assertThat(probe.ask("queue s")).isEqualTo("0 false 0 0");
            }
        }
    }
}
