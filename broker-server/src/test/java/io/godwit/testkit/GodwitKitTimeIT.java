package io.godwit.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5DisconnectReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What time does to a broker of a kit; each test has one of its own. */
@Timeout(30)
class GodwitKitTimeIT {
    @RegisterExtension final GodwitKit broker = GodwitKit.broker();

    private void connect(Mqtt5BlockingClient client, long expirySeconds) {
        client.connectWith()
                .cleanStart(false)
                .sessionExpiryInterval(expirySeconds)
                .keepAlive(0)
                .send();
    }

    @ParameterizedTest
    @CsvSource({"3590, true", "3610, false"})
    void session_ends_when_its_time_has_passed(int seconds, boolean isThere) {
        Mqtt5BlockingClient client = KitClients.client(broker, "c1");
        connect(client, 3600);
        client.disconnect();
        broker.awaitIdle();
        broker.clock().pass(Duration.ofSeconds(seconds));
        broker.awaitIdle();
        assertThat(
                        client.connectWith()
                                .cleanStart(false)
                                .sessionExpiryInterval(3600)
                                .send()
                                .isSessionPresent())
                .isEqualTo(isThere);
        client.disconnect();
    }

    @Test
    void client_that_is_silent_for_its_keep_alive_is_disconnected() {
        Mqtt5BlockingClient client = KitClients.client(broker, "c1");
        client.connectWith().keepAlive(60).send();
        broker.clock().pass(Duration.ofSeconds(80));
        broker.awaitIdle();
        assertThat(client.getState().isConnected()).isTrue();
        broker.clock().pass(Duration.ofSeconds(80));
        Awaitility.await()
                .atMost(10, TimeUnit.SECONDS)
                .until(() -> !client.getState().isConnected());
    }

    @Test
    void will_is_published_when_its_delay_has_passed() throws Exception {
        Mqtt5BlockingClient watcher = KitClients.connected(broker, "watcher");
        Mqtt5BlockingClient client = KitClients.client(broker, "c1");
        try (Mqtt5BlockingClient.Mqtt5Publishes got =
                watcher.publishes(MqttGlobalPublishFilter.ALL)) {
            watcher.subscribeWith().topicFilter("will").send();
            client.connectWith()
                    .sessionExpiryInterval(3600)
                    .keepAlive(0)
                    .willPublish()
                    .topic("will")
                    .payload("gone".getBytes(UTF_8))
                    .delayInterval(600)
                    .applyWillPublish()
                    .send();
            client.disconnectWith()
                    .reasonCode(Mqtt5DisconnectReasonCode.DISCONNECT_WITH_WILL_MESSAGE)
                    .send();
            broker.awaitIdle();
            broker.clock().pass(Duration.ofSeconds(590));
            broker.awaitIdle();
            assertThat(got.receiveNow()).isEmpty();
            broker.clock().pass(Duration.ofSeconds(20));
            Optional<Mqtt5Publish> will = got.receive(10, TimeUnit.SECONDS);
            assertThat(will.orElseThrow().getPayloadAsBytes()).isEqualTo("gone".getBytes(UTF_8));
        }
        watcher.disconnect();
    }

    @Test
    void retained_message_ends_when_its_time_has_passed() throws Exception {
        Mqtt5BlockingClient client = KitClients.connected(broker, "c1");
        for (int seconds : new int[] {60, 6_000}) {
            client.publishWith()
                    .topic("r/" + seconds)
                    .payload("kept".getBytes(UTF_8))
                    .retain(true)
                    .qos(MqttQos.AT_LEAST_ONCE)
                    .messageExpiryInterval(seconds)
                    .send();
        }
        broker.clock().pass(Duration.ofMinutes(10));
        try (Mqtt5BlockingClient.Mqtt5Publishes got =
                client.publishes(MqttGlobalPublishFilter.ALL)) {
            client.subscribeWith().topicFilter("r/#").send();
            Mqtt5Publish first = got.receive(10, TimeUnit.SECONDS).orElseThrow();
            assertThat(first.getTopic()).hasToString("r/6000");
            broker.awaitIdle();
            assertThat(got.receiveNow()).isEmpty();
        }
        client.disconnect();
    }

    @Test
    void time_of_day_moves_too() {
        Instant before = broker.clock().instant();
        broker.clock().pass(Duration.ofDays(2));
        assertThat(Duration.between(before, broker.clock().instant()))
                .isBetween(Duration.ofDays(2), Duration.ofDays(2).plusSeconds(20));
    }
}
