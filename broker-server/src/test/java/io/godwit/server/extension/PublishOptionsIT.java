package io.godwit.server.extension;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import io.godwit.server.BrokerFixture;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Publishes by a service of an extension, through interceptors and past them. */
class PublishOptionsIT {
    /**
     * Publishes what it is asked to, and says what has come of it; marks what it sees. It publishes
     * again whatever goes to {@code loop}, with its mark, so that this would never end.
     */
    private static final String FIRST =
            """
            context.registrations().publishInterceptor("ask/#", (client, publish) -> {
                String[] words = publish.topic().split("/");
                context.publishes().publish(
                        io.godwit.extension.packet.PublishPacket.to(words[2]).qos(1)
                                .payload(publish.payload()).build(),
                        io.godwit.extension.service.PublishOptions.defaults()
                                .intercepted(words[1].equals("seen")))
                        .whenComplete((done, failure) -> {
                            Throwable cause = failure
                                    instanceof java.util.concurrent.CompletionException
                                    ? failure.getCause() : failure;
                            context.publishes().publish(
                                    io.godwit.extension.packet.PublishPacket.to("done").text(
                                            cause instanceof io.godwit.extension.service
                                                    .PublishFailedException of
                                                    ? "" + of.reasonCode() : "" + cause).build());
                        });
                return Interception.<io.godwit.extension.packet.PublishPacket>dropped().now();
            }, OnFailure.REFUSE);
            """
                    + marking("first");

    private static String marking(String mark) {
        return """
        context.registrations().publishInterceptor("#", (client, publish) -> {
            if (publish.topic().startsWith("ask/") || publish.topic().equals("done")) {
                return Interception.<io.godwit.extension.packet.PublishPacket>unchanged().now();
            }
            io.godwit.extension.packet.PublishPacket marked = publish.change()
                    .text(publish.payload().text() + "+MARK"
                            + (client.isExtension() ? " of " + client.origin().listener() : ""))
                    .build();
            if (publish.topic().equals("loop")) {
                context.publishes().publish(marked,
                        io.godwit.extension.service.PublishOptions.defaults().intercepted(true));
            }
            return Interception.changed(marked).now();
        }, OnFailure.REFUSE);
        """
                .replace("MARK", mark);
    }

    private static final String LAST =
            marking("last")
                    + """
                    context.registrations().publishInterceptor("refused", (client, publish) ->
                            Interception.<io.godwit.extension.packet.PublishPacket>refused(
                                    io.godwit.extension.packet.ReasonCode.QUOTA_EXCEEDED).now(),
                            OnFailure.REFUSE);
                    context.registrations().publishInterceptor("dropped", (client, publish) ->
                            Interception.<io.godwit.extension.packet.PublishPacket>dropped().now(),
                            OnFailure.REFUSE);
                    context.registrations().publishInterceptor("broken", (client, publish) -> {
                        throw new IllegalStateException("broken");
                    }, OnFailure.REFUSE);
                    context.registrations().publishInterceptor("passed", (client, publish) -> {
                        throw new IllegalStateException("passed");
                    }, OnFailure.PASS);
                    """;

    @TempDir private static Path folder;
    private static BrokerFixture broker;
    private static Mqtt5BlockingClient client;
    private static Mqtt5BlockingClient.Mqtt5Publishes got;

    @BeforeAll
    static void start() {
        TestExtension.starting("first", FIRST).says("priority: 10").writeTo(folder);
        TestExtension.starting("last", LAST).writeTo(folder);
        broker = BrokerFixture.start("extensions.folder=" + folder, "extensions.watch=0");
        client =
                MqttClient.builder()
                        .useMqttVersion5()
                        .identifier("c")
                        .serverHost("127.0.0.1")
                        .serverPort(broker.port())
                        .buildBlocking();
        client.connect();
        got = client.publishes(MqttGlobalPublishFilter.ALL);
        client.subscribeWith().topicFilter("#").qos(MqttQos.AT_LEAST_ONCE).send();
    }

    @AfterAll
    static void stop() {
        got.close();
        client.disconnect();
        broker.close();
    }

    private static void send(String topic) {
        client.publishWith()
                .topic(topic)
                .qos(MqttQos.AT_LEAST_ONCE)
                .payload("m".getBytes(UTF_8))
                .send();
    }

    private static List<String> receive(int count) throws Exception {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(
                    got.receive(20, TimeUnit.SECONDS)
                            .map(each ->
                                    each.getTopic()
                                            + ": "
                                            + new String(each.getPayloadAsBytes(), UTF_8))
                            .orElse("nothing"));
        }
        Optional<Mqtt5Publish> more = got.receive(300, TimeUnit.MILLISECONDS);
        assertThat(more).isEmpty();
        return all;
    }

    @Test
    void no_interceptor_sees_a_message_that_is_published_plainly() throws Exception {
        send("ask/plain/t");
        assertThat(receive(2)).containsExactlyInAnyOrder("t: m", "done: null");
    }

    @Test
    void those_that_are_asked_after_the_publisher_see_it_and_know_that_it_is_no_client()
            throws Exception {
        send("ask/seen/t");
        assertThat(receive(2))
                .containsExactlyInAnyOrder("t: m+last of extension:first", "done: null");
        send("t");
        assertThat(receive(1)).containsExactly("t: m+first+last");
    }

    @Test
    void publisher_learns_what_an_interceptor_has_said() throws Exception {
        send("ask/seen/refused");
        assertThat(receive(1)).containsExactly("done: 151");
        send("ask/seen/broken");
        assertThat(receive(1)).containsExactly("done: 131");
        send("ask/seen/dropped");
        assertThat(receive(1)).containsExactly("done: null");
        send("ask/seen/passed");
        assertThat(receive(2))
                .containsExactlyInAnyOrder("passed: m+last of extension:first", "done: null");
    }

    @Test
    void interceptor_that_publishes_to_the_topic_that_it_intercepts_comes_to_an_end()
            throws Exception {
        send("loop");
        assertThat(receive(4))
                .containsExactlyInAnyOrder(
                        "loop: m+first+last",
                        "loop: m+first+last of extension:first",
                        "loop: m+first+last",
                        "loop: m+first+last of extension:first");
    }
}
