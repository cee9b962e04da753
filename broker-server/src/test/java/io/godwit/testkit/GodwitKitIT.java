package io.godwit.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5PubAckException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A kit with an extension from the class path, as its author uses it. */
@Timeout(30)
class GodwitKitIT {
    @RegisterExtension
    static final GodwitKit broker =
            GodwitKit.with("door", Door.class)
                    .config("password", "secret")
                    .setting("mqtt.receive-maximum", "7");

    private final Mqtt5BlockingClient client = KitClients.client(broker, "c1");

    @AfterEach
    void leave() {
        if (client.getState().isConnected()) {
            client.disconnect();
        }
        broker.awaitIdle();
    }

    @Test
    void extension_is_asked_and_each_of_its_calls_is_recorded() throws Exception {
        assertThat(KitClients.connect(client, "u", "wrong")).isEqualTo(0x86);
        assertThat(KitClients.connect(client, "u", "secret")).isZero();
        broker.awaitIdle();
        assertThat(broker.calls("authenticate"))
                .extracting(RecordedCall::extension, RecordedCall::clientId, RecordedCall::outcome)
                .containsExactly(
                        tuple("door", "c1", RecordedCall.ANSWERED),
                        tuple("door", "c1", RecordedCall.ANSWERED));
        assertThat(broker.calls("client-event"))
                .hasSize(2)
                .allMatch(RecordedCall::isAnswered)
                .allMatch(each -> each.clientId().equals("c1"));
        try (Mqtt5BlockingClient.Mqtt5Publishes got =
                client.publishes(MqttGlobalPublishFilter.ALL)) {
            client.subscribeWith().topicFilter("#").qos(MqttQos.AT_LEAST_ONCE).send();
            KitClients.publish(client, "data/1", "21");
            assertThat(got.receive(10, TimeUnit.SECONDS).orElseThrow().getPayloadAsBytes())
                    .isEqualTo("seen 21".getBytes(UTF_8));
        }
        assertThat(broker.calls("publish-interceptor"))
                .singleElement()
                .satisfies(call -> {
                    assertThat(call.clientId()).isEqualTo("c1");
                    assertThat(call.duration()).isLessThan(Duration.ofSeconds(5));
                });
    }

    @Test
    void registrations_are_told() {
        assertThat(broker.registrations())
                .containsExactlyInAnyOrder(
                        new RecordedRegistration("door", "authenticator", ""),
                        new RecordedRegistration("door", "publish-interceptor", "data/#"),
                        new RecordedRegistration("door", "client-listener", ""));
        assertThat(broker.calls()).isEmpty();
    }

    @Test
    void settings_of_the_broker_count() {
        assertThat(
                        client.connectWith()
                                .simpleAuth()
                                .password("secret".getBytes(UTF_8))
                                .applySimpleAuth()
                                .send()
                                .getRestrictions()
                                .getReceiveMaximum())
                .isEqualTo(7);
    }

    @Test
    void call_without_an_answer_fails_when_the_time_has_passed() {
        assertThat(
                        client.connectWith()
                                .keepAlive(0)
                                .simpleAuth()
                                .password("secret".getBytes(UTF_8))
                                .applySimpleAuth()
                                .send()
                                .getReasonCode()
                                .isError())
                .isFalse();
        CompletableFuture<?> published =
                client.toAsync()
                        .publishWith()
                        .topic("data/silent")
                        .qos(MqttQos.AT_LEAST_ONCE)
                        .send();
        assertThatThrownBy(() -> broker.awaitIdle(Duration.ofMillis(500)))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("the broker is not idle after 0.5 s: door has 1 calls");
        broker.clock().pass(Duration.ofSeconds(10));
        broker.awaitIdle();
        assertThatThrownBy(() -> published.get(10, TimeUnit.SECONDS))
                .hasCauseInstanceOf(Mqtt5PubAckException.class);
        assertThat(broker.calls("publish-interceptor"))
                .singleElement()
                .satisfies(call -> {
                    assertThat(call.outcome()).isEqualTo("timeout");
                    assertThat(call.duration()).isGreaterThanOrEqualTo(Duration.ofSeconds(10));
                });
    }

    @Nested
    class InAClassWithin {
        @Test
        void broker_is_the_same() {
            assertThat(Door.RUNNING).hasValue(1);
            assertThat(KitClients.connect(client, "u", "secret")).isZero();
        }
    }
}
