package io.godwit.server.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.lifecycle.MqttClientConnectedContext;
import com.hivemq.client.mqtt.lifecycle.MqttClientDisconnectedContext;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.lifecycle.Mqtt5ClientConnectedContext;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAck;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * Pairs of publishers and durable subscribers, each pair on a topic of its own: half at QoS 1, half
 * at QoS 2, one message after the other. Each connects to a random node, comes back at another one
 * when its connection ends, and has to find its session there.
 */
final class FailoverLoad implements AutoCloseable {
    private static final Duration SOON = Duration.ofSeconds(60);

    private static final int RETRY_MS = 100;
    private static final int PAIRS_MAX = 60;

    private final ClusterProcesses cluster;
    private final int[] nodes;
    private final AtomicInteger lostSessions = new AtomicInteger();
    private final List<Pair> pairs = new ArrayList<>();
    private final AtomicBoolean publishes = new AtomicBoolean(true);
    private final AtomicBoolean ends = new AtomicBoolean();

    /**
     * @param count of pairs
     * @param nodes to which clients connect: to those that run
     */
    FailoverLoad(ClusterProcesses cluster, int count, int... nodes) {
        this.cluster = cluster;
        this.nodes = nodes;
        for (int i = 0; i < count; i++) {
            pairs.add(new Pair(i));
        }
    }

    private final class Pair {
        final int number;
        final MqttQos qos;
        final String topic;
        final List<String> heard = new ArrayList<>();
        final AtomicLong acknowledged = new AtomicLong();

        /** When it heard something last, and how long it had heard nothing at most. */
        long heardMs;

        long longestMs;
        final Mqtt5BlockingClient subscriber;
        final Mqtt5BlockingClient publisher;
        final Thread thread;

        Pair(int number) {
            this.number = number;
            qos = number % 2 == 0 ? MqttQos.AT_LEAST_ONCE : MqttQos.EXACTLY_ONCE;
            topic = "pair/" + number;
            subscriber = client("subscriber-" + number);
            publisher = client("publisher-" + number);
            thread = new Thread(this::publish, topic);
        }

        private Mqtt5BlockingClient client(String id) {
            AtomicBoolean hasSession = new AtomicBoolean();
            return MqttClient.builder()
                    .useMqttVersion5()
                    .identifier(id)
                    .serverHost("127.0.0.1")
                    .serverPort(port())
                    .addConnectedListener(context -> noteSession(context, hasSession))
                    .addDisconnectedListener(this::comeBack)
                    .buildBlocking();
        }

        private void noteSession(MqttClientConnectedContext context, AtomicBoolean hasSession) {
            Mqtt5ConnAck answer = ((Mqtt5ClientConnectedContext) context).getConnAck();
            if (hasSession.getAndSet(true) && !answer.isSessionPresent()) {
                lostSessions.incrementAndGet();
            }
        }

        private void comeBack(MqttClientDisconnectedContext context) {
            if (!ends.get()) {
                context.getReconnector()
                        .reconnect(true)
                        .delay(RETRY_MS, TimeUnit.MILLISECONDS)
                        .transportConfig()
                        .serverHost("127.0.0.1")
                        .serverPort(port())
                        .applyTransportConfig();
            }
        }

        void connect() {
            ClusterClients.connect(subscriber);
            subscriber
                    .toAsync()
                    .subscribeWith()
                    .topicFilter(topic)
                    .qos(MqttQos.EXACTLY_ONCE)
                    .callback(this::heard)
                    .send()
                    .join();
            ClusterClients.connect(publisher);
        }

        private void heard(Mqtt5Publish publish) {
            synchronized (heard) {
                long now = nowMs();
                longestMs = heard.isEmpty() ? 0 : Math.max(longestMs, now - heardMs);
                heardMs = now;
                heard.add(new String(publish.getPayloadAsBytes(), UTF_8));
            }
        }

        private void publish() {
            for (int i = 0; publishes.get(); i++) {
                var sent =
                        publisher
                                .toAsync()
                                .publishWith()
                                .topic(topic)
                                .qos(qos)
                                .payload(("m" + i).getBytes(UTF_8))
                                .send();
                while (!sent.isDone()) {
                    pause();
                    if (ends.get()) {
                        return;
                    }
                }
                if (!sent.isCompletedExceptionally() && sent.join().getError().isEmpty()) {
                    acknowledged.incrementAndGet();
                }
                pause();
            }
        }

