package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.node.ScriptedReviewer.AskedPublish;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.store.MemoryStore;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Clients that lose their sockets and send again, and a reviewer that answers late, out of order,
 * drops, refuses and fails: nothing that is acknowledged is lost, and the order of each client's
 * messages is kept.
 */
class ReviewedPublishSeedsTest {
    private static final int SEEDS = 1_000;
    private static final int MESSAGES = 25;

    @Test
    void nothing_acknowledged_is_lost_and_order_is_kept() {
        for (int seed = 0; seed < SEEDS; seed++) {
            assertThat(new Run(seed, false).mistakes()).as("seed " + seed).isEmpty();
        }
    }

    @Test
    void failed_review_that_acknowledges_is_noticed() {
        int noticed = 0;
        for (int seed = 0; seed < 100; seed++) {
            noticed += new Run(seed, true).mistakes().isEmpty() ? 0 : 1;
        }
        assertThat(noticed).isGreaterThan(50);
    }

    /** A message of a client, as that knows it. */
    private static final class Sent {
        final String payload;
        final int qos;
        final int packetId;
        boolean isReleased;
        boolean isAcknowledged;
        boolean isOver;

        Sent(String payload, int qos, int packetId) {
            this.payload = payload;
            this.qos = qos;
            this.packetId = packetId;
        }
    }

    private static final class Publisher {
        final String name;
        final ProtocolVersion version;
        final List<Sent> sent = new ArrayList<>();
        @Nullable TestClient socket;
        int read;
        boolean isConnected;

        Publisher(String name, ProtocolVersion version) {
            this.name = name;
            this.version = version;
        }
    }

    private static final class Run {
        private final SplittableRandom random;
        private final boolean failedAcknowledges;
        private final TestNode node = new TestNode(2, new MemoryStore());
        private final ScriptedReviewer reviewer = new ScriptedReviewer();
        private final List<Publisher> publishers = new ArrayList<>();
        private final Set<String> stopped = new HashSet<>();
        private final TestClient reader;

        Run(int seed, boolean failedAcknowledges) {
            this.random = new SplittableRandom(seed);
            this.failedAcknowledges = failedAcknowledges;
            reader = node.subscriber(0, "r", 0, "#");
            node.context.reviews().reviewer(reviewer);
            publishers.add(new Publisher("a", ProtocolVersion.MQTT_5));
            publishers.add(new Publisher("b", ProtocolVersion.MQTT_3_1_1));
            for (int step = 0; step < 400; step++) {
                step(step < 200);
            }
            finish();
        }

        private void step(boolean isTroubled) {
            Publisher publisher = publishers.get(random.nextInt(publishers.size()));
            TestClient socket = publisher.socket;
            int what = random.nextInt(100);
            if (what < 40) {
                answer(isTroubled);
            } else if (socket == null || socket.isClosed()) {
                open(publisher);
            } else if (isTroubled && what < 44) {
                socket.cut();
                publisher.socket = null;
                publisher.isConnected = false;
            } else if (publisher.isConnected && publisher.sent.size() < MESSAGES) {
                publish(publisher, socket);
            }
            if (random.nextInt(3) > 0) {
                node.settle();
            }
            publishers.forEach(this::read);
        }

        private void open(Publisher publisher) {
            publisher.isConnected = false;
            publisher.read = 0;
            TestClient socket = node.open(random.nextInt(2), publisher.version);
            publisher.socket = socket;
            socket.connect(publisher.name, false, 1_000, 0);
        }

        private void publish(Publisher publisher, TestClient socket) {
            int number = publisher.sent.size() + 1;
            int qos = random.nextInt(3);
            Sent message = new Sent(publisher.name + number, qos, qos == 0 ? 0 : number);
            message.isOver = qos == 0;
            publisher.sent.add(message);
            String topic = random.nextInt(5) == 0 ? "unseen" : "t";
            socket.publish(topic, qos, message.packetId, message.payload);
        }

