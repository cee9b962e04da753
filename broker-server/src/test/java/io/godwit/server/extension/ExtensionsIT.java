package io.godwit.server.extension;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5PubAckException;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import io.godwit.server.BrokerFixture;
import io.godwit.server.StartFailed;
import java.io.IOException;
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
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Extensions from JARs in a running broker, with clients of a client library. */
class ExtensionsIT {
    private static final String USUAL =
            """
            context.registrations().authenticator(request -> {
                String user = request.connect().userName();
                if (user == null) {
                    return AuthenticationResult.passedOn().now();
                }
                switch (user) {
                    case "throws" -> throw new IllegalStateException("no database");
                    case "silent" -> {
                        return new java.util.concurrent.CompletableFuture<>();
                    }
                    case "null" -> {
                        return null;
                    }
                    default -> {}
                }
                boolean isKnown = request.connect().passwordText().orElse("").equals("secret");
                AuthenticationResult result =
                        isKnown
                                ? AuthenticationResult.granted(user)
                                : AuthenticationResult.refused(
                                        io.godwit.extension.packet.ReasonCode
                                                .BAD_USER_NAME_OR_PASSWORD,
                                        "wrong");
                java.util.concurrent.CompletableFuture<AuthenticationResult> later =
                        new java.util.concurrent.CompletableFuture<>();
                context.executor().schedule(
                        () -> later.complete(result), 20, java.util.concurrent.TimeUnit.MILLISECONDS);
                return later;
            });
            """;

    private static final String MARKING =
            """
            context.registrations().publishInterceptor("data/#", (client, publish) ->
                    Interception.changed(
                            publish.change()
                                    .text("%s " + client.clientId() + " " + publish.payload().text())
                                    .build()).now(),
                    OnFailure.REFUSE);
            """;

    @TempDir private Path folder;
    private final List<Mqtt5BlockingClient> clients = new ArrayList<>();
    private @Nullable BrokerFixture broker;

    private Path extensions() {
        return folder.resolve("extensions");
    }

    private BrokerFixture start(String... more) throws StartFailed {
        List<String> sets = new ArrayList<>(List.of(more));
        sets.add("extensions.folder=" + extensions());
        sets.add("extensions.watch=0");
        BrokerFixture started = BrokerFixture.tryStart(sets.toArray(String[]::new));
        broker = started;
        return started;
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
        made.connectWith()
                .simpleAuth()
                .username("user")
                .password("secret".getBytes(UTF_8))
                .applySimpleAuth()
                .send();
        return made;
    }

