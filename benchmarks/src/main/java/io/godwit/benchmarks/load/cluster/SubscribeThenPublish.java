package io.godwit.benchmarks.load.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.godwit.benchmarks.load.Options;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * Question: is a filter known at every node when its SUBACK comes? Command: {@code
 * benchmarks/scenarios/run cluster-subscribe}: 10 000 times a client subscribes at one of three
 * nodes to a topic that nobody had, and as soon as its SUBACK has come another client, whose
 * connection is there already, publishes at another node. All six pairs of nodes take turns, and so
 * do QoS 0 and 1, and the subscriber's sessions: transient, durable and led by the node that it is
 * connected to, durable and led by another one. What has not come after five seconds is missing.
 */
final class SubscribeThenPublish implements ClusterScenario {
    private static final int NODES = 3;
    private static final int MISSING_AFTER_MS = 5_000;
    private static final int MISSING_LIMIT = 100;
    private static final int PROGRESS_EVERY = 1_000;

    /** At each node. */
    private final List<Client> publishers = new ArrayList<>();

    /** For each kind of session one at each node. */
    private final List<Client> subscribers = new ArrayList<>();

    /** The session of a subscriber. */
    private enum Kind {
        TRANSIENT,
        DURABLE_HERE,
        DURABLE_ELSEWHERE
    }

    private final Histogram subAckMicros = new Histogram(3);
    private final Histogram arrivalMicros = new Histogram(3);
    private int missing;

    @Override
    public String name() {
        return "cluster-subscribe";
    }

    @Override
    public Map<String, String> defaults() {
        return Map.of("times", "10000");
    }

    @Override
    public void run(Options options, Path folder) throws IOException {
        int times = options.number("times");
        int tried = 0;
        try (Nodes cluster = Nodes.start(options, folder, NODES)) {
            connect(cluster);
            for (; tried < times && missing < MISSING_LIMIT; tried++) {
                once(tried);
                if ((tried + 1) % PROGRESS_EVERY == 0) {
                    System.err.printf(
                            Locale.ROOT, "%s: %d, %d missing%n", name(), tried + 1, missing);
                }
            }
            publishers.forEach(Client::close);
            subscribers.forEach(Client::close);
        }
        Outcome.head();
        Outcome.row(name(), "missing of " + tried, "" + missing, "0", missing == 0);
        Outcome.row(name(), "SUBSCRIBE to SUBACK, ms, p50 / p99 / most", millis(subAckMicros));
        Outcome.row(name(), "PUBLISH to arrival, ms, p50 / p99 / most", millis(arrivalMicros));
    }

    private void connect(Nodes cluster) throws IOException {
        for (int node = 1; node <= NODES; node++) {
            publishers.add(
                    Client.connect(cluster.address(node), Client.Setup.clean("pub-" + node)));
        }
        Leaders leaders = Leaders.of(cluster);
        for (Kind kind : Kind.values()) {
            for (int node = 1; node <= NODES; node++) {
                subscribers.add(Client.connect(cluster.address(node), setup(kind, node, leaders)));
            }
        }
    }

    private static Client.Setup setup(Kind kind, int node, Leaders leaders) {
        String prefix = "sub-n" + node + "-";
        return switch (kind) {
            case TRANSIENT -> Client.Setup.clean(prefix + "transient");
            case DURABLE_HERE -> Client.Setup.durable(leaders.ledBy(node, prefix));
            case DURABLE_ELSEWHERE -> Client.Setup.durable(leaders.ledBy(node % NODES + 1, prefix));
        };
    }

    private void once(int number) throws IOException {
        int qos = number % 2;
        int at = number / 2 % NODES;
        int from = (at + 1 + number / 6 % 2) % NODES;
        Kind kind = Kind.values()[number / 12 % Kind.values().length];
        Client subscriber = subscribers.get(kind.ordinal() * NODES + at);
        String topic = "subscribe/" + number;
        int packetId = number % 0xFFFF + 1;
        long asked = System.nanoTime();
        subscriber.timeoutMs(60_000);
        subscriber.subscribe(packetId, topic, 1);
        while (subscriber.read(Packet.SUBACK).packetId() != packetId) {}
        long granted = System.nanoTime();
        Client publisher = publishers.get(from);
        publisher.publish(Message.numbered(topic.getBytes(UTF_8), qos, 0, number, 0), false);
        publisher.flush();
        if (arrives(subscriber, number)) {
            arrivalMicros.recordValue((System.nanoTime() - granted) / 1_000);
        } else {
            missing++;
            System.err.printf(
                    Locale.ROOT,
                    "%s: %d is missing: QoS %d, subscribed at n%d (%s), published at n%d%n",
                    name(),
                    number,
                    qos,
                    at + 1,
                    kind,
                    from + 1);
        }
        subAckMicros.recordValue((granted - asked) / 1_000);
        if (qos == 1) publisher.read(Packet.PUBACK);
        subscriber.unsubscribe(packetId, topic);
    }

    private static boolean arrives(Client subscriber, int number) throws IOException {
        subscriber.timeoutMs(MISSING_AFTER_MS);
        try {
            while (true) {
                Packet publish = subscriber.read(Packet.PUBLISH);
                if (publish.qos() == 1) {
                    subscriber.acknowledge(Packet.PUBACK, publish.packetId());
                    subscriber.flush();
                }
                if (Message.number(publish) == number) return true;
            }
        } catch (SocketTimeoutException e) {
            return false;
        }
    }

    private static String millis(Histogram micros) {
        return String.format(
                Locale.ROOT,
                "%.2f / %.2f / %.1f",
                micros.getValueAtPercentile(50) / 1e3,
                micros.getValueAtPercentile(99) / 1e3,
                micros.getMaxValue() / 1e3);
    }
}
