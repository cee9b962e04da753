package io.godwit.server.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Three brokers, each a process, and a client library: who subscribes at one hears what is
 * published at another. More often: {@code -Dgodwit.test.rounds=1000}.
 */
class PublishClusterIT {
    private static final int ROUNDS = Integer.getInteger("godwit.test.rounds", 200);
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final ClusterProcesses CLUSTER = new ClusterProcesses(3);

    private final List<Mqtt5BlockingClient> clients = new ArrayList<>();

    @BeforeAll
    static void start() {
        CLUSTER.startAll();
        CLUSTER.awaitLive(3, SOON, 1, 2, 3);
    }

    @AfterAll
    static void stop() {
        CLUSTER.close();
    }

    @AfterEach
    void disconnect() {
        for (Mqtt5BlockingClient each : clients) {
            if (each.getState().isConnected()) {
                each.disconnect();
            }
        }
    }

    private Mqtt5BlockingClient client(int node, String id) {
        Mqtt5BlockingClient client = ClusterClients.client(CLUSTER, node, id);
        client.connectWith().cleanStart(true).send();
        clients.add(client);
        return client;
    }

    private static void publish(Mqtt5BlockingClient by, String topic, MqttQos qos, String text) {
        by.publishWith().topic(topic).qos(qos).payload(text.getBytes(UTF_8)).send();
    }

    private static void subscribe(Mqtt5BlockingClient by, String filter, MqttQos qos) {
        by.subscribeWith().topicFilter(filter).qos(qos).send();
    }

    private static List<String> take(Mqtt5BlockingClient.Mqtt5Publishes from, int count)
            throws InterruptedException {
        List<String> texts = new ArrayList<>();
        while (texts.size() < count) {
            Optional<Mqtt5Publish> next = from.receive(SOON.toSeconds(), TimeUnit.SECONDS);
            assertThat(next).as("after %s %s", texts, CLUSTER.story()).isPresent();
            texts.add(new String(next.get().getPayloadAsBytes(), UTF_8));
        }
        return texts;
    }

    private static void assertSilent(Mqtt5BlockingClient.Mqtt5Publishes from)
            throws InterruptedException {
        assertThat(from.receive(300, TimeUnit.MILLISECONDS)).isEmpty();
    }

    @Test
    void every_qos_arrives_once_and_in_order_at_another_node() throws Exception {
        Mqtt5BlockingClient subscriber = client(1, "qos-subscriber");
        Mqtt5BlockingClient publisher = client(2, "qos-publisher");
        try (var heard = subscriber.publishes(MqttGlobalPublishFilter.ALL)) {
            for (MqttQos qos : MqttQos.values()) {
                String filter = "qos/" + qos.getCode() + "/+";
                subscribe(subscriber, filter, qos);
                List<String> said = IntStream.range(0, 50).mapToObj(i -> qos + " " + i).toList();
                said.forEach(text -> publish(publisher, filter.replace('+', 'x'), qos, text));
                assertThat(take(heard, 50)).isEqualTo(said);
            }
            assertSilent(heard);
        }
    }

    @Test
    void who_subscribes_at_one_node_hears_what_is_published_at_another_at_once() throws Exception {
        Mqtt5BlockingClient[] at = {
            client(1, "at-once-1"), client(2, "at-once-2"), client(3, "at-once-3")
        };
        for (int i = 0; i < ROUNDS; i++) {
            Mqtt5BlockingClient subscriber = at[i % 3];
            Mqtt5BlockingClient publisher = at[(i + 1 + i / 3 % 2) % 3];
            String topic = "at-once/" + i;
            try (var heard = subscriber.publishes(MqttGlobalPublishFilter.ALL)) {
                subscribe(subscriber, i % 2 == 0 ? topic : topic + "/#", MqttQos.AT_LEAST_ONCE);
                publish(publisher, topic, MqttQos.fromCode(i % 3), "round " + i);
                assertThat(take(heard, 1)).containsExactly("round " + i);
            }
            subscriber.unsubscribeWith().topicFilter(i % 2 == 0 ? topic : topic + "/#").send();
        }
    }