        private void answer(boolean isTroubled) {
            if (reviewer.publishes.isEmpty()) {
                return;
            }
            AskedPublish asked =
                    reviewer.publishes.remove(random.nextInt(reviewer.publishes.size()));
            int what = isTroubled ? random.nextInt(20) : 19;
            if (what == 0) {
                stopped.add(asked.payload());
                asked.drop();
            } else if (what == 1) {
                stopped.add(asked.payload());
                asked.refuse(ReasonCode.NOT_AUTHORIZED);
            } else if (what < 5 && failedAcknowledges) {
                asked.drop();
            } else if (what < 5) {
                asked.fail();
            } else {
                asked.go();
            }
        }

        private void read(Publisher publisher) {
            TestClient socket = publisher.socket;
            if (socket == null) {
                return;
            }
            List<Packet> packets = socket.packets();
            while (publisher.read < packets.size()) {
                Packet packet = packets.get(publisher.read++);
                if (packet instanceof Packet.ConnAck) {
                    publisher.isConnected = true;
                    sendAgain(publisher, socket);
                } else if (packet instanceof Packet.Ack ack) {
                    onAck(publisher.sent.get(ack.packetId() - 1), ack, socket);
                }
            }
        }

        private static void sendAgain(Publisher publisher, TestClient socket) {
            for (Sent each : publisher.sent) {
                if (each.isReleased && !each.isOver) {
                    socket.ack(PacketType.PUBREL, each.packetId);
                } else if (!each.isOver) {
                    socket.publishAgain("t", each.qos, each.packetId, each.payload);
                }
            }
        }

        private static void onAck(Sent message, Packet.Ack ack, TestClient socket) {
            boolean isRefused = ack.reason().isError();
            switch (ack.type()) {
                case PUBACK -> {
                    message.isOver = true;
                    message.isAcknowledged = !isRefused;
                }
                case PUBREC -> {
                    if (isRefused) {
                        message.isOver = true;
                    } else {
                        message.isAcknowledged = true;
                        message.isReleased = true;
                        if (!socket.isClosed()) {
                            socket.ack(PacketType.PUBREL, message.packetId);
                        }
                    }
                }
                default -> message.isOver = true;
            }
        }

        private void finish() {
            for (int round = 0; round < 2_000 && !isOver(); round++) {
                for (Publisher each : publishers) {
                    if (each.socket == null || each.socket.isClosed()) {
                        open(each);
                    }
                }
                answer(false);
                node.settle();
                publishers.forEach(this::read);
            }
        }

        private boolean isOver() {
            return reviewer.publishes.isEmpty()
                    && publishers.stream()
                            .allMatch(each -> each.sent.stream().allMatch(sent -> sent.isOver));
        }

        List<String> mistakes() {
            List<String> mistakes = new ArrayList<>();
            Map<String, Integer> counts = new HashMap<>();
            Map<String, List<Integer>> firsts = new HashMap<>();
            for (String payload : reader.payloads()) {
                // What was stopped, untold, may be let go when it comes again.
                if (counts.merge(payload, 1, Integer::sum) == 1 && !stopped.contains(payload)) {
                    firsts.computeIfAbsent(payload.substring(0, 1), name -> new ArrayList<>())
                            .add(Integer.parseInt(payload.substring(1)));
                }
            }
            for (Publisher publisher : publishers) {
                for (Sent each : publisher.sent) {
                    int count = counts.getOrDefault(each.payload, 0);
                    if (!each.isOver) {
                        mistakes.add(each.payload + " is not acknowledged");
                    }
                    if (each.isAcknowledged && count == 0 && !stopped.contains(each.payload)) {
                        mistakes.add(each.payload + " is acknowledged, and lost");
                    }
                    if (each.qos != 1 && count > 1) {
                        mistakes.add(each.payload + " came " + count + " times");
                    }
                }
            }
            firsts.forEach((name, numbers) -> {
                List<Integer> sorted = new ArrayList<>(numbers);
                Collections.sort(sorted);
                if (!sorted.equals(numbers)) {
                    mistakes.add("order of " + name + ": " + numbers);
                }
            });
            if (node.parkedBytes() != 0) {
                mistakes.add(node.parkedBytes() + " bytes are still accounted");
            }
            return mistakes;
        }
    }
}
