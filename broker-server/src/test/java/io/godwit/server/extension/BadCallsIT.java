package io.godwit.server.extension;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5PubAckException;
import io.godwit.server.BrokerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * An extension that does all that an interceptor should not do, in a broker that has to go on: what
 * it is asked about is refused, and other clients notice nothing.
 */
@Timeout(120)
class BadCallsIT {
    private static final String BAD =
            """
            List<Object> everything = new java.util.concurrent.CopyOnWriteArrayList<>();
            List<java.util.concurrent.CompletableFuture<
                    Interception<io.godwit.extension.packet.PublishPacket>>> late =
                    new java.util.concurrent.CopyOnWriteArrayList<>();
            class Recursion {
                int deeper(int depth) {
                    return deeper(depth + 1) + 1;
                }
            }
            context.registrations().publishInterceptor("bad/+", (client, publish) -> {
                switch (publish.topic().substring(4)) {
                    case "throws" -> throw new IllegalStateException("bad");
                    case "error" -> throw new LinkageError("bad");
                    case "null" -> {
                        return null;
                    }
                    case "silent" -> {
                        return new java.util.concurrent.CompletableFuture<>();
                    }
                    case "failed" -> {
                        return java.util.concurrent.CompletableFuture.failedStage(
                                new IllegalStateException("bad"));
                    }
                    case "sleeps" -> Thread.sleep(2_000);
                    case "spins" -> {
                        long end = System.nanoTime() + 2_000_000_000L;
                        while (System.nanoTime() < end) {
                            Thread.onSpinWait();
                        }
                    }
                    case "recurses" -> new Recursion().deeper(0);
                    case "wildcards" -> {
                        return Interception.changed(publish.change().topic("a/#").build()).now();
                    }
                    case "longtopic" -> {
                        return Interception.changed(
                                publish.change().topic("x".repeat(70_000)).build()).now();
                    }
                    case "large" -> {
                        return Interception.changed(publish.change()
                                .text("x".repeat(2_000_000)).build()).now();
                    }
                    case "late" -> {
                        late.add(new java.util.concurrent.CompletableFuture<>());
                        return late.getLast();
                    }
                    case "answer" -> late.forEach(each -> {
                        each.complete(Interception.unchanged());
                        each.complete(Interception.dropped());
                    });
                    case "keeps" -> {
                        everything.add(client);
                        everything.add(publish);
                    }
                    case "million" -> {
                        java.util.concurrent.atomic.AtomicInteger refused =
                                new java.util.concurrent.atomic.AtomicInteger();
                        var message = io.godwit.extension.packet.PublishPacket.to("nobody")
                                .qos(1).text("m").build();
                        for (int i = 0; i < 1_000_000; i++) {
                            context.publishes().publish(message).whenComplete((done, failure) -> {
                                if (failure != null) {
                                    refused.incrementAndGet();
                                }
                            });
                        }
                        log("refused some " + (refused.get() > 0));
                    }
                    case "same" -> {
                        for (int i = 0; i < 2; i++) {
                            context.publishes().publish(publish,
                                    io.godwit.extension.service.PublishOptions.defaults()
                                            .intercepted(true));
                        }
                    }
                    case "disconnects" -> {
                        return context.clients().disconnect(client.clientId(),
                                        io.godwit.extension.packet.ReasonCode.QUOTA_EXCEEDED,
                                        "bad", false)
                                .thenApply(done -> Interception.unchanged());
                    }
                    case "executor" -> context.executor().shutdownNow();
                    case "threads" -> {
                        for (int i = 0; i < 20; i++) {
                            Thread left = new Thread(() -> {
                                try {
                                    Thread.sleep(1_000_000);
                                } catch (InterruptedException e) {
                                    // It is left all the same.
                                }
                            });
                            left.setDaemon(true);
                            left.start();
                            new Timer(true).schedule(new TimerTask() {
                                @Override public void run() {}
                            }, 10, 10);
                        }
                    }
                    case "meters" -> {
                        for (int i = 0; i < 100_000; i++) {
                            context.meters().counter("many", "number", "" + i).increment();
                        }
                    }
                    case "half" -> context.clients().page(Optional.empty());
                    default -> {}
                }
                return Interception.<io.godwit.extension.packet.PublishPacket>unchanged().now();
            }, OnFailure.REFUSE);
            """;

    @TempDir private static Path folder;
    private static BrokerProcess broker;
    private static Mqtt5BlockingClient bystander;
    private static Mqtt5BlockingClient.Mqtt5Publishes got;

    @BeforeAll
    static void start() {
        TestExtension.starting("bad", BAD).says("threads: 6").writeTo(folder.resolve("extensions"));
        broker = broker(folder);
        bystander = client(broker, "bystander");
        got = bystander.publishes(MqttGlobalPublishFilter.ALL);
        bystander.subscribeWith().topicFilter("good").qos(MqttQos.EXACTLY_ONCE).send();
    }

    private static BrokerProcess broker(Path where) {
        return new BrokerProcess.Setup()
                .in(where)
                .jvmFlags(List.of("-Xmx256m"))
                .set(
                        "extensions.folder=" + where.resolve("extensions"),
                        "extensions.watch=0",
                        "extensions.bad.call-time=500ms",
                        "mqtt.maximum-packet-size=1MiB",
                        "log.level=error")
                .start();
    }

    @AfterAll
    static void stop() {
        assertThat(broker.process().isAlive()).as("%s", broker.output()).isTrue();
        got.close();
        broker.terminate();
        assertThat(broker.exitCode()).as("%s", broker.output()).isZero();
        broker.close();
    }

