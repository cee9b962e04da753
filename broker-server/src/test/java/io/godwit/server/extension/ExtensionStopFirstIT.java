package io.godwit.server.extension;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5PublishResult;
import io.godwit.server.BrokerFixture;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An extension that holds a port is replaced under load: stopped first, and nothing is lost. */
class ExtensionStopFirstIT {
    @TempDir private Path folder;

    private void write(int version, int port) {
        String source =
                TestExtension.mainSource(
                                """
                                socket = new java.net.ServerSocket(%d);
                                Thread.sleep(200);
                                context.registrations().authenticator(
                                        request -> AuthenticationResult.granted("u").now());
                                context.registrations().publishInterceptor("data/#",
                                        (client, publish) -> Interception.changed(publish.change()
                                                .text("%d " + publish.payload().text())
                                                .build()).now(), OnFailure.REFUSE);
                                context.registrations().connectInterceptor((origin, connect) ->
                                        Interception.changed(connect).now());
                                context.registrations().deliveryInterceptor("data/#",
                                        (client, publish) -> Interception.changed(publish.change()
                                                .text("to " + publish.payload().text())
                                                .build()).now(), OnFailure.REFUSE);
                                context.registrations().unsubscribeInterceptor((client, packet) ->
                                        Interception.changed(packet.withTopicFilters(
                                                List.of("instead"))).now(), OnFailure.REFUSE);
                                context.registrations().packetInterceptor(PacketPoint.PUBACK_OUT,
                                        (client, ack) -> Interception.changed(
                                                ack.withReason(ack.reasonCode(), "seen")).now());
                                context.registrations().initializer(client ->
                                        io.godwit.extension.setup.ClientSetup.builder()
                                                .publishInterceptor("own/#", (it, publish) ->
                                                        Interception.changed(publish.change()
                                                                .topic("data/own").build()).now(),
                                                        OnFailure.REFUSE)
                                                .build().now());
                                """
                                        .formatted(port, version),
                                "socket.close();")
                        .replace(
                                "private ExtensionContext context;",
                                "private ExtensionContext context;"
                                        + " private java.net.ServerSocket socket;");
        TestExtension.called("port")
                .main("p.Main", source)
                .version(String.valueOf(version))
                .says("replace: stop-first")
                .writeTo(folder);
    }

    private static Mqtt5BlockingClient connected(BrokerFixture broker, String id) {
        Mqtt5BlockingClient made =
                MqttClient.builder()
                        .useMqttVersion5()
                        .identifier(id)
                        .serverHost("127.0.0.1")
                        .serverPort(broker.port())
                        .buildBlocking();
        made.connect();
        return made;
    }

    /** Returns the Reason String of PUBACK; empty: it has none. */
    private static String reasonString(Mqtt5PublishResult result) {
        return ((Mqtt5PublishResult.Mqtt5Qos1Result) result)
                .getPubAck()
                .getReasonString()
                .map(Object::toString)
                .orElse("");
    }

    private static HttpResponse<String> replace(BrokerFixture broker) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + broker.adminPort() + "/extensions/port/replace");
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(uri)
                                .POST(HttpRequest.BodyPublishers.noBody())
                                .header("Authorization", "Bearer 0123456789abcdef-token")
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void clients_wait_and_lose_nothing() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        write(1, port);
        try (BrokerFixture broker =
                BrokerFixture.start(
                        "extensions.folder=" + folder,
                        "extensions.watch=0",
                        "admin.token=0123456789abcdef-token")) {
            Mqtt5BlockingClient subscriber = connected(broker, "subscriber");
            BlockingQueue<String> got = new LinkedBlockingQueue<>();
            subscriber
                    .toAsync()
                    .publishes(
                            MqttGlobalPublishFilter.ALL,
                            publish -> got.add(new String(publish.getPayloadAsBytes(), UTF_8)));
            subscriber.subscribeWith().topicFilter("#").qos(MqttQos.AT_LEAST_ONCE).send();
            Mqtt5BlockingClient publisher = connected(broker, "publisher");
            AtomicBoolean isOver = new AtomicBoolean();
            List<Integer> sent = new ArrayList<>();
            Set<String> said = ConcurrentHashMap.newKeySet();
            List<Throwable> failures = new CopyOnWriteArrayList<>();
            Thread load =
                    new Thread(() -> {
                        try {
                            while (!isOver.get()) {
                                Mqtt5PublishResult result =
                                        publisher
                                                .publishWith()
                                                .topic(sent.size() % 3 == 0 ? "own/x" : "data/x")
                                                .payload(
                                                        String.valueOf(sent.size()).getBytes(UTF_8))
                                                .qos(MqttQos.AT_LEAST_ONCE)
                                                .send();
                                said.add(reasonString(result));
                                sent.add(sent.size());
                                // An interceptor has it remove another filter.
                                subscriber.unsubscribeWith().topicFilter("#").send();
                            }
                        } catch (RuntimeException failure) {
                            failures.add(failure);
                        }
                    });
            load.start();
            for (int version = 2; version <= 4; version++) {
                Thread.sleep(100);
                write(version, port);
                Thread connecting =
                        new Thread(() -> {
                            try {
                                Thread.sleep(150);
                                for (int i = 0; i < 10; i++) {
                                    connected(broker, "c" + i).disconnect();
                                }
                            } catch (InterruptedException | RuntimeException failure) {
                                failures.add(failure);
                            }
                        });
                connecting.start();
                HttpResponse<String> answer = replace(broker);
                assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
                connecting.join();
            }
            Thread.sleep(100);
            isOver.set(true);
            load.join();
            assertThat(failures).isEmpty();
            assertThat(said).containsExactly("seen");
            int before = 1;
            for (int number = 0; number < sent.size(); number++) {
                String each = got.poll(20, TimeUnit.SECONDS);
                assertThat(each).isNotNull().endsWith(" " + number);
                assertThat(each).startsWith("to ");
                boolean isOwn = number % 3 == 0;
                int version = isOwn ? before : Integer.parseInt(each.split(" ", -1)[1]);
                assertThat(version).isBetween(before, before + 1);
                before = version;
            }
            assertThat(before).isEqualTo(4);
            publisher.disconnect();
            subscriber.disconnect();
        }
    }
}
