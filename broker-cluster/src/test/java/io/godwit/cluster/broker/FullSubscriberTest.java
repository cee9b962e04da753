package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.publish.HomeAway;
import io.godwit.core.metrics.Metric;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.Rules;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Slow subscribers of another node slow their publishers down as those of the same node do, and
 * nobody else.
 */
class FullSubscriberTest {
    private static final long MEMORY = 4 << 20;
    private static final int PAYLOAD = 4 << 10;

    /** Messages that a publisher sends before it waits for acknowledgements. */
    private static final int WINDOW = 8;

    /** Their queues together are more than what makes memory short, and less than the alarm. */
    private static final int PAIRS = 7;

    private static final LimitSettings LIMITS =
            new LimitSettings(
                    1_000, 0, 10_000, 64, 10_000, 10_000, MEMORY / 8, 1_000, 1 << 20, 1 << 20);

    private final LoopNodes nodes =
            new LoopNodes(
                    2,
                    new SplittableRandom(1),
                    HomeAway.WAIT,
                    Rules.ALL,
                    LIMITS,
                    new OverloadSettings(200, 1 << 20, 1 << 18, 50_000, MEMORY, 1 << 16, 1_000));

    private int shard;

    /** A client that publishes to a topic at one QoS, and takes what comes. */
    private final class Client {
        final TestClient connection;
        final String topic;
        final int qos;
        final List<String> seen = new ArrayList<>();
        private int taken;
        private int published;
        private int acknowledged;

        Client(LoopNodes.One at, String id, String topic, int qos) {
            this.topic = topic;
            this.qos = qos;
            connection = at.node().open(shard++ % 2, ProtocolVersion.MQTT_5);
            connection.connect(id, true, 0, 2);
            nodes.settle();
        }

        Client subscribes(String filter) {
            connection.subscribe(1, qos, filter);
            nodes.settle();
            return this;
        }

        /** Publishes as many as may be unacknowledged, if it is read. */
        void publish(int most) {
            while (connection.isRead() && published - acknowledged < WINDOW && published < most) {
                String text = topic + " " + ++published;
                connection.publish(topic, qos, 1 + published % 1_000, text + " ".repeat(PAYLOAD));
            }
        }

        /**
         * Reads what has come.
         *
         * @param most messages that it acknowledges
         */
        void read(int most) {
            int left = most;
            List<Packet> packets = List.copyOf(connection.packets());
            for (; taken < packets.size(); taken++) {
                switch (packets.get(taken)) {
                    case Packet.Publish publish -> {
                        if (left-- == 0) {
                            return;
                        }
                        seen.add(new String(publish.payload(), StandardCharsets.UTF_8).trim());
                        connection.ack(
                                qos == 1 ? PacketType.PUBACK : PacketType.PUBREC,
                                publish.packetId());
                    }
                    case Packet.Ack ack -> onAck(ack);
                    default -> {}
                }
            }
        }

        private void onAck(Packet.Ack ack) {
            assertThat(ack.reason().isError()).as("%s", ack).isFalse();
            switch (ack.type()) {
                case PUBREC -> connection.ack(PacketType.PUBREL, ack.packetId());
                case PUBREL -> connection.ack(PacketType.PUBCOMP, ack.packetId());
                default -> acknowledged++;
            }
        }
    }

    private long dropped() {
        long sum = 0;
        for (LoopNodes.One each : nodes.nodes) {
            for (int i = 0; i < 2; i++) {
                sum += each.node().broker().shard(i).counters().total(Metric.DROPPED_QUEUE_FULL);
            }
        }
        return sum;
    }

    private static List<String> all(String topic, int count) {
        return IntStream.rangeClosed(1, count).mapToObj(n -> topic + " " + n).toList();
    }

    private LoopNodes.One ingress() {
        return nodes.node(1);
    }

    private LoopNodes.One home() {
        return nodes.node(2);
    }

    /** Publishers at one node, whose subscribers at the other acknowledge nothing yet. */
    private List<Client> publishers(int qos) {
        return IntStream.range(0, PAIRS)
                .mapToObj(i -> new Client(ingress(), "publisher" + i, "t/" + i, qos))
                .toList();
    }

