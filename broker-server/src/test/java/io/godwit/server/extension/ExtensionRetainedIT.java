package io.godwit.server.extension;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import io.godwit.server.BrokerFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Retained messages that an extension reads and changes, in a running broker. */
class ExtensionRetainedIT {
    /** Does what a client has published to ask/#, and logs what came of it. */
    private static final String ASKING =
            """
            var retained = context.retained();
            context.registrations().publishInterceptor("ask/#", (client, publish) -> {
                String topic = publish.payload().text();
                switch (publish.topic()) {
                    case "ask/get" -> retained.get(topic).thenAccept(found -> note("got "
                            + found.map(each -> each.payload().text() + " " + each.retain() + " "
                                    + each.qos() + " " + each.payloadIsText() + " "
                                    + each.contentType().orElse("-") + " "
                                    + each.expirySeconds().isPresent()).orElse("nothing")
                            + " in " + Thread.currentThread().getName()));
                    case "ask/put" -> retained.put(io.godwit.extension.packet.PublishPacket.to(topic)
                            .text("made").build()).thenRun(() -> note("put " + topic));
                    case "ask/remove" -> retained.remove(topic).thenRun(() -> note("removed " + topic));
                    default -> all(topic, Optional.empty(), new ArrayList<>());
                }
                return Interception.<io.godwit.extension.packet.PublishPacket>dropped().now();
            }, OnFailure.REFUSE);
            """;

    private static final String METHODS =
            """
            void note(String line) {
                try {
                    log(line);
                } catch (Exception e) {
                    throw new RuntimeException(e);
                }
            }
            void all(String filter, Optional<String> from, List<Integer> sizes) {
                context.retained().page(filter, from).whenComplete((page, failure) -> {
                    if (failure != null) {
                        note("failed " + failure);
                        return;
                    }
                    sizes.add(page.items().size());
                    if (page.next().isPresent()) {
                        all(filter, page.next(), sizes);
                    } else {
                        note("pages " + sizes);
                    }
                });
            }
            @Override public void start(\
            """;

    @TempDir private Path folder;

    private void eventuallyLogged(String line) throws Exception {
        Path log = folder.resolve("keeper").resolve(TestExtension.LOG);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        String text = "";
        while (System.nanoTime() < deadline && !text.contains(line)) {
            text = Files.exists(log) ? Files.readString(log) : "";
            Thread.sleep(20);
        }
        assertThat(text).contains(line);
    }

    private static void publish(
            Mqtt5BlockingClient client, String topic, String payload, boolean retain) {
        client.publishWith()
                .topic(topic)
                .payload(payload.getBytes(UTF_8))
                .qos(MqttQos.AT_LEAST_ONCE)
                .retain(retain)
                .contentType("x/y")
                .messageExpiryInterval(1_000)
                .send();
    }

    @Test
    void extension_reads_puts_pages_and_removes() throws Exception {
        String source =
                TestExtension.mainSource(ASKING, "")
                        .replace("@Override public void start(", METHODS);
        TestExtension.called("keeper").main("p.Main", source).writeTo(folder);
        try (BrokerFixture broker =
                BrokerFixture.start("extensions.folder=" + folder, "extensions.watch=0")) {
            Mqtt5BlockingClient client =
                    MqttClient.builder()
                            .useMqttVersion5()
                            .identifier("c1")
                            .serverHost("127.0.0.1")
                            .serverPort(broker.port())
                            .buildBlocking();
            client.connect();
            publish(client, "ask/get", "none", false);
            eventuallyLogged("got nothing in extension-keeper-");
            publish(client, "t/one", "first", true);
            publish(client, "ask/get", "t/one", false);
            eventuallyLogged("got first true 1 false x/y true");
            try (Mqtt5BlockingClient.Mqtt5Publishes got =
                    client.publishes(MqttGlobalPublishFilter.ALL)) {
                client.subscribeWith().topicFilter("made/#").qos(MqttQos.AT_LEAST_ONCE).send();
                publish(client, "ask/put", "made/one", false);
                eventuallyLogged("put made/one");
                Mqtt5Publish live = got.receive(10, TimeUnit.SECONDS).orElseThrow();
                assertThat(new String(live.getPayloadAsBytes(), UTF_8)).isEqualTo("made");
            }
            publish(client, "ask/get", "made/one", false);
            eventuallyLogged("got made true 1 true - false");
            publish(client, "ask/remove", "made/one", false);
            eventuallyLogged("removed made/one");
            for (int i = 0; i < 230; i++) {
                publish(client, "many/" + i, "x", true);
            }
            publish(client, "ask/all", "many/#", false);
            eventuallyLogged("pages [100, 100, 30]");
            publish(client, "ask/all", "made/#", false);
            eventuallyLogged("pages [0]");
            client.disconnect();
        }
    }
}
