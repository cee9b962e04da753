package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.node.ScriptedDeliveries.Asked;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.store.MemoryStore;
import java.nio.charset.StandardCharsets;
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
 * Clients that lose their sockets, and a reviewer of what goes to them that answers late, out of
 * order, twice or never, drops, fails and throws: nothing is lost that it has not dropped, QoS 2
 * comes once, and the order of each QoS is kept.
 */
class ReviewedDeliverySeedsTest {
    private static final int SEEDS = 1_000;
    private static final int MESSAGES = 40;
    private static final int FAILURES_MAX = 5;

    @Test
    void nothing_is_lost_and_order_is_kept() {
        for (int seed = 0; seed < SEEDS; seed++) {
            assertThat(new Run(seed, false).mistakes()).as("seed " + seed).isEmpty();
        }
    }

    @Test
    void failure_that_ends_a_message_is_noticed() {
        int noticed = 0;
        for (int seed = 0; seed < 100; seed++) {
            noticed += new Run(seed, true).mistakes().isEmpty() ? 0 : 1;
        }
        assertThat(noticed).isGreaterThan(90);
    }

    private record Message(String payload, boolean isOfGroup, int qos) {}

    /** A client that receives, as it knows what has come. */
    private static final class Reader {
        final String name;
        final String filter;
        final ProtocolVersion version;
        final List<String> received = new ArrayList<>();

        /** Packet ids of QoS 2 for which PUBREL has not come. */
        final Set<Integer> unreleased = new HashSet<>();

        final List<Packet> unanswered = new ArrayList<>();

        /** How often the reviewer has failed about a message on this connection. */
        final Map<String, Integer> failures = new HashMap<>();

        @Nullable TestClient socket;
        int read;
        boolean isSubscribed;

        Reader(String name, String filter, ProtocolVersion version) {
            this.name = name;
            this.filter = filter;
            this.version = version;
        }
    }

    private static final class Run {
        private final SplittableRandom random;
        private final boolean failureEnds;
        private final TestNode node = new TestNode(2, new MemoryStore());
        private final ScriptedDeliveries reviewer = new ScriptedDeliveries();
        private final Map<String, Reader> readers = new HashMap<>();
        private final List<Reader> inOrder = new ArrayList<>();
        private final List<Message> sent = new ArrayList<>();

        /** Questions of connections that have ended, and some that are not answered for long. */
        private final List<Asked> left = new ArrayList<>();

        /** What the reviewer has dropped, or failed about too often, by {@link #key}. */
        private final Set<String> dropped = new HashSet<>();

        private final TestClient publisher;

        Run(int seed, boolean failureEnds) {
            this.random = new SplittableRandom(seed);
            this.failureEnds = failureEnds;
            publisher = node.client(0, "p");
            add(new Reader("a", "t/#", ProtocolVersion.MQTT_5));
            add(new Reader("b", "#", ProtocolVersion.MQTT_3_1_1));
            add(new Reader("g1", "$share/g/s/#", ProtocolVersion.MQTT_5));
            add(new Reader("g2", "$share/g/s/#", ProtocolVersion.MQTT_5));
            for (Reader each : inOrder) {
                open(each);
                node.settle();
                read(each);
                node.settle();
            }
            node.context.reviews().deliveries(reviewer);
            for (int step = 0; step < 300; step++) {
                step();
            }
            finish();
        }

        private void add(Reader reader) {
            readers.put(reader.name, reader);
            inOrder.add(reader);
        }

        private void step() {
            Reader reader = inOrder.get(random.nextInt(inOrder.size()));
            TestClient socket = reader.socket;
            int what = random.nextInt(100);
            if (what < 50) {
                answer();
            } else if (what < 70 && sent.size() < MESSAGES) {
                publish();
            } else if (what < 74) {
                node.tick(random.nextInt(3_000));
            } else if (what < 77) {
                reviewer.throwing = thrown -> countFailure(thrown);
            } else if (socket == null || socket.isClosed()) {
                open(reader);
            } else if (what < 82) {
                cut(reader, socket);
            }
            if (random.nextInt(3) > 0) {
                node.settle();
            }
            inOrder.forEach(this::read);
        }

        private void open(Reader reader) {
            forget(reader);
            TestClient socket = node.open(random.nextInt(2), reader.version);
            reader.socket = socket;
            socket.connect(reader.name, false, 100_000, 1 + random.nextInt(20));
        }

        private void cut(Reader reader, TestClient socket) {
            socket.cut();
            forget(reader);
        }

        /** Forgets what belongs to a connection; questions of it may still be answered. */
        private void forget(Reader reader) {
            reader.socket = null;
            reader.read = 0;
            reader.unanswered.clear();
            reader.failures.clear();
            for (Asked each : List.copyOf(reviewer.asked)) {
                if (each.receiverId().equals(reader.name)) {
                    reviewer.asked.remove(each);
                    left.add(each);
                }
            }
        }

        private void publish() {
            int number = sent.size() + 1;
            boolean isOfGroup = random.nextInt(3) == 0;
            int qos = random.nextInt(3);
            Message message = new Message(String.valueOf(number), isOfGroup, qos);
            sent.add(message);
            String topic = (isOfGroup ? "s/" : "t/") + (random.nextInt(5) == 0 ? "unseen" : "seen");
            publisher.publish(topic, qos, qos == 0 ? 0 : number, message.payload());
        }

