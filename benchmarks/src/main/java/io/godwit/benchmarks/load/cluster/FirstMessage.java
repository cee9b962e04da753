package io.godwit.benchmarks.load.cluster;

import io.godwit.benchmarks.load.BrokerProcess;
import io.godwit.benchmarks.load.Filling;
import io.godwit.benchmarks.load.Options;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * Question: is a session at once usable where its client connects, whatever waits for it? Command:
 * {@code benchmarks/scenarios/run cluster-first-message}: 20 times the client of a durable session
 * with 1, 1 000 or 100 000 queued messages connects to another node than before, each time to one
 * that does not lead the session, takes the first message, and leaves. Nobody else uses the nodes.
 * Beside it the same at one node, in turn. Timed from the begin of the TCP connection.
 */
final class FirstMessage implements ClusterScenario {
    private static final int NODES = 3;
    private static final int LEADER = 1;
    private static final int[] LENGTHS = {1, 1_000, 100_000};
    private static final int WINDOW = 1_000;
    private static final double BOUND_MS = 10;

    private int warmup;
    private int times;
    private long pauseMs;
    private int payloadBytes;

    /** A session with a queue of a constant length. */
    private static final class Queue implements Closeable {
        final Histogram firstMicros = new Histogram(3);
        private final String clientId;
        private final List<InetSocketAddress> entrances;
        private final Feed feed;
        private long taken;
        private int visits;

        /**
         * @param entrances where the client connects, in turn
         */
        Queue(
                String clientId,
                InetSocketAddress publisher,
                List<InetSocketAddress> entrances,
                int payloadBytes)
                throws IOException {
            this.clientId = clientId;
            this.entrances = entrances;
            String topic = "first/" + clientId;
            Client.Setup setup = Client.Setup.durable(clientId);
            try (Client subscriber = Client.connect(entrances.getLast(), setup)) {
                subscriber.subscribe(1, topic, 1);
                subscriber.read(Packet.SUBACK);
            }
            Feed.Stream stream = new Feed.Stream(0, topic, 1, payloadBytes);
            feed = new Feed(publisher, "feed-" + clientId, stream, WINDOW);
        }

        void fill(int length) throws IOException {
            feed.publish((int) (length - (feed.published() - taken)));
            feed.awaitAcknowledged();
        }

        /** Takes one message; returns the microseconds from the begin of the connection. */
        long visit() throws IOException {
            InetSocketAddress entrance = entrances.get(visits++ % entrances.size());
            long began = System.nanoTime();
            try (Client client = Client.connect(entrance, Client.Setup.durable(clientId))) {
                if (!client.sessionPresent()) throw new IOException(clientId + ": a new session");
                Packet first = client.read(Packet.PUBLISH);
                long micros = (System.nanoTime() - began) / 1_000;
                long number = Message.number(first);
                if (number > taken) {
                    throw new IOException(
                            "%s: message %d comes first and not %d"
                                    .formatted(clientId, number, taken));
                }
                client.acknowledge(Packet.PUBACK, first.packetId());
                client.flush();
                taken = Math.max(taken, number + 1);
                return micros;
            }
        }

        @Override
        public void close() {
            feed.close();
        }
    }

    @Override
    public String name() {
        return "cluster-first-message";
    }

    @Override
    public Map<String, String> defaults() {
        return Map.of("times", "20", "warmup", "10", "pause-ms", "200");
    }

    @Override
    public void run(Options options, Path folder) throws IOException {
        warmup = options.number("warmup");
        times = options.number("times");
        pauseMs = options.number("pause-ms");
        payloadBytes = options.number("payload");
        try (BrokerProcess one = Nodes.launchOne(options, folder, "one", List.of());
                Nodes cluster = Nodes.start(options, folder, NODES)) {
            one.awaitAnswer();
            Leaders leaders = Leaders.of(cluster);
            List<BrokerProcess> brokers = new ArrayList<>(cluster.all());
            brokers.add(one);
            Outcome.head();
            for (int length : LENGTHS) measure(length, one, cluster, leaders, brokers);
        }
    }

    private void measure(
            int length,
            BrokerProcess one,
            Nodes cluster,
            Leaders leaders,
            List<BrokerProcess> brokers)
            throws IOException {
        String id = leaders.ledBy(LEADER, "first-" + length + "-");
        List<InetSocketAddress> others =
                List.of(cluster.address(LEADER + 1), cluster.address(LEADER + 2));
        try (Queue alone = new Queue(id, one.address(), List.of(one.address()), payloadBytes);
                Queue remote = new Queue(id, cluster.address(LEADER), others, payloadBytes)) {
            alone.fill(length);
            remote.fill(length);
            for (BrokerProcess each : brokers) Filling.settle(each);
            for (int i = -warmup; i < times; i++) {
                for (Queue queue : List.of(alone, remote)) {
                    queue.fill(length);
                    Filling.pause(pauseMs);
                    long micros = queue.visit();
                    if (i >= 0) queue.firstMicros.recordValue(micros);
                }
            }
            print(length, alone.firstMicros, remote.firstMicros);
        }
    }

    private void print(int length, Histogram alone, Histogram remote) {
        double median = remote.getValueAtPercentile(50) / 1e3;
        Outcome.row(
                name(),
                "ms from CONNECT to the first message of %d, p50 / most of %d; one node"
                        .formatted(length, times),
                millis(remote) + "; " + millis(alone),
                "p50 <= " + (int) BOUND_MS,
                median <= BOUND_MS);
    }

    private static String millis(Histogram micros) {
        return String.format(
                Locale.ROOT,
                "%.2f / %.1f",
                micros.getValueAtPercentile(50) / 1e3,
                micros.getMaxValue() / 1e3);
    }
}
