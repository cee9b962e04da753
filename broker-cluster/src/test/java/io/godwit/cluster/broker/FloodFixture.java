package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.publish.LeaderAway;
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

/**
 * Two nodes, and clients that publish at one as fast as they are read to subscribers of the other.
 */
abstract class FloodFixture {
    static final int PAYLOAD = 4 << 10;

    /** Messages that a publisher sends before it waits for acknowledgements. */
    static final int WINDOW = 8;

    final LoopNodes nodes;
    private int shard;

    /**
     * @param memory at which the alarm rises
     * @param queueBytes that may wait for one subscriber
     */
    FloodFixture(long memory, long queueBytes) {
        nodes =
                new LoopNodes(
                        2,
                        new SplittableRandom(1),
                        LeaderAway.WAIT,
                        Rules.ALL,
                        new LimitSettings(
                                1_000,
                                0,
                                10_000,
                                64,
                                10_000,
                                10_000,
                                queueBytes,
                                1_000,
                                1 << 20,
                                1 << 20),
                        new OverloadSettings(
                                200, 1 << 20, 1 << 18, 50_000, memory, 1 << 16, 1_000));
    }

    /** A client that publishes to a topic at one QoS, and takes what comes. */
    final class Client {
        final TestClient connection;
        final String topic;
        final int qos;
        final List<String> seen = new ArrayList<>();
        private int taken;
        private int published;
        int acknowledged;

        Client(LoopNodes.One at, String id, String topic, int qos) {
            this.topic = topic;
            this.qos = qos;
            connection = at.node().open(shard++ % 2, ProtocolVersion.MQTT_5);
            connection.connect(at.id(id), true, 0, 2);
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

    final long dropped() {
        long sum = 0;
        for (LoopNodes.One each : nodes.nodes) {
            for (int i = 0; i < 2; i++) {
                sum += each.node().broker().shard(i).counters().total(Metric.DROPPED_QUEUE_FULL);
            }
        }
        return sum;
    }

    static List<String> all(String topic, int count) {
        return IntStream.rangeClosed(1, count).mapToObj(n -> topic + " " + n).toList();
    }

    final LoopNodes.One ingress() {
        return nodes.node(1);
    }

    final LoopNodes.One leader() {
        return nodes.node(2);
    }
}
