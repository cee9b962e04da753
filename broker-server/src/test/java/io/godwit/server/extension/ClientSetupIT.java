package io.godwit.server.extension;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5PubAckException;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import io.godwit.server.BrokerFixture;
import io.godwit.server.StartFailed;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that extensions set up, sessions that they hear of, and who may say what is allowed. */
class ClientSetupIT {
    /** Marks what clients publish by an interceptor of their own, and lets them publish own/ID. */
    private static final String MARKING =
            """
            context.registrations().initializer(client -> {
                if (client.clientId().equals("throws")) {
                    throw new IllegalStateException("no database");
                }
                context.attributes().put(client, "mark", "%s");
                return io.godwit.extension.setup.ClientSetup.builder()
                        .rules(io.godwit.extension.access.AccessRules.of(
                                io.godwit.extension.access.AccessRule.allow()
                                        .topic("own/%%c/#").build()))
                        .publishInterceptor("own/#", (it, publish) -> {
                            String mark = context.attributes().get(it, "mark").orElseThrow().text();
                            return Interception.changed(publish.change()
                                    .text(mark + " " + publish.payload().text()).build()).now();
                        }, OnFailure.REFUSE)
                        .build().now();
            });
            context.registrations().publishInterceptor("own/+/free", (client, publish) ->
                    context.setups()
                            .replace(client, io.godwit.extension.setup.ClientSetup.none())
                            .thenApply(isDone -> Interception.unchanged()),
                    OnFailure.REFUSE);
            """;

    @TempDir private Path folder;
    private final List<Mqtt5BlockingClient> clients = new ArrayList<>();
    private @Nullable BrokerFixture broker;

    private Path extensions() {
        return folder.resolve("extensions");
    }

    private void start(String... more) throws StartFailed {
        List<String> sets = new ArrayList<>(List.of(more));
        sets.add("extensions.folder=" + extensions());
        sets.add("extensions.watch=0");
        sets.add("admin.token=0123456789abcdef-token");
        broker = BrokerFixture.tryStart(sets.toArray(String[]::new));
    }

    private BrokerFixture broker() {
        BrokerFixture running = broker;
        assertThat(running).isNotNull();
        return running;
    }

    @AfterEach
    void stop() {
        for (Mqtt5BlockingClient each : clients) {
            if (each.getState().isConnected()) {
                each.disconnect();
            }
        }
        if (broker != null) {
            broker.close();
        }
    }

    private Mqtt5BlockingClient client(String id) {
        Mqtt5BlockingClient made =
                MqttClient.builder()
                        .useMqttVersion5()
                        .identifier(id)
                        .serverHost("127.0.0.1")
                        .serverPort(broker().port())
                        .buildBlocking();
        clients.add(made);
        return made;
    }

    private Mqtt5BlockingClient connected(String id) {
        Mqtt5BlockingClient made = client(id);
        made.connect();
        return made;
    }

    /** Publishes at QoS 1, and returns the reason code of PUBACK. */
    private static int publish(Mqtt5BlockingClient client, String topic, String payload) {
        try {
            client.publishWith()
                    .topic(topic)
                    .payload(payload.getBytes(UTF_8))
                    .qos(MqttQos.AT_LEAST_ONCE)
                    .send();
            return 0;
        } catch (Mqtt5PubAckException refused) {
            return refused.getMqttMessage().getReasonCode().getCode();
        }
    }

    private static String next(Mqtt5BlockingClient.Mqtt5Publishes publishes)
            throws InterruptedException {
        Optional<Mqtt5Publish> got = publishes.receive(20, TimeUnit.SECONDS);
        assertThat(got).isPresent();
        return new String(got.orElseThrow().getPayloadAsBytes(), UTF_8);
    }

