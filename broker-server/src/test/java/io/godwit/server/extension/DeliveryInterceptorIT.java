package io.godwit.server.extension;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt3.Mqtt3BlockingClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import io.godwit.server.BrokerFixture;
import io.godwit.server.StartFailed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An extension that sees what goes to clients, with clients of a client library. */
class DeliveryInterceptorIT {
    /** Marks what it sees with its receiver; knows some payloads. */
    private static final String MARKING =
            """
            Set<String> failed = java.util.concurrent.ConcurrentHashMap.newKeySet();
            java.util.concurrent.CountDownLatch released =
                    new java.util.concurrent.CountDownLatch(1);
            context.registrations().deliveryInterceptor("data/#", (client, publish) -> {
                String text = publish.payload().text();
                switch (text) {
                    case "drop" -> {
                        return Interception.<io.godwit.extension.packet.PublishPacket>dropped().now();
                    }
                    case "fails" -> {
                        if (failed.add(client.clientId())) {
                            throw new IllegalStateException("the first time");
                        }
                    }
                    case "slow" -> {
                        if (client.clientId().equals("slow")) {
                            released.await();
                        }
                    }
                    case "release" -> released.countDown();
                    default -> {}
                }
                return Interception.changed(
                        publish.change()
                                .topic("data/" + publish.qos())
                                .payload(io.godwit.extension.packet.Bytes.ofText(
                                        client.clientId() + " " + text))
                                .build()).now();
            }, OnFailure.REFUSE);
            """;

    @TempDir private Path folder;
    private final List<Runnable> closing = new ArrayList<>();
    private BrokerFixture broker;
    private Mqtt5BlockingClient publisher;

    @BeforeEach
    void start() throws StartFailed {
        Path extensions = folder.resolve("extensions");
        TestExtension.starting("marks", MARKING).says("threads: virtual").writeTo(extensions);
        broker =
                BrokerFixture.tryStart(
                        "extensions.folder=" + extensions,
                        "extensions.watch=0",
                        "extensions.marks.call-time=1m");
        publisher = client5("publisher");
    }

    @AfterEach
    void stop() {
        closing.forEach(Runnable::run);
        broker.close();
    }

    private Mqtt5BlockingClient client5(String id) {
        Mqtt5BlockingClient made =
                MqttClient.builder()
                        .useMqttVersion5()
                        .identifier(id)
                        .serverHost("127.0.0.1")
                        .serverPort(broker.port())
                        .buildBlocking();
        made.connect();
        closing.add(made::disconnect);
        return made;
    }

    /** Subscribes with a 5.0 client. */
    private BlockingQueue<String> received5(String id, String filter, MqttQos qos) {
        BlockingQueue<String> got = new LinkedBlockingQueue<>();
        Mqtt5BlockingClient made = client5(id);
        made.toAsync()
                .publishes(
                        MqttGlobalPublishFilter.ALL,
                        each -> got.add(each.getTopic() + " " + text(each.getPayloadAsBytes())));
        made.subscribeWith().topicFilter(filter).qos(qos).send();
        return got;
    }

    /** Subscribes with a 3.1.1 client. */
    private BlockingQueue<String> received3(String id, String filter, MqttQos qos) {
        BlockingQueue<String> got = new LinkedBlockingQueue<>();
        Mqtt3BlockingClient made =
                MqttClient.builder()
                        .useMqttVersion3()
                        .identifier(id)
                        .serverHost("127.0.0.1")
                        .serverPort(broker.port())
                        .buildBlocking();
        made.connect();
        closing.add(made::disconnect);
        made.toAsync()
                .publishes(
                        MqttGlobalPublishFilter.ALL,
                        each -> got.add(each.getTopic() + " " + text(each.getPayloadAsBytes())));
        made.subscribeWith().topicFilter(filter).qos(qos).send();
        return got;
    }

    private static String text(byte[] payload) {
        return new String(payload, UTF_8);
    }

    private void publish(String topic, String payload, int qos, boolean retain) {
        publisher.publish(
                Mqtt5Publish.builder()
                        .topic(topic)
                        .payload(payload.getBytes(UTF_8))
                        .qos(MqttQos.fromCode(qos))
                        .retain(retain)
                        .build());
    }

    private static String next(BlockingQueue<String> got) throws InterruptedException {
        String next = got.poll(20, TimeUnit.SECONDS);
        assertThat(next).isNotNull();
        return next;
    }

