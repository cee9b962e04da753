package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.settings.Limits;
import io.godwit.core.settings.OverloadSettings;
import java.util.ArrayList;
import java.util.List;

/** A node on which little may wait for a subscriber, who feeds some, and what they take of it. */
class BehindFixture {
    /** Messages that may wait for one subscriber. */
    static final int MAY_WAIT = 64;

    /** Messages that a publisher sends before it waits for acknowledgements. */
    static final int WINDOW = 8;

    static final int PARKED = 2_000;
    static final int STUCK_MS = 2_000;

    final TestNode node =
            new TestNode(
                    2,
                    Limits.with(limits -> limits.queueMessages = MAY_WAIT),
                    new OverloadSettings(
                            200,
                            1 << 20,
                            1 << 18,
                            50_000,
                            512L << 20,
                            PARKED,
                            1_000,
                            256L << 20,
                            STUCK_MS));

    /** A client that publishes to some topics in turn while it is read, within its window. */
    final class Feeder {
        final TestClient client;
        final int qos;
        final String[] topics;
        final List<String> sent = new ArrayList<>();
        private int handled;
        int acknowledged;

        Feeder(TestClient client, int qos, String... topics) {
            this.client = client;
            this.qos = qos;
            this.topics = topics;
        }

        void publish(int most) {
            read();
            while (client.isRead() && sent.size() < most && sent.size() - acknowledged < WINDOW) {
                String text = "m" + sent.size();
                client.publish(
                        topics[sent.size() % topics.length], qos, 1 + sent.size() % 1_000, text);
                sent.add(text);
                node.settle();
                read();
            }
        }

        private void read() {
            List<Packet> packets = client.packets();
            for (; handled < packets.size(); handled++) {
                if (packets.get(handled) instanceof Packet.Ack ack) {
                    assertThat(ack.reason()).isEqualTo(ReasonCode.SUCCESS);
                    if (ack.type() == PacketType.PUBREC) {
                        client.ack(PacketType.PUBREL, ack.packetId());
                    } else {
                        acknowledged++;
                    }
                }
            }
        }
    }

    /** What a subscriber has taken so far. */
    final class Taker {
        final TestClient client;
        private int handled;
        int taken;

        Taker(int shard, String id, int qos, String... filters) {
            this(node.client(shard, id, 0, 1));
            client.subscribe(1, qos, filters);
            node.settle();
        }

        Taker(TestClient client) {
            this.client = client;
        }

        /** Acknowledges so many, as far as they have come. */
        void take(int messages) {
            int most = taken + messages;
            boolean goesOn = true;
            while (goesOn) {
                List<Packet> packets = client.packets();
                goesOn = handled < packets.size() && taken < most;
                for (; handled < packets.size() && taken < most; handled++) {
                    take(packets.get(handled));
                }
                node.settle();
            }
        }

        private void take(Packet packet) {
            if (packet instanceof Packet.Publish publish && publish.qos() > 0) {
                boolean is1 = publish.qos() == 1;
                client.ack(is1 ? PacketType.PUBACK : PacketType.PUBREC, publish.packetId());
                taken++;
            } else if (packet instanceof Packet.Ack ack && ack.type() == PacketType.PUBREL) {
                client.ack(PacketType.PUBCOMP, ack.packetId());
            }
        }
    }

    Feeder feeder(int shard, int qos, String... topics) {
        return new Feeder(node.client(shard, "feeder"), qos, topics);
    }

    long dropped() {
        return node.count(Metric.DROPPED_QUEUE_FULL);
    }

    void seconds(int count) {
        for (int i = 0; i < count * 10; i++) {
            node.tick(100);
        }
    }
}
