package io.godwit.benchmarks.load.cluster;

import io.godwit.benchmarks.load.BrokerProcess;
import io.godwit.benchmarks.load.Contestant;
import io.godwit.benchmarks.load.Options;
import io.godwit.benchmarks.load.Placement;
import io.godwit.benchmarks.load.Profile;
import io.godwit.benchmarks.load.Scenario;
import io.godwit.benchmarks.load.Site;
import io.godwit.benchmarks.load.Spread;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Question: how much more CPU time do all nodes together spend on a message than one node does that
 * has publisher and subscriber? Command: {@code benchmarks/scenarios/run cluster-qos1} and the
 * others; control: one node without a cluster, in turn with the nodes, with the same load.
 *
 * <p>{@code cluster-qos1} and its siblings have transient sessions, the publishers at one node and
 * the subscribers at the other, or at all three; with {@code --ways 2} half of the pairs publish at
 * the other node. In {@code cluster-random-...} each client is connected to a random one of three
 * nodes, so the sessions of two of three durable clients are at another node than their connection.
 * {@code --seed} draws other nodes.
 *
 * @param nodes over which the clients are spread
 * @param isRandom whether each client is connected to a random node
 * @param bound times the CPU time of one node, at most; infinite: only measured
 */
record CpuRatio(String name, Scenario load, int nodes, boolean isRandom, double bound)
        implements ClusterScenario {
    private static final int PAIRS = 100;
    private static final int SUBSCRIBERS = 3_000;
    private static final double MEASURED = Double.POSITIVE_INFINITY;

    static final List<CpuRatio> ALL =
            List.of(
                    across("cluster-qos1", 1, 2.2),
                    across("cluster-qos0", 0, 2.5),
                    fanout("cluster-fanout-qos0", 0, Scenario.Sessions.TRANSIENT, false, 1.1),
                    fanout("cluster-fanout-qos1", 1, Scenario.Sessions.TRANSIENT, false, 1.1),
                    random("cluster-random-qos0", 0, Scenario.Sessions.TRANSIENT, MEASURED),
                    random("cluster-random-qos1", 1, Scenario.Sessions.TRANSIENT, MEASURED),
                    random("cluster-random-durable-qos0", 0, Scenario.Sessions.DURABLE, MEASURED),
                    random("cluster-random-durable-qos1", 1, Scenario.Sessions.DURABLE, 2.6),
                    randomFanout("cluster-random-fanout-qos0", 0, Scenario.Sessions.TRANSIENT),
                    randomFanout("cluster-random-fanout-qos1", 1, Scenario.Sessions.TRANSIENT),
                    randomFanout(
                            "cluster-random-durable-fanout-qos0", 0, Scenario.Sessions.DURABLE),
                    randomFanout(
                            "cluster-random-durable-fanout-qos1", 1, Scenario.Sessions.DURABLE));

    private static CpuRatio across(String name, int qos, double bound) {
        return new CpuRatio(name, pairs(name, qos, Scenario.Sessions.TRANSIENT), 2, false, bound);
    }

    private static CpuRatio random(String name, int qos, Scenario.Sessions sessions, double bound) {
        return new CpuRatio(name, pairs(name, qos, sessions), 3, true, bound);
    }

    private static CpuRatio randomFanout(String name, int qos, Scenario.Sessions sessions) {
        return fanout(name, qos, sessions, true, MEASURED);
    }

    private static CpuRatio fanout(
            String name, int qos, Scenario.Sessions sessions, boolean isRandom, double bound) {
        Scenario load = load(name, 1, SUBSCRIBERS, qos, Scenario.FLOOD_WINDOW, sessions);
        return new CpuRatio(name, load, 3, isRandom, bound);
    }

    /** At QoS 1 with 100 in flight each. */
    static Scenario pairs(String name, int qos, Scenario.Sessions sessions) {
        return load(name, PAIRS, 1, qos, qos == 0 ? Scenario.FLOOD_WINDOW : 100, sessions);
    }

    private static Scenario load(
            String name,
            int publishers,
            int subscribersEach,
            int qos,
            int window,
            Scenario.Sessions sessions) {
        return new Scenario(
                name,
                publishers,
                subscribersEach,
                1,
                qos,
                window,
                Scenario.PAYLOAD_BYTES,
                Scenario.WRITE_BYTES,
                0,
                0,
                sessions,
                1);
    }

    @Override
    public Map<String, String> defaults() {
        boolean isFanout = load.publishers() == 1;
        String clients = isFanout ? "subscribers" : "pairs";
        String count = Integer.toString(isFanout ? load.subscribersEach() : load.publishers());
        if (isRandom) {
            return Map.of(
                    clients, count, "seed", "1", "rounds", "5", "warmup", "8", "seconds", "3");
        }
        return isFanout ? Map.of(clients, count) : Map.of(clients, count, "ways", "1");
    }

    private Scenario load(Options options) {
        return load.publishers() == 1
                ? load.withSubscribers(options.number("subscribers"))
                : load.withPublishers(options.number("pairs"));
    }

    @Override
    public void run(Options options, Path folder) throws IOException {
        Scenario scenario = load(options);
        try (BrokerProcess alone = Nodes.launchOne(options, folder, "one", List.of());
                Nodes cluster = Nodes.start(options, folder, nodes)) {
            alone.awaitAnswer();
            Placement placement = placement(scenario, cluster, options);
            Contestant one = new Contestant(scenario, Site.of(alone), options);
            Contestant all =
                    new Contestant(
                            scenario, new Site("cluster", cluster.all(), placement), options);
            Alternation alternation = new Alternation(name, load.qos(), one, all);
            alternation.run(options);
            if (!options.text("profile").isEmpty()) {
                List<BrokerProcess> profiled = new ArrayList<>(cluster.all());
                profiled.add(alone);
                try (Profile profile = Profile.start(profiled, options.text("profile"))) {
                    one.round("profile", 0);
                    all.round("profile", 0);
                    profile.print();
                }
            }
            print(alternation);
        }
    }

    private Placement placement(Scenario scenario, Nodes cluster, Options options) {
        List<InetSocketAddress> at = cluster.all().stream().map(BrokerProcess::address).toList();
        if (isRandom) {
            Random random = new Random(options.number("seed"));
            int publishers = scenario.publishers();
            return new Placement(
                    drawn(at, publishers, random),
                    drawn(at, publishers * scenario.subscribersEach(), random));
        }
        if (load.publishers() == 1) return new Placement(at.subList(0, 1), at);
        return options.number("ways") == 2
                ? new Placement(at, at.reversed())
                : new Placement(at.subList(0, 1), at.subList(1, 2));
    }

    static List<InetSocketAddress> drawn(List<InetSocketAddress> from, int count, Random random) {
        return Stream.generate(() -> from.get(random.nextInt(from.size()))).limit(count).toList();
    }

    private void print(Alternation alternation) {
        Outcome.head();
        boolean isBound = bound < MEASURED;
        if (alternation.counted().isEmpty()) {
            String text = isBound ? "<= " + bound : "";
            Outcome.row(name, "no round counted: " + alternation.rounds(), "", text, false);
            return;
        }
        Spread ratio = Spread.of(alternation.counted(), Alternation.Pair::cpuRatio);
        String figure = "CPU of %d nodes : of one, %s".formatted(nodes, alternation.rounds());
        String measured = ratio.text("%.2f");
        if (isBound) {
            Outcome.row(name, figure, measured, "<= " + bound, ratio.median() <= bound);
        } else {
            Outcome.row(name, figure, measured);
        }
        alternation.printFigures();
    }
}