    @Test
    void each_client_gets_what_was_made_for_it() throws Exception {
        BlockingQueue<String> five = received5("five", "#", MqttQos.EXACTLY_ONCE);
        BlockingQueue<String> three = received3("three", "#", MqttQos.EXACTLY_ONCE);
        BlockingQueue<String> unseen = received5("unseen", "other", MqttQos.EXACTLY_ONCE);
        for (int qos = 0; qos <= 2; qos++) {
            publish("data/x", "m" + qos, qos, false);
            publish("data/x", "drop", qos, false);
            publish("other", "o" + qos, qos, false);
        }
        for (int qos = 0; qos <= 2; qos++) {
            assertThat(next(five)).isEqualTo("data/" + qos + " five m" + qos);
            assertThat(next(five)).isEqualTo("other o" + qos);
            assertThat(next(three)).isEqualTo("data/" + qos + " three m" + qos);
            assertThat(next(three)).isEqualTo("other o" + qos);
            assertThat(next(unseen)).isEqualTo("other o" + qos);
        }
        assertThat(five).isEmpty();
        assertThat(three).isEmpty();
    }

    @Test
    void what_is_retained_stays_as_it_is() throws Exception {
        publish("data/x", "kept", 1, true);
        for (String each : List.of("one", "two")) {
            BlockingQueue<String> got = received5(each, "data/#", MqttQos.AT_LEAST_ONCE);
            assertThat(next(got)).isEqualTo("data/1 " + each + " kept");
        }
        BlockingQueue<String> got = received3("three", "data/x", MqttQos.AT_MOST_ONCE);
        assertThat(next(got)).isEqualTo("data/0 three kept");
    }

    @Test
    void message_of_a_shared_subscription_that_is_dropped_goes_to_nobody() throws Exception {
        BlockingQueue<String> one = received5("one", "$share/g/data/#", MqttQos.EXACTLY_ONCE);
        BlockingQueue<String> two = received3("two", "$share/g/data/#", MqttQos.AT_LEAST_ONCE);
        for (int i = 0; i < 20; i++) {
            publish("data/x", "drop", 2, false);
            publish("data/x", "m" + i, 2, false);
        }
        List<String> got = new ArrayList<>();
        while (got.size() < 20) {
            String mine = one.poll(20, TimeUnit.MILLISECONDS);
            String theirs = two.poll(20, TimeUnit.MILLISECONDS);
            if (mine != null) {
                assertThat(mine).startsWith("data/2 one m");
                got.add(mine.substring(mine.lastIndexOf(' ') + 1));
            }
            if (theirs != null) {
                assertThat(theirs).startsWith("data/1 two m");
                got.add(theirs.substring(theirs.lastIndexOf(' ') + 1));
            }
        }
        assertThat(got).doesNotHaveDuplicates();
        assertThat(one.poll(200, TimeUnit.MILLISECONDS)).isNull();
        assertThat(two).isEmpty();
    }

    @Test
    void message_about_which_a_call_has_failed_comes_later_and_nothing_overtakes_it()
            throws Exception {
        BlockingQueue<String> got = received5("five", "data/#", MqttQos.AT_LEAST_ONCE);
        publish("data/x", "fails", 1, false);
        publish("data/x", "next", 1, false);
        assertThat(next(got)).isEqualTo("data/1 five fails");
        assertThat(next(got)).isEqualTo("data/1 five next");
    }

    @Test
    void slow_answer_holds_up_nobody_else() throws Exception {
        BlockingQueue<String> slow = received5("slow", "data/#", MqttQos.AT_LEAST_ONCE);
        BlockingQueue<String> quick = received5("quick", "data/#", MqttQos.AT_LEAST_ONCE);
        publish("data/x", "slow", 1, false);
        for (int i = 0; i < 20; i++) {
            publish("data/x", "m" + i, 1, false);
        }
        assertThat(next(quick)).isEqualTo("data/1 quick slow");
        for (int i = 0; i < 20; i++) {
            assertThat(next(quick)).isEqualTo("data/1 quick m" + i);
        }
        assertThat(slow).isEmpty();
        publish("data/x", "release", 1, false);
        assertThat(next(slow)).isEqualTo("data/1 slow slow");
        assertThat(next(slow)).isEqualTo("data/1 slow m0");
    }
}