    private List<Client> subscribers(int qos) {
        return IntStream.range(0, PAIRS)
                .mapToObj(i -> new Client(home(), "slow" + i, "", qos).subscribes("t/" + i))
                .toList();
    }

    private void flood(List<Client> clients, int rounds, int most) {
        for (int round = 0; round < rounds; round++) {
            for (Client each : clients) {
                each.publish(most);
            }
            nodes.settle();
            clients.forEach(each -> each.read(0));
            nodes.pass(100);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void publishers_of_another_node_wait_and_nothing_is_discarded(int qos) {
        List<Client> subscribers = subscribers(qos);
        List<Client> publishers = publishers(qos);
        Client patient = new Client(home(), "patient", "", 1).subscribes("u");
        Client other = new Client(ingress(), "other", "u", 1);
        flood(publishers, 40, 400);
        assertThat(publishers).noneMatch(each -> each.connection.isRead());
        assertThat(dropped()).isZero();

        other.publish(5);
        for (int i = 0; i < 5; i++) {
            nodes.settle();
            patient.read(2);
        }
        assertThat(patient.seen).as("of who publishes to others").isEqualTo(all("u", 5));

        for (int i = 0; i < 1_000 && subscribers.stream().anyMatch(s -> s.seen.size() < 400); i++) {
            publishers.forEach(each -> each.publish(400));
            nodes.settle();
            publishers.forEach(each -> each.read(0));
            subscribers.forEach(each -> each.read(2));
            nodes.settle();
            nodes.pass(100);
        }
        for (int i = 0; i < PAIRS; i++) {
            assertThat(subscribers.get(i).seen).isEqualTo(all("t/" + i, 400));
            assertThat(publishers.get(i).acknowledged).isEqualTo(400);
        }
        assertThat(dropped()).isZero();
    }

    @Test
    void a_subscriber_that_never_reads_is_disconnected_and_its_publisher_goes_on() {
        List<Client> subscribers = subscribers(1);
        List<Client> publishers = publishers(1);
        flood(publishers, 40, 400);
        assertThat(publishers).noneMatch(each -> each.connection.isRead());
        nodes.pass(20_000);
        assertThat(subscribers).anyMatch(each -> each.connection.isClosed());
        flood(publishers, 200, 400);
        nodes.pass(20_000);
        flood(publishers, 200, 400);
        assertThat(publishers).allMatch(each -> each.acknowledged == 400);
    }

    /** Each waits for the other's node, and what it has to acknowledge still gets through. */
    @Test
    void clients_that_publish_and_subscribe_at_two_full_nodes_finish() {
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < 2 * PAIRS; i++) {
            LoopNodes.One at = i % 2 == 0 ? ingress() : home();
            clients.add(new Client(at, "both" + i, "t/" + i, 1).subscribes("t/" + (i ^ 1)));
        }
        flood(clients, 40, 400);
        assertThat(dropped()).isZero();
        for (int i = 0; i < 1_000 && clients.stream().anyMatch(s -> s.seen.size() < 400); i++) {
            clients.forEach(each -> each.publish(400));
            nodes.settle();
            clients.forEach(each -> each.read(2));
            nodes.settle();
            nodes.pass(100);
        }
        for (int i = 0; i < 2 * PAIRS; i++) {
            assertThat(clients.get(i).seen).isEqualTo(all("t/" + (i ^ 1), 400));
        }
        assertThat(dropped()).isZero();
    }

    @Test
    void nobody_waits_for_a_subscriber_of_whom_nothing_is_heard() {
        subscribers(1);
        List<Client> publishers = publishers(1);
        flood(publishers, 40, 400);
        assertThat(publishers).noneMatch(each -> each.connection.isRead());
        nodes.cut(ingress(), home());
        nodes.settle();
        nodes.pass(100);
        assertThat(publishers).allMatch(each -> each.connection.isRead());
        nodes.link(ingress(), home());
        flood(publishers, 2, 400);
        assertThat(publishers).noneMatch(each -> each.connection.isRead());
        assertThat(dropped()).isZero();
    }
}
