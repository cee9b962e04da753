package io.godwit.server.client;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sends one QoS 1 message a second from each node to a durable subscriber at each node, and counts
 * what is acknowledged and what is lost. A client whose node is away goes to the next one. Each
 * pair of nodes has a connection of its own: PUBACKs keep the order of their messages, and one for
 * a node that is away would hold back the others.
 */
public final class CheckingLoad implements AutoCloseable {
    private static final String TOPIC = "check/";
    private static final long PERIOD_MS = 1_000;

    /** Where a node's clients connect. */
    public record Node(String name, String host, int port) {}

    /**
     * Messages, of all pairs of nodes.
     *
     * @param acknowledged since the start
     * @param lost of those acknowledged: not delivered to a subscriber that is connected
     * @param onTheirWay of those acknowledged: not delivered yet
     * @param unacknowledged sent, and waiting for PUBACK
     */
    public record Counts(long acknowledged, long lost, long onTheirWay, long unacknowledged) {
        static final Counts NONE = new Counts(0, 0, 0, 0);

        Counts plus(Counts other) {
            return new Counts(
                    acknowledged + other.acknowledged,
                    lost + other.lost,
                    onTheirWay + other.onTheirWay,
                    unacknowledged + other.unacknowledged);
        }
    }

    private final List<CheckedStream> streams = new ArrayList<>();
    private final List<LastingClient> clients = new ArrayList<>();
    private final List<Publisher> publishers = new ArrayList<>();
    private final CountDownLatch subscribed;
    private volatile boolean isClosed;

    /** Prepares the clients; {@link #start} connects them. */
    public CheckingLoad(List<Node> nodes) {
        subscribed = new CountDownLatch(nodes.size());
        for (Node to : nodes) {
            Map<String, CheckedStream> incoming = new LinkedHashMap<>();
            for (Node from : nodes) {
                String topic = TOPIC + to.name() + "/from-" + from.name();
                CheckedStream stream = new CheckedStream();
                incoming.put(topic, stream);
                Publisher publisher = new Publisher(Topic.of(topic), stream);
                publishers.add(publisher);
                String id = "check-publisher-" + from.name() + "-to-" + to.name();
                clients.add(new LastingClient(addresses(nodes, from), id, publisher));
            }
            streams.addAll(incoming.values());
            Subscriber subscriber =
                    new Subscriber(TopicFilter.of(TOPIC + to.name() + "/#"), incoming);
            clients.add(
                    new LastingClient(
                            addresses(nodes, to), "check-subscriber-" + to.name(), subscriber));
        }
    }

    /** Returns the addresses of all nodes, that of one of them first. */
    private static List<BrokerChoice.Address> addresses(List<Node> nodes, Node first) {
        List<Node> all = new ArrayList<>(nodes);
        Collections.rotate(all, -nodes.indexOf(first));
        return all.stream()
                .map(each -> new BrokerChoice.Address(each.host(), each.port(), null))
                .toList();
    }

    /** Connects all clients; messages follow when every subscriber has its SUBACK. */
    public void start() {
        clients.forEach(LastingClient::start);
        Thread.ofPlatform().daemon().name("check-timer").start(this::publish);
    }

    private void publish() {
        try {
            subscribed.await();
            while (!isClosed) {
                publishers.forEach(Publisher::publishNext);
                long nowNanos = System.nanoTime();
                streams.forEach(each -> each.judge(nowNanos));
                TimeUnit.MILLISECONDS.sleep(PERIOD_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Adds up the counts of all pairs of nodes. */
    public Counts counts() {
        return streams.stream().map(CheckedStream::counts).reduce(Counts.NONE, Counts::plus);
    }

    /**
     * Returns how long a message has waited for its acknowledgement at most since the last call.
     */
    public Duration takeLongestWait() {
        long nowNanos = System.nanoTime();
        return Duration.ofNanos(
                streams.stream().mapToLong(each -> each.takeLongestWait(nowNanos)).max().orElse(0));
    }

    @Override
    public void close() {
        isClosed = true;
        clients.forEach(LastingClient::close);
    }

    /** Publishes the numbers of one stream. */
    private static final class Publisher implements LastingClient.Handler {
        private final Topic topic;
        private final CheckedStream stream;

        /** Null while the client is not connected; this object's monitor guards it. */
        private @Nullable MqttConnection connection;

        private Publisher(Topic topic, CheckedStream stream) {
            this.topic = topic;
            this.stream = stream;
        }

        private synchronized void publishNext() {
            MqttConnection open = connection;
            if (open == null) return;
            long number = stream.take(System.nanoTime());
            if (number == 0) return;
            try {
                send(open, number, false);
            } catch (IOException e) {
                connection = null; // the client connects again, and sends it then
            }
        }

        @Override
        public synchronized void onConnected(MqttConnection opened) throws IOException {
            // [MQTT-4.4.0-1]: with their packet identifiers, in their order.
            for (long number : stream.unacknowledged()) send(opened, number, true);
            connection = opened;
        }

        private void send(MqttConnection open, long number, boolean isDup) throws IOException {
            byte[] payload = Long.toString(number).getBytes(StandardCharsets.US_ASCII);
            int packetId = CheckedStream.packetId(number);
            open.send(
                    new Packet.Publish(topic, 1, isDup, false, packetId, Properties.NONE, payload));
        }

        @Override
        public void onPacket(MqttConnection open, Packet packet) {
            if (packet instanceof Packet.Ack ack && ack.type() == PacketType.PUBACK) {
                if (ack.reason().isError()) {
                    stream.onRefused(ack.packetId());
                } else {
                    stream.onAcknowledged(ack.packetId(), System.nanoTime());
                }
            }
        }

        @Override
        public synchronized void onDisconnected() {
            connection = null;
        }
    }

    /** Receives the streams that lead to one node. */
    private final class Subscriber implements LastingClient.Handler {
        private final TopicFilter filter;
        private final Map<String, CheckedStream> incoming;
        private boolean isSubscribed;

        private Subscriber(TopicFilter filter, Map<String, CheckedStream> incoming) {
            this.filter = filter;
            this.incoming = incoming;
        }

        @Override
        public void onConnected(MqttConnection open) throws IOException {
            long nowNanos = System.nanoTime();
            incoming.values().forEach(each -> each.onSubscriberConnected(nowNanos));
            if (isSubscribed) return; // the session must know it
            Packet.Subscription wanted = new Packet.Subscription(filter, 1, false, false, 0);
            open.send(new Packet.Subscribe(1, List.of(wanted), Properties.NONE));
        }

        @Override
        public void onPacket(MqttConnection open, Packet packet) throws IOException {
            if (packet instanceof Packet.SubAck && !isSubscribed) {
                isSubscribed = true;
                subscribed.countDown();
            }
            if (packet instanceof Packet.Publish message && message.topic() != null) {
                CheckedStream stream = incoming.get(message.topic().toString());
                String number = new String(message.payload(), StandardCharsets.US_ASCII);
                if (stream != null && number.matches("[0-9]{1,18}")) {
                    stream.onDelivered(Long.parseLong(number));
                }
                if (message.qos() > 0) acknowledge(open, message.packetId());
            }
        }

        private void acknowledge(MqttConnection open, int packetId) throws IOException {
            open.send(
                    new Packet.Ack(
                            PacketType.PUBACK, packetId, ReasonCode.SUCCESS, Properties.NONE));
        }

        @Override
        public void onDisconnected() {
            incoming.values().forEach(CheckedStream::onSubscriberGone);
        }
    }
}
