package io.godwit.server.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAck;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Durable sessions whose clients are away while messages for them are acknowledged: half of these
 * at QoS 1, half at QoS 2. Twenty sessions at a time get the same messages.
 */
final class OfflineSessions {
    private static final Duration SOON = Duration.ofSeconds(120);
    private static final int AT_ONCE = 100;
    private static final int SAME = 20;
    private static final int EXPIRY_SECONDS = 3_600;

    private final ClusterProcesses cluster;
    private final int count;
    private final int messages;

    /**
     * @param messages of each session
     */
    OfflineSessions(ClusterProcesses cluster, int count, int messages) {
        this.cluster = cluster;
        this.count = count;
        this.messages = messages;
    }

    private final class Session {
        final int number;
        final Mqtt5AsyncClient client;
        final List<String> heard = new ArrayList<>();

        Session(int number, int... nodes) {
            this.number = number;
            int node = nodes[ThreadLocalRandom.current().nextInt(nodes.length)];
            client = ClusterClients.builder(cluster, node, "offline-" + number).buildAsync();
            client.publishes(
                    MqttGlobalPublishFilter.ALL,
                    publish -> {
                        synchronized (heard) {
                            heard.add(new String(publish.getPayloadAsBytes(), UTF_8));
                        }
                    });
        }

        CompletableFuture<Mqtt5ConnAck> connect() {
            return client.connectWith()
                    .cleanStart(false)
                    .sessionExpiryInterval(EXPIRY_SECONDS)
                    .send();
        }

        CompletableFuture<?> begin() {
            return connect()
                    .thenCompose(answer ->
                            client.subscribeWith()
                                    .topicFilter("offline/" + number / SAME)
                                    .qos(MqttQos.EXACTLY_ONCE)
                                    .send())
                    .thenCompose(answer -> client.disconnect());
        }

        List<String> heard(int qos) {
            synchronized (heard) {
                return heard.stream().filter(each -> isAtQos(each, qos)).toList();
            }
        }

        boolean isComplete() {
            return heard(1).size() + heard(2).size() >= messages;
        }
    }

    private static boolean isAtQos(String text, int qos) {
        return Integer.parseInt(text.substring(1)) % 2 == qos - 1;
    }

    private List<String> due(int qos) {
        return IntStream.range(0, messages)
                .mapToObj(i -> "m" + i)
                .filter(each -> isAtQos(each, qos))
                .toList();
    }

    /** Makes the sessions and publishes their messages, by clients at random nodes. */
    void fill(int... nodes) {
        for (int first = 0; first < count; first += AT_ONCE) {
            join(some(first, nodes).stream().map(Session::begin).toList());
        }
        Mqtt5AsyncClient device = ClusterClients.builder(cluster, nodes[0], "device").buildAsync();
        device.connect().join();
        for (int i = 0; i < messages; i++) {
            byte[] payload = ("m" + i).getBytes(UTF_8);
            MqttQos qos = i % 2 == 0 ? MqttQos.AT_LEAST_ONCE : MqttQos.EXACTLY_ONCE;
            List<CompletableFuture<?>> sent = new ArrayList<>();
            for (int topic = 0; topic < count; topic += SAME) {
                sent.add(
                        device.publishWith()
                                .topic("offline/" + topic / SAME)
                                .qos(qos)
                                .payload(payload)
                                .send());
            }
            join(sent);
        }
        device.disconnect().join();
    }

    private List<Session> some(int first, int... nodes) {
        return IntStream.range(first, Math.min(count, first + AT_ONCE))
                .mapToObj(i -> new Session(i, nodes))
                .toList();
    }

    private static void join(List<? extends CompletableFuture<?>> all) {
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
                .orTimeout(SOON.toSeconds(), TimeUnit.SECONDS)
                .join();
    }

    /** Connects each session at a random node, and checks that it has everything, once. */
    void check(int... nodes) {
        for (int first = 0; first < count; first += AT_ONCE) {
            List<Session> some = some(first, nodes);
            List<CompletableFuture<Mqtt5ConnAck>> answers =
                    some.stream().map(Session::connect).toList();
            join(answers);
            for (CompletableFuture<Mqtt5ConnAck> each : answers) {
                assertThat(each.join().isSessionPresent()).isTrue();
            }
            cluster.await(
                    "sessions from " + first + " have everything",
                    SOON,
                    () -> some.stream().allMatch(Session::isComplete));
            for (Session each : some) {
                // The library gives messages of QoS 2 on when PUBREL has come.
                assertThat(each.heard(1)).as("%d at QoS 1", each.number).isEqualTo(due(1));
                assertThat(each.heard(2)).as("%d at QoS 2", each.number).isEqualTo(due(2));
            }
            join(some.stream().map(each -> each.client.disconnect()).toList());
        }
    }
}