    @Test
    void what_is_retained_is_at_every_node_until_it_is_deleted() throws Exception {
        Mqtt5BlockingClient publisher = client(3, "retained-publisher");
        publisher
                .publishWith()
                .topic("kept/a")
                .qos(MqttQos.EXACTLY_ONCE)
                .payload("first".getBytes(UTF_8))
                .retain(true)
                .send();
        for (int node = 1; node <= 3; node++) {
            Mqtt5BlockingClient late = client(node, "retained-late-" + node);
            try (var heard = late.publishes(MqttGlobalPublishFilter.ALL)) {
                subscribe(late, "kept/#", MqttQos.AT_LEAST_ONCE);
                assertThat(take(heard, 1)).containsExactly("first");
            }
        }
        client(2, "retained-deletes")
                .publishWith()
                .topic("kept/a")
                .qos(MqttQos.AT_LEAST_ONCE)
                .retain(true)
                .send();
        for (int node = 1; node <= 3; node++) {
            Mqtt5BlockingClient later = client(node, "retained-later-" + node);
            try (var heard = later.publishes(MqttGlobalPublishFilter.ALL)) {
                subscribe(later, "kept/#", MqttQos.AT_LEAST_ONCE);
                assertSilent(heard);
            }
        }
    }

    @Test
    void a_shared_group_with_members_at_two_nodes_gets_each_message_once() throws Exception {
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        Mqtt5BlockingClient[] members = {client(1, "member-1"), client(2, "member-2")};
        int[] counts = new int[members.length];
        for (int i = 0; i < members.length; i++) {
            int at = i;
            members[i]
                    .toAsync()
                    .publishes(
                            MqttGlobalPublishFilter.ALL,
                            publish ->
                                    heard.add(at + new String(publish.getPayloadAsBytes(), UTF_8)));
            subscribe(members[i], "$share/workers/jobs/#", MqttQos.EXACTLY_ONCE);
        }
        Mqtt5BlockingClient publisher = client(3, "shared-publisher");
        List<String> said = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            said.add(" job " + i);
            publish(publisher, "jobs/" + i, MqttQos.fromCode(i % 3), said.getLast());
        }
        List<String> done = new ArrayList<>();
        while (done.size() < said.size()) {
            String next = heard.poll(SOON.toSeconds(), TimeUnit.SECONDS);
            assertThat(next).as("after %s %s", done, CLUSTER.story()).isNotNull();
            counts[next.charAt(0) - '0']++;
            done.add(next.substring(1));
        }
        assertThat(done).containsExactlyInAnyOrderElementsOf(said);
        assertThat(counts[0]).isPositive();
        assertThat(counts[1]).isPositive();

        members[0].disconnect();
        publish(publisher, "jobs/last", MqttQos.EXACTLY_ONCE, " last");
        assertThat(heard.poll(SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo("1 last");
        assertThat(heard).isEmpty();
    }

    @Test
    void a_third_node_that_stops_or_is_killed_keeps_nobody_else_from_anything() throws Exception {
        Mqtt5BlockingClient subscriber = client(1, "cut-subscriber");
        Mqtt5BlockingClient publisher = client(2, "cut-publisher");
        try (var heard = subscriber.publishes(MqttGlobalPublishFilter.ALL)) {
            subscribe(subscriber, "cut/+", MqttQos.EXACTLY_ONCE);
            CLUSTER.signal(3, "STOP");
            List<String> said = IntStream.range(0, 100).mapToObj(i -> "text " + i).toList();
            long began = System.nanoTime();
            try {
                said.forEach(text -> publish(publisher, "cut/x", MqttQos.EXACTLY_ONCE, text));
                assertThat(take(heard, 100)).isEqualTo(said);
            } finally {
                CLUSTER.signal(3, "CONT");
            }
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(SOON);
            CLUSTER.awaitLive(3, SOON, 1, 2, 3);

            CLUSTER.kill(3);
            said.forEach(text -> publish(publisher, "cut/x", MqttQos.AT_LEAST_ONCE, text));
            assertThat(take(heard, 100)).isEqualTo(said);

            // It is back, and knows at once what the others subscribe to.
            CLUSTER.start(3);
            publish(client(3, "cut-back"), "cut/x", MqttQos.AT_LEAST_ONCE, "back");
            assertThat(take(heard, 1)).containsExactly("back");
        }
    }
}