    private void replace(String id) throws Exception {
        URI uri =
                URI.create(
                        "http://127.0.0.1:"
                                + broker().adminPort()
                                + "/extensions/"
                                + id
                                + "/replace");
        HttpResponse<String> answer =
                HttpClient.newHttpClient()
                        .send(
                                HttpRequest.newBuilder(uri)
                                        .method("POST", HttpRequest.BodyPublishers.noBody())
                                        .header("Authorization", "Bearer 0123456789abcdef-token")
                                        .build(),
                                HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }

    private String eventuallyLogged(String id, String line) throws Exception {
        Path log = extensions().resolve(id).resolve(TestExtension.LOG);
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        String text = "";
        while (System.nanoTime() < deadline) {
            text = Files.exists(log) ? Files.readString(log) : "";
            if (text.contains(line)) {
                return text;
            }
            Thread.sleep(20);
        }
        assertThat(text).contains(line);
        return text;
    }

    @Test
    void client_is_set_up_before_it_is_connected_and_again_when_the_extension_is_replaced()
            throws Exception {
        TestExtension.starting("marks", MARKING.formatted("v1")).version("1").writeTo(extensions());
        start();
        assertThatThrownBy(() -> connected("throws"))
                .isInstanceOfSatisfying(
                        Mqtt5ConnAckException.class,
                        refused ->
                                assertThat(refused.getMqttMessage().getReasonCode().getCode())
                                        .isEqualTo(0x88));
        Mqtt5BlockingClient a = connected("a");
        try (Mqtt5BlockingClient.Mqtt5Publishes got = a.publishes(MqttGlobalPublishFilter.ALL)) {
            a.subscribeWith().topicFilter("own/a/#").qos(MqttQos.AT_LEAST_ONCE).send();
            assertThat(publish(a, "own/a/x", "one")).isZero();
            assertThat(next(got)).isEqualTo("v1 one");
            assertThat(publish(a, "own/b/x", "two")).isEqualTo(0x87);

            TestExtension.starting("marks", MARKING.formatted("v2"))
                    .version("2")
                    .writeTo(extensions());
            replace("marks");
            assertThat(publish(a, "own/a/x", "three")).isZero();
            assertThat(next(got)).isEqualTo("v2 three");

            // It was shown to the interceptor before: another setup holds from the next one on.
            assertThat(publish(a, "own/a/free", "four")).isZero();
            assertThat(next(got)).isEqualTo("v2 four");
            assertThat(publish(a, "own/a/x", "five")).isZero();
            assertThat(next(got)).isEqualTo("five");
            assertThat(publish(a, "any", "six")).isNotEqualTo(0x87);
        }
    }

    @Test
    void initializer_that_comes_later_sets_up_who_is_connected() throws Exception {
        TestExtension.logging("marks").version("1").writeTo(extensions());
        start();
        Mqtt5BlockingClient a = connected("a");
        assertThat(publish(a, "any", "one")).isNotEqualTo(0x87);
        TestExtension.starting("marks", MARKING.formatted("v2")).version("2").writeTo(extensions());
        replace("marks");
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (publish(a, "any", "two") != 0x87 && System.nanoTime() < deadline) {
            Thread.sleep(10);
        }
        assertThat(publish(a, "any", "three")).isEqualTo(0x87);
    }

    @Test
    void sessions_are_told_of_in_order_with_their_clients() throws Exception {
        TestExtension.starting(
                        "hears",
                        """
                        java.util.function.Consumer<String> note = line -> {
                            try {
                                log(line);
                            } catch (Exception e) {
                                throw new RuntimeException(e);
                            }
                        };
                        context.registrations().sessionListener(new SessionListener() {
                            @Override public void onCreated(SessionChange it) {
                                note.accept("created " + it.clientId() + " " + it.expirySeconds());
                            }
                            @Override public void onResumed(SessionChange it) {
                                note.accept("resumed " + it.clientId());
                            }
                            @Override public void onEnded(SessionChange it) {
                                note.accept("ended " + it.clientId() + " " + it.cause());
                            }
                        });
                        context.registrations().clientListener(new ClientListener() {
                            @Override public void onConnected(
                                    io.godwit.extension.client.Client it, boolean present) {
                                note.accept("connected " + present);
                            }
                        });
                        """)
                .writeTo(extensions());
        start();
        Mqtt5BlockingClient a = client("a");
        a.connectWith().sessionExpiryInterval(100).send();
        a.disconnect();
        a.connectWith().cleanStart(false).sessionExpiryInterval(100).send();
        a.disconnect();
        a.connectWith().cleanStart(true).sessionExpiryInterval(0).send();
        a.disconnect();
        assertThat(eventuallyLogged("hears", "ended a CONNECTION_ENDED"))
                .isEqualTo(
                        """
                        created a 100
                        connected false
                        resumed a
                        connected true
                        ended a CLEAN_START
                        created a 0
                        connected false
                        ended a CONNECTION_ENDED
                        """);
    }

    @Test
    void named_authorizers_are_asked_and_nobody_else() throws Exception {
        TestExtension.starting(
                        "door",
                        """
                        context.registrations().publishAuthorizer((client, publish) ->
                                (publish.topic().startsWith("yes/") ? Authorization.allowed()
                                        : Authorization.undecided()).now(), OnFailure.REFUSE);
                        """)
                .writeTo(extensions());
        TestExtension.starting(
                        "other",
                        """
                        context.registrations().publishAuthorizer((client, publish) ->
                                Authorization.allowed().now(), OnFailure.REFUSE);
                        """)
                .writeTo(extensions());
        start("security.authorizers=door");
        Mqtt5BlockingClient a = connected("a");
        assertThat(publish(a, "yes/x", "one")).isNotEqualTo(0x87);
        assertThat(publish(a, "x", "two")).isEqualTo(0x87);
        assertThatThrownBy(() -> a.subscribeWith().topicFilter("x").send())
                .hasMessageContaining("SUBACK contains only Error Codes");
    }

    @Test
    void named_authorizer_that_is_none_keeps_the_broker_from_starting() {
        TestExtension.logging("door").writeTo(extensions());
        assertThatThrownBy(() -> start("security.authorizers=door,rules"))
                .isInstanceOf(StartFailed.class)
                .hasMessageContaining("the extension door is named as an authorizer");
        assertThatThrownBy(() -> start("security.authorizers=gone"))
                .isInstanceOf(StartFailed.class)
                .hasMessageContaining("gone");
        broker = null;
    }
}