        private void answer() {
            if (!left.isEmpty() && random.nextInt(4) == 0) {
                left.remove(random.nextInt(left.size())).go(); // Nobody waits for it any more.
                return;
            }
            if (reviewer.asked.isEmpty()) {
                return;
            }
            Asked asked = reviewer.asked.remove(random.nextInt(reviewer.asked.size()));
            int what = random.nextInt(20);
            if (what == 0) {
                dropped.add(key(asked));
                asked.drop();
            } else if (what < 4 && failureEnds) {
                asked.drop();
            } else if (what < 4) {
                countFailure(asked);
                asked.fail();
            } else if (what == 4) {
                left.add(asked); // As if it was never answered: until the client comes anew.
            } else if (what == 5) {
                asked.change(asked.payload());
            } else {
                asked.go();
            }
            if (what != 4 && random.nextInt(5) == 0) {
                asked.drop(); // A second answer.
            }
        }

        private void countFailure(Asked asked) {
            Reader reader = reader(asked.receiverId());
            if (reader.failures.merge(asked.payload(), 1, Integer::sum) >= FAILURES_MAX) {
                dropped.add(key(asked));
            }
        }

        private Reader reader(String name) {
            Reader found = readers.get(name);
            assertThat(found).isNotNull();
            return found;
        }

        /** Of a group's message it counts who drops it first, whichever member that is. */
        private static String key(Asked asked) {
            return key(asked.receiverId(), asked.payload());
        }

        private static String key(String reader, String payload) {
            return (reader.startsWith("g") ? "g" : reader) + " " + payload;
        }

        // ------------------------------------------------------------ the clients

        private void read(Reader reader) {
            TestClient socket = reader.socket;
            if (socket == null) {
                return;
            }
            List<Packet> packets = socket.packets();
            while (reader.read < packets.size()) {
                Packet packet = packets.get(reader.read++);
                if (packet instanceof Packet.ConnAck) {
                    if (!reader.isSubscribed) {
                        reader.isSubscribed = true;
                        socket.subscribe(1, 2, reader.filter);
                    }
                } else if (packet instanceof Packet.Publish publish) {
                    onPublish(reader, publish);
                } else if (packet instanceof Packet.Ack) {
                    reader.unanswered.add(packet);
                }
            }
            while (!socket.isClosed() && !reader.unanswered.isEmpty() && random.nextInt(4) > 0) {
                answer(reader, socket, reader.unanswered.removeFirst());
            }
        }

        private static void onPublish(Reader reader, Packet.Publish publish) {
            if (publish.qos() < 2 || reader.unreleased.add(publish.packetId())) {
                String payload = new String(publish.payload(), StandardCharsets.UTF_8);
                reader.received.add(payload);
            }
            if (publish.qos() > 0) {
                reader.unanswered.add(publish);
            }
        }

        private static void answer(Reader reader, TestClient socket, Packet packet) {
            if (packet instanceof Packet.Publish publish) {
                socket.ack(
                        publish.qos() == 1 ? PacketType.PUBACK : PacketType.PUBREC,
                        publish.packetId());
            } else if (packet instanceof Packet.Ack ack && ack.type() == PacketType.PUBREL) {
                reader.unreleased.remove(ack.packetId());
                socket.ack(PacketType.PUBCOMP, ack.packetId());
            }
        }

        // ------------------------------------------------------------ the end

        private void finish() {
            reviewer.throwing = null;
            for (int round = 0; round < 3_000 && !isOver(); round++) {
                for (Reader each : inOrder) {
                    if (each.socket == null || each.socket.isClosed()) {
                        open(each);
                    }
                }
                left.forEach(Asked::go);
                left.clear();
                reviewer.goAll();
                node.tick(200);
                inOrder.forEach(this::read);
                node.settle();
            }
        }

        private boolean isOver() {
            return reviewer.asked.isEmpty()
                    && left.isEmpty()
                    && node.queuedMessages() == 0
                    && node.inFlightBytes() == 0
                    && inOrder.stream().allMatch(each -> each.unanswered.isEmpty());
        }

        List<String> mistakes() {
            List<String> mistakes = new ArrayList<>();
            if (!isOver()) {
                mistakes.add("something is still under way");
            }
            if (node.queuedBytes() != 0) {
                mistakes.add(node.queuedBytes() + " bytes are still accounted");
            }
            for (String name : List.of("a", "b")) {
                List<String> received = reader(name).received;
                judge(name, received, mistakes);
                for (int qos = 0; qos <= 2; qos++) {
                    judgeOrder(name, qos, received, mistakes);
                }
            }
            List<String> ofGroup = new ArrayList<>(reader("g1").received);
            ofGroup.addAll(reader("g2").received);
            judge("g", ofGroup, mistakes);
            return mistakes;
        }

        private void judge(String name, List<String> received, List<String> mistakes) {
            for (Message each : sent) {
                boolean isFor = name.equals("b") || each.isOfGroup() == name.equals("g");
                int count = Collections.frequency(received, each.payload());
                boolean isLost =
                        isFor
                                && count == 0
                                && each.qos() > 0
                                && !dropped.contains(key(name, each.payload()));
                if (isLost) {
                    mistakes.add(each + " is lost for " + name);
                }
                if (count > 1 && each.qos() != 1) {
                    mistakes.add(each + " has come " + count + " times to " + name);
                }
            }
        }

        private void judgeOrder(
                String name, int qos, List<String> received, List<String> mistakes) {
            Set<String> seen = new HashSet<>();
            int last = 0;
            for (String payload : received) {
                int number = Integer.parseInt(payload);
                if (sent.get(number - 1).qos() != qos
                        || dropped.contains(key(name, payload))
                        || !seen.add(payload)) {
                    continue;
                }
                if (number < last) {
                    mistakes.add("QoS %d to %s: %d behind %d".formatted(qos, name, number, last));
                }
                last = number;
            }
        }
    }
}