    private static int refusal(Mqtt5BlockingClient client, String user, String password) {
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

    private static void publish(Mqtt5BlockingClient client, String topic, String payload, int qos) {
        client.publishWith()
                .topic(topic)
                .payload(payload.getBytes(UTF_8))
                .qos(MqttQos.fromCode(qos))
                .send();
    }

    private static int publishRefusal(Mqtt5BlockingClient client, String topic) {
        try {
            publish(client, topic, "x", 1);
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

    private HttpResponse<String> ask(String method, String path)
            throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + broker().adminPort() + path);
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(uri)
                                .method(method, HttpRequest.BodyPublishers.noBody())
                                .header("Authorization", "Bearer 0123456789abcdef-token")
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
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
    void authenticator_lets_in_whom_it_knows_and_its_failures_let_nobody_in() throws Exception {
        TestExtension.starting("door", USUAL).writeTo(extensions());
        start("extensions.door.call-time=300ms");
        connected("c1");
        assertThat(refusal(client("c2"), "user", "wrong")).isEqualTo(0x86);
        for (String user : List.of("throws", "silent", "null")) {
            assertThat(refusal(client("c3"), user, "secret")).isEqualTo(0x88);
        }
        // Nobody is anonymous any more, since something authenticates.
        assertThatThrownBy(() -> client("c4").connect())
                .isInstanceOfSatisfying(
                        Mqtt5ConnAckException.class,
                        refused ->
                                assertThat(refused.getMqttMessage().getReasonCode().getCode())
                                        .isEqualTo(0x87));
        connected("c5");
    }

    @Test
    void granted_limits_bound_the_queue_and_the_connections_of_a_client() throws Exception {
        TestExtension.starting(
                        "door",
                        """
                        context.registrations().authenticator(request ->
                                AuthenticationResult.granted(
                                        Grant.to(request.connect().userName())
                                                .queueMessages(2)
                                                .queueFull(Grant.QueueFull.REJECT)
                                                .connectionsOfUser(2)
                                                .build())
                                        .now());
                        """)
                .writeTo(extensions());
        start();
        Mqtt5BlockingClient subscriber = client("subscriber");
        subscriber
                .connectWith()
                .sessionExpiryInterval(3_600)
                .simpleAuth()
                .username("user")
                .password("secret".getBytes(UTF_8))
                .applySimpleAuth()
                .send();
        subscriber.subscribeWith().topicFilter("t").qos(MqttQos.AT_LEAST_ONCE).send();
        Mqtt5BlockingClient publisher = connected("publisher");
        assertThat(refusal(client("third"), "user", "secret")).isEqualTo(0x97);
        subscriber.disconnect();
        await().until(() ->
                ask("GET", "/clients/subscriber").body().contains("\"connected\":false"));

        assertThat(publishRefusal(publisher, "t")).isZero();
        assertThat(publishRefusal(publisher, "t")).isZero();
        assertThat(publishRefusal(publisher, "t")).isEqualTo(0x97);
        assertThat(refusal(client("fourth"), "user", "secret")).isZero();
    }

    @Test
    void named_authenticator_that_does_not_run_keeps_the_broker_from_starting() {
        TestExtension.starting("door", "throw new Exception(\"no licence\");")
                .writeTo(extensions());
        assertThatThrownBy(() -> start("security.authenticators=door"))
                .isInstanceOf(StartFailed.class)
                .hasMessageContaining("door")
                .hasMessageContaining("no licence");
        broker = null;
    }

    @Test
    void named_extension_that_authenticates_nobody_keeps_the_broker_from_starting() {
        TestExtension.logging("door").writeTo(extensions());
        assertThatThrownBy(() -> start("security.authenticators=door"))
                .isInstanceOf(StartFailed.class)
                .hasMessageContaining("the extension door is named as an authenticator");
        broker = null;
    }

    @Test
    void interceptor_changes_drops_and_refuses_what_it_sees() throws Exception {
        TestExtension.starting(
                        "marks",
                        MARKING.formatted("v1")
                                + """
                                context.registrations().publishInterceptor("drop/#", (client, publish) ->
                                        Interception.<io.godwit.extension.packet.PublishPacket>dropped().now(),
                                        OnFailure.REFUSE);
                                context.registrations().publishInterceptor("no/#", (client, publish) ->
                                        Interception.<io.godwit.extension.packet.PublishPacket>refused(
                                                io.godwit.extension.packet.ReasonCode.QUOTA_EXCEEDED).now(),
                                        OnFailure.REFUSE);
                                context.registrations().publishInterceptor("throws/#", (client, publish) -> {
                                        throw new IllegalStateException("bad");
                                }, OnFailure.REFUSE);
                                context.registrations().publishInterceptor("passes/#", (client, publish) -> {
                                        throw new IllegalStateException("bad");
                                }, OnFailure.PASS);
                                """)
                .writeTo(extensions());
        start();
        Mqtt5BlockingClient client = client("c1");
        client.connect();
        try (Mqtt5BlockingClient.Mqtt5Publishes got =
                client.publishes(MqttGlobalPublishFilter.ALL)) {
            client.subscribeWith().topicFilter("#").qos(MqttQos.EXACTLY_ONCE).send();
            for (int qos = 0; qos <= 2; qos++) {
                publish(client, "data/x", "p" + qos, qos);
                assertThat(next(got)).isEqualTo("v1 c1 p" + qos);
            }
            publish(client, "drop/x", "gone", 1);
            assertThat(publishRefusal(client, "no/x")).isEqualTo(0x97);
            assertThat(publishRefusal(client, "throws/x")).isEqualTo(0x83);
            publish(client, "passes/x", "passed", 1);
            publish(client, "other", "last", 1);
            assertThat(next(got)).isEqualTo("passed");
            assertThat(next(got)).isEqualTo("last");
        }
    }

    @Test
    void authorizers_decide_and_what_they_leave_open_is_denied() throws Exception {
        TestExtension.starting(
                        "may",
                        """
                        context.registrations().publishAuthorizer((client, publish) ->
                                (publish.topic().startsWith("yes/") ? Authorization.allowed()
                                        : publish.topic().startsWith("no/") ? Authorization.denied()
                                        : Authorization.undecided()).now(), OnFailure.REFUSE);
                        context.registrations().subscribeAuthorizer((client, subscription) ->
                                (subscription.topicFilter().startsWith("yes/")
                                        ? Authorization.allowed()
                                        : Authorization.denied()).now(), OnFailure.REFUSE);
                        """)
                .writeTo(extensions());
        start();
        Mqtt5BlockingClient client = client("c1");
        client.connect();
        assertThat(publishRefusal(client, "yes/x")).isZero();
        assertThat(publishRefusal(client, "no/x")).isEqualTo(0x87);
        assertThat(publishRefusal(client, "other")).isEqualTo(0x87);
        client.subscribeWith().topicFilter("yes/#").send();
        assertThatThrownBy(() -> client.subscribeWith().topicFilter("#").send())
                .hasMessageContaining("SUBACK contains only Error Codes");
    }

    @Test
    void extension_publishes_and_hears_of_clients() throws Exception {
        TestExtension.starting(
                        "greeter",
                        """
                        context.registrations().clientListener(new ClientListener() {
                            @Override public void onConnected(
                                    io.godwit.extension.client.Client client, boolean present) {
                                context.publishes()
                                        .publish(io.godwit.extension.packet.PublishPacket
                                                .to("hello/" + client.clientId())
                                                .text("welcome").retain(true).build())
                                        .thenRun(() -> {
                                            try {
                                                log("greeted " + client.clientId() + " in "
                                                        + Thread.currentThread().getName());
                                            } catch (Exception e) {
                                                throw new RuntimeException(e);
                                            }
                                        });
                            }
                            @Override public void onDisconnected(
                                    io.godwit.extension.client.Client client,
                                    Disconnect disconnect) {
                                try {
                                    log("left " + client.clientId() + " " + disconnect.cause());
                                } catch (Exception e) {
                                    throw new RuntimeException(e);
                                }
                            }
                        });
                        """)
                .writeTo(extensions());
        start();
        Mqtt5BlockingClient client = client("c1");
        client.connect();
        assertThat(eventuallyLogged("greeter", "greeted c1")).contains("in extension-greeter-");
        try (Mqtt5BlockingClient.Mqtt5Publishes got =
                client.publishes(MqttGlobalPublishFilter.ALL)) {
            client.subscribeWith().topicFilter("hello/#").send();
            assertThat(next(got)).isEqualTo("welcome");
        }
        client.disconnect();
        eventuallyLogged("greeter", "left c1 CLIENT");
    }

    @Test
    void replaced_under_load_it_loses_and_repeats_nothing() throws Exception {
        TestExtension.starting("marks", MARKING.formatted("1")).version("1").writeTo(extensions());
        start("admin.token=0123456789abcdef-token");
        Mqtt5BlockingClient subscriber = client("subscriber");
        subscriber.connect();
        BlockingQueue<String> got = new LinkedBlockingQueue<>();
        subscriber
                .toAsync()
                .publishes(
                        MqttGlobalPublishFilter.ALL,
                        publish -> got.add(new String(publish.getPayloadAsBytes(), UTF_8)));
        subscriber.subscribeWith().topicFilter("data/#").qos(MqttQos.AT_LEAST_ONCE).send();
        Mqtt5BlockingClient publisher = client("publisher");
        publisher.connect();
        AtomicBoolean isOver = new AtomicBoolean();
        List<Integer> sent = new ArrayList<>();
        Thread load =
                new Thread(() -> {
                    while (!isOver.get()) {
                        publish(publisher, "data/x", String.valueOf(sent.size()), 1);
                        sent.add(sent.size());
                    }
                });
        load.start();
        for (int version = 2; version <= 6; version++) {
            Thread.sleep(100);
            TestExtension.starting("marks", MARKING.formatted(version))
                    .version(String.valueOf(version))
                    .writeTo(extensions());
            HttpResponse<String> answer = ask("POST", "/extensions/marks/replace");
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        }
        Thread.sleep(100);
        isOver.set(true);
        load.join();
        int before = 1;
        for (int number = 0; number < sent.size(); number++) {
            String each = got.poll(20, TimeUnit.SECONDS);
            assertThat(each).isNotNull();
            assertThat(each).endsWith(" publisher " + number);
            int version = Integer.parseInt(each.substring(0, each.indexOf(' ')));
            assertThat(version).isBetween(before, before + 1);
            before = version;
        }
        assertThat(before).isEqualTo(6);
        assertThat(got.poll(200, TimeUnit.MILLISECONDS)).isNull();
        assertThat(ask("GET", "/extensions").body()).contains("\"version\":\"6\"");
    }

    @Test
    void disabled_extension_is_asked_no_more() throws Exception {
        TestExtension.starting("marks", MARKING.formatted("v1")).writeTo(extensions());
        start("admin.token=0123456789abcdef-token");
        Mqtt5BlockingClient client = client("c1");
        client.connect();
        try (Mqtt5BlockingClient.Mqtt5Publishes got =
                client.publishes(MqttGlobalPublishFilter.ALL)) {
            client.subscribeWith().topicFilter("#").send();
            publish(client, "data/x", "p", 1);
            assertThat(next(got)).isEqualTo("v1 c1 p");
            assertThat(ask("POST", "/extensions/marks/disable").statusCode()).isEqualTo(200);
            publish(client, "data/x", "p", 1);
            assertThat(next(got)).isEqualTo("p");
            assertThat(ask("POST", "/extensions/marks/enable").statusCode()).isEqualTo(200);
            publish(client, "data/x", "p", 1);
            assertThat(next(got)).isEqualTo("v1 c1 p");
        }
    }

    @Test
    void slow_extension_holds_up_nobody_else() throws Exception {
        TestExtension.starting(
                        "slow",
                        """
                        context.registrations().publishInterceptor("#", (client, publish) -> {
                            if (client.clientId().startsWith("slow-")) {
                                Thread.sleep(1_000);
                            }
                            return Interception.<io.godwit.extension.packet.PublishPacket>unchanged().now();
                        }, OnFailure.REFUSE);
                        """)
                .says("threads: virtual")
                .writeTo(extensions());
        start();
        Mqtt5BlockingClient slow = client("slow-1");
        slow.connect();
        Mqtt5BlockingClient quick = client("quick");
        quick.connect();
        Thread waits = new Thread(() -> publish(slow, "t", "x", 1));
        waits.start();
        long begin = System.nanoTime();
        for (int i = 0; i < 20; i++) {
            publish(quick, "t", "x", 1);
        }
        long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
        assertThat(waits.isAlive()).as("20 others took %d ms", tookMs).isTrue();
        waits.join();
    }
}
