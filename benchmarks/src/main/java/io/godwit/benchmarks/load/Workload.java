package io.godwit.benchmarks.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * The connections of one scenario to one broker: publishers, their subscribers, and bystanders who
 * subscribe meanwhile.
 */
public final class Workload implements Closeable {
    private static final int BYSTANDERS = 10;
    private static final long QUIET_QOS_0_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long QUIET_QOS_1_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Scenario scenario;
    private final LoadLoop loop;
    private final List<Publisher> publishers;
    private final List<Subscriber> subscribers = new ArrayList<>();
    private final List<Bystander> bystanders;

    private Workload(Scenario scenario, Placement placement, String prefix) throws IOException {
        this.scenario = scenario;
        loop = new LoadLoop(placement.publishers().get(0), placement.transport());
        for (int p = 0; p < scenario.publishers(); p++) {
            List<String> filters = topics(scenario, p);
            for (int s = 0; s < scenario.subscribersEach(); s++) {
                subscribers.add(
                        new Subscriber(
                                loop,
                                prefix + subscriberId(p, s),
                                filters,
                                scenario.qos(),
                                scenario.sessions()));
            }
        }
        publishers =
                IntStream.range(0, scenario.publishers())
                        .mapToObj(p ->
                                new Publisher(
                                        loop,
                                        prefix + publisherId(p),
                                        shape(scenario, p),
                                        scenario.sessions().durablePublishers()))
                        .toList();
        bystanders =
                IntStream.range(0, scenario.subscribesPerSecond() > 0 ? BYSTANDERS : 0)
                        .mapToObj(b -> new Bystander(loop, prefix + "other-" + b))
                        .toList();
        int each = scenario.subscribersEach();
        loop.connect(subscribers, s -> placement.subscriber(s / each, s % each));
        loop.connect(publishers, placement::publisher);
        loop.connect(bystanders);
    }

    /** Connects all clients and subscribes; fails when the broker refuses one. */
    static Workload open(Scenario scenario, InetSocketAddress broker) throws IOException {
        return open(scenario, Placement.at(broker));
    }

    /** The same, at several nodes. */
    public static Workload open(Scenario scenario, Placement placement) throws IOException {
        return open(scenario, placement, "");
    }

    /**
     * Connects all clients, at several nodes.
     *
     * @param prefix of the client ids
     */
    public static Workload open(Scenario scenario, Placement placement, String prefix)
            throws IOException {
        return new Workload(scenario, placement, prefix);
    }

    /** Returns the client id of a publisher, without a prefix. */
    public static String publisherId(int publisher) {
        return "pub-" + publisher;
    }

    /** Returns the client id of a subscriber of a publisher, without a prefix. */
    public static String subscriberId(int publisher, int subscriber) {
        return "sub-" + publisher + "-" + subscriber;
    }

    /** Sends this many messages as fast as the broker reads them. */
    public PartResult flood(long messages) {
        return run(messages, false);
    }

    /** Sends at an even rate, all publishers together, whatever the broker does. */
    public PartResult paced(double messagesPerSecond, double seconds) {
        long each = Math.max(1, Math.round(messagesPerSecond * seconds / publishers.size()));
        double interval = publishers.size() * 1e9 / messagesPerSecond;
        long origin = System.nanoTime() + Pace.TICK_NANOS;
        for (int p = 0; p < publishers.size(); p++) {
            long start = origin + (long) (interval * p / publishers.size());
            publishers.get(p).startPace(new Pace(origin, start, interval, each));
        }
        try {
            return run(each * publishers.size(), true);
        } finally {
            publishers.forEach(Publisher::stopPace);
        }
    }

    @Override
    public void close() throws IOException {
        loop.close();
    }

    private PartResult run(long messages, boolean paced) {
        long goal = sent() + messages;
        long expected = messages * scenario.subscribersEach();
        long deliveredGoal = loop.delivered() + expected;
        Subscribing others = new Subscribing(System.nanoTime());
        boolean delayed = scenario.sessions().ackDelayMs() > 0;
        LoadLoop.Turn eachTurn =
                now -> {
                    others.run(now);
                    if (paced) for (Publisher p : publishers) p.pump();
                    if (delayed) for (Subscriber s : subscribers) s.acknowledgeDue(now);
                };
        if (!paced) eachTurn = startsPublishers(eachTurn);
        return loop.run(
                paced ? 0 : messages,
                expected,
                paced || delayed,
                scenario.qos() == 0 ? QUIET_QOS_0_NANOS : QUIET_QOS_1_NANOS,
                eachTurn,
                () -> loop.delivered() >= deliveredGoal && sent() == goal && settled());
    }

    private LoadLoop.Turn startsPublishers(LoadLoop.Turn then) {
        boolean[] started = {false};
        return now -> {
            if (!started[0]) for (Publisher p : publishers) p.pump();
            started[0] = true;
            then.run(now);
        };
    }

    private long sent() {
        return publishers.stream().mapToLong(Publisher::sent).sum();
    }

    private boolean settled() {
        return publishers.stream().allMatch(Publisher::idle)
                && subscribers.stream().allMatch(Subscriber::idle)
                && bystanders.stream().allMatch(Bystander::answered);
    }

    private static List<String> topics(Scenario scenario, int publisher) {
        if (scenario.topicsEach() == 1) return List.of("bench/p%03d".formatted(publisher));
        return IntStream.range(0, scenario.topicsEach())
                .mapToObj(t -> "bench/p%03d/t%03d".formatted(publisher, t))
                .toList();
    }

    private static Publisher.Shape shape(Scenario scenario, int publisher) {
        return new Publisher.Shape(
                topics(scenario, publisher).stream().map(t -> t.getBytes(UTF_8)).toList(),
                scenario.qos(),
                scenario.window(),
                scenario.payloadBytes(),
                scenario.writeBytes());
    }

    /** The subscribes of the bystanders, one after the other at an even rate. */
    private final class Subscribing implements LoadLoop.Turn {
        private final long startNanos;
        private long asked;

        Subscribing(long startNanos) {
            this.startNanos = startNanos;
        }

        @Override
        public void run(long nowNanos) throws IOException {
            double due = (nowNanos - startNanos) * 1e-9 * scenario.subscribesPerSecond();
            for (; asked < (long) due; asked++) {
                bystanders.get((int) (asked % bystanders.size())).subscribe();
            }
        }
    }
}