    private static Mqtt5BlockingClient client(BrokerProcess at, String id) {
        Mqtt5BlockingClient client =
                MqttClient.builder()
                        .useMqttVersion5()
                        .identifier(id)
                        .serverHost("127.0.0.1")
                        .serverPort(at.port("mqtt"))
                        .buildBlocking();
        client.connect();
        return client;
    }

    private static void assertOthersGoOn() throws InterruptedException {
        long begin = System.nanoTime();
        for (int i = 0; i < 20; i++) {
            bystander
                    .publishWith()
                    .topic("good")
                    .qos(MqttQos.fromCode(i % 3))
                    .payload(("" + i).getBytes(UTF_8))
                    .send();
            assertThat(got.receive(10, TimeUnit.SECONDS)).isPresent();
        }
        assertThat(System.nanoTime() - begin).isLessThan(TimeUnit.SECONDS.toNanos(10));
    }

    private static int publish(Mqtt5BlockingClient client, String topic) {
        try {
            client.publishWith()
                    .topic(topic)
                    .qos(MqttQos.AT_LEAST_ONCE)
                    .payload("m".getBytes(UTF_8))
                    .send();
            return 0;
        } catch (Mqtt5PubAckException refused) {
            return refused.getMqttMessage().getReasonCode().getCode();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "throws, 131",
        "error, 131",
        "null, 131",
        "silent, 131",
        "failed, 131",
        "sleeps, 131",
        "spins, 131",
        "recurses, 131",
        "wildcards, 131",
        "longtopic, 131",
        "large, 131",
        "keeps, 16",
        "same, 16",
        "threads, 16",
        "half, 16",
    })
    void call_is_refused_and_others_go_on(String kind, int expected) throws Exception {
        Mqtt5BlockingClient client = client(broker, "client-" + kind);
        int reason = publish(client, "bad/" + kind);
        // Nobody has subscribed to what goes on: 0x10, which the library does not throw.
        assertThat(reason).isEqualTo(expected == 16 ? 0 : expected);
        assertOthersGoOn();
        client.disconnect();
    }

    @Test
    void answer_that_comes_twice_and_after_its_client_has_gone_is_ignored() throws Exception {
        Mqtt5BlockingClient gone = client(broker, "gone");
        gone.toAsync()
                .publishWith()
                .topic("bad/late")
                .qos(MqttQos.AT_LEAST_ONCE)
                .send()
                .exceptionally(failure -> null);
        Thread.sleep(200);
        gone.disconnect();
        Mqtt5BlockingClient client = client(broker, "answers");
        assertThat(publish(client, "bad/answer")).isZero();
        assertOthersGoOn();
        client.disconnect();
    }

    @Test
    void million_messages_from_one_call_are_refused_beyond_a_bound() throws Exception {
        Mqtt5BlockingClient client = client(broker, "million");
        publish(client, "bad/million"); // Whether it has returned in time does not matter.
        assertOthersGoOn();
        Path log = folder.resolve("extensions/bad").resolve(TestExtension.LOG);
        await(log, "refused some true");
        assertOthersGoOn();
        client.disconnect();
    }

    private static void await(Path log, String line) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!Files.exists(log) || !Files.readString(log).contains(line)) {
            assertThat(System.nanoTime()).as("waiting for " + line).isLessThan(end);
            Thread.sleep(50);
        }
    }

    @Test
    void client_that_is_disconnected_while_it_is_asked_about_may_come_again() throws Exception {
        Mqtt5BlockingClient client = client(broker, "disconnected");
        assertThatThrownBy(() -> publish(client, "bad/disconnects")).isNotNull();
        assertOthersGoOn();
        Mqtt5BlockingClient again = client(broker, "disconnected");
        assertThat(publish(again, "bad/keeps")).isZero();
        again.disconnect();
    }

    @Test
    void meters_without_end_do_not_fill_the_page_of_metrics() throws Exception {
        Mqtt5BlockingClient client = client(broker, "meters");
        publish(client, "bad/meters");
        assertOthersGoOn();
        client.disconnect();
    }

    @Test
    void executor_that_the_extension_has_shut_down_costs_others_nothing() throws Exception {
        Path own = folder.resolve("executor");
        TestExtension.starting("bad", BAD).writeTo(own.resolve("extensions"));
        try (BrokerProcess other = broker(own)) {
            Mqtt5BlockingClient client = client(other, "c");
            publish(client, "bad/executor");
            for (int i = 0; i < 5; i++) {
                assertThat(publish(client, "good")).isZero();
            }
            // It can still be asked, or is refused; its client is never left without an answer.
            assertThat(publish(client, "bad/keeps")).isIn(0, 131);
            client.disconnect();
            other.terminate();
            assertThat(other.exitCode()).as("%s", other.output()).isZero();
        }
    }

    @Test
    void heap_that_an_extension_has_filled_does_not_leave_a_broker_that_answers_nobody()
            throws Exception {
        Path own = folder.resolve("heap");
        TestExtension.starting(
                        "bad",
                        """
                        List<byte[]> all = new ArrayList<>();
                        context.registrations().publishInterceptor("bad/heap", (client, publish) -> {
                            while (true) {
                                all.add(new byte[1 << 20]);
                            }
                        }, OnFailure.REFUSE);
                        """)
                .writeTo(own.resolve("extensions"));
        try (BrokerProcess other = broker(own)) {
            Mqtt5BlockingClient client = client(other, "c");
            client.toAsync()
                    .publishWith()
                    .topic("bad/heap")
                    .qos(MqttQos.AT_LEAST_ONCE)
                    .send()
                    .exceptionally(failure -> null);
            assertThat(other.exitCode()).as("%s", other.output()).isEqualTo(3);
            assertThat(other.output())
                    .anyMatch(line -> line.contains("out of memory in extension bad"));
        }
    }
}