        private static void pause() {
            try {
                Thread.sleep(2);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        int count() {
            synchronized (heard) {
                return (int) heard.stream().distinct().count();
            }
        }

        boolean hasAll() {
            return count() >= acknowledged.get();
        }

        /** Names what has not come. */
        private List<String> missing(List<String> first) {
            Set<String> missing = new LinkedHashSet<>();
            for (int i = 0; i < acknowledged.get(); i++) {
                missing.add("m" + i);
            }
            first.forEach(missing::remove);
            return List.copyOf(missing);
        }

        void check() {
            List<String> all;
            synchronized (heard) {
                all = List.copyOf(heard);
            }
            List<String> first = all.stream().distinct().toList();
            assertThat(missing(first))
                    .as("%s has %s of %s %s", topic, first.size(), acknowledged, cluster.story())
                    .isEmpty();
            List<String> due = new ArrayList<>();
            for (int i = 0; i < first.size(); i++) {
                due.add("m" + i);
            }
            assertThat(first).as("%s in order %s", topic, cluster.story()).isEqualTo(due);
            assertThat(first.size())
                    .as("%s acknowledged %s", topic, cluster.story())
                    .isGreaterThanOrEqualTo((int) acknowledged.get());
            if (qos == MqttQos.EXACTLY_ONCE) {
                assertThat(all).as("%s once %s", topic, cluster.story()).isEqualTo(first);
            }
        }
    }

    /** Returns where a random node listens that runs. */
    private int port() {
        int[] running =
                IntStream.of(nodes)
                        .filter(each -> cluster.node(each).process().isAlive())
                        .filter(each -> cluster.node(each).isReady())
                        .toArray();
        int[] from = running.length == 0 ? nodes : running;
        int node = from[ThreadLocalRandom.current().nextInt(from.length)];
        return cluster.node(node).port("mqtt");
    }

    private static long nowMs() {
        return System.nanoTime() / 1_000_000;
    }

    void begin() {
        pairs.forEach(Pair::connect);
        pairs.forEach(each -> each.thread.start());
    }

    /**
     * Adds pairs until there are the right ones: which node leads a client id's slot is another one
     * in each run.
     */
    void addPairsUntil(BooleanSupplier areRight) {
        while (!areRight.getAsBoolean()) {
            assertThat(pairs).as(cluster.story()).hasSizeLessThan(PAIRS_MAX);
            Pair added = new Pair(pairs.size());
            pairs.add(added);
            added.connect();
            added.thread.start();
        }
    }

    void runFor(Duration time) throws InterruptedException {
        Thread.sleep(time.toMillis());
    }

    /** Waits until each subscriber has heard something that was published from now on. */
    void awaitAllServed(Duration limit) {
        long[] before = pairs.stream().mapToLong(Pair::count).toArray();
        long beganMs = nowMs();
        cluster.await(
                "every pair goes on",
                limit,
                () -> pairs.stream().allMatch(each -> each.count() > before[each.number] + 20));
        System.out.println("all pairs went on after " + (nowMs() - beganMs) + " ms");
    }

    /** Returns how long some subscriber has heard nothing since the last call, at most. */
    long longestOutageMs() {
        long longest = 0;
        for (Pair each : pairs) {
            synchronized (each.heard) {
                longest = Math.max(longest, each.longestMs);
                each.longestMs = 0;
            }
        }
        return longest;
    }

    /** Ends publishing, waits for everything, and checks what came. */
    void finish() throws InterruptedException {
        publishes.set(false);
        for (Pair each : pairs) {
            each.thread.join(SOON.toMillis());
            assertThat(each.thread.isAlive())
                    .as("%s waits for an acknowledgement %s", each.topic, cluster.story())
                    .isFalse();
        }
        long end = nowMs() + SOON.toMillis();
        while (nowMs() < end && !pairs.stream().allMatch(Pair::hasAll)) {
            Thread.sleep(100);
        }
        Thread.sleep(500); // What comes twice would come now.
        pairs.forEach(Pair::check);
        assertThat(lostSessions).as("sessions that were lost %s", cluster.story()).hasValue(0);
        long messages = pairs.stream().mapToLong(each -> each.acknowledged.get()).sum();
        System.out.println(messages + " messages acknowledged, all of them came");
    }

    @Override
    public void close() {
        publishes.set(false);
        ends.set(true);
        pairs.forEach(each -> {
            each.subscriber.toAsync().disconnect();
            each.publisher.toAsync().disconnect();
        });
    }
}
