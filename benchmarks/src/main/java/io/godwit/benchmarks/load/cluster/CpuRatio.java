package io.godwit.benchmarks.load.cluster;

import io.godwit.benchmarks.load.BrokerProcess;
import io.godwit.benchmarks.load.Comparison;
import io.godwit.benchmarks.load.Contestant;
import io.godwit.benchmarks.load.Options;
import io.godwit.benchmarks.load.Placement;
import io.godwit.benchmarks.load.Profile;
import io.godwit.benchmarks.load.Round;
import io.godwit.benchmarks.load.Scenario;
import io.godwit.benchmarks.load.Site;
import io.godwit.benchmarks.load.Spread;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Question: how much more CPU time do all nodes together spend on a message that passes from node
 * to node than one node does that has publisher and subscriber? Command: {@code
 * benchmarks/scenarios/run cluster-qos1} and the others; control: one node without a cluster, in
 * turn with the nodes, with the same load. With {@code --ways 2} half of the pairs publish at the
 * other node.
 *
 * @param nodes over which the clients are spread
 * @param bound times the CPU time of one node, at most
 */
record CpuRatio(String name, Scenario load, int nodes, double bound) implements ClusterScenario {
    private static final int PAIRS = 100;
    private static final int SUBSCRIBERS = 3_000;

    static final List<CpuRatio> ALL =
            List.of(
                    new CpuRatio("cluster-qos1", load("cluster-qos1", PAIRS, 1, 1, 100), 2, 2.2),
                    new CpuRatio(
                            "cluster-qos0",
                            load("cluster-qos0", PAIRS, 1, 0, Scenario.FLOOD_WINDOW),
                            2,
                            2.5),
                    new CpuRatio(
                            "cluster-fanout-qos0",
                            load("cluster-fanout-qos0", 1, SUBSCRIBERS, 0, Scenario.FLOOD_WINDOW),
                            3,
                            1.1),
                    new CpuRatio(
                            "cluster-fanout-qos1",
                            load("cluster-fanout-qos1", 1, SUBSCRIBERS, 1, Scenario.FLOOD_WINDOW),
                            3,
                            1.1));

    private static Scenario load(
            String name, int publishers, int subscribersEach, int qos, int window) {
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
                Scenario.Sessions.TRANSIENT,
                1);
    }

    /** Rounds that follow each other. */
    private record Pair(Round one, Round cluster) {
        double ratio() {
            return cluster.cpuMicros() / one.cpuMicros();
        }
    }

    @Override
    public Map<String, String> defaults() {
        return load.publishers() == 1
                ? Map.of("subscribers", Integer.toString(load.subscribersEach()))
                : Map.of("pairs", Integer.toString(load.publishers()), "ways", "1");
    }

    private Scenario load(Options options) {
        return load.publishers() == 1
                ? load.withSubscribers(options.number("subscribers"))
                : load.withPublishers(options.number("pairs"));
    }

    @Override
    public void run(Options options, Path folder) throws IOException {
        List<Pair> counted = new ArrayList<>();
        List<String> objections = new ArrayList<>();
        try (BrokerProcess alone = Nodes.launchOne(options, folder, "one", List.of());
                Nodes cluster = Nodes.start(options, folder, nodes)) {
            alone.awaitAnswer();
            Site site = new Site("cluster", cluster.all(), placement(cluster, options));
            Contestant one = new Contestant(load(options), Site.of(alone), options);
            Contestant all = new Contestant(load(options), site, options);
            one.calibrate();
            all.calibrate();
            double rate = options.number("rate");
            for (int i = 0; i < options.number("warmup"); i++) {
                one.round("warm-up", rate);
                all.round("warm-up", rate);
            }
            int wanted = options.number("rounds");
            for (int i = 1; counted.size() < wanted && i <= 2 * wanted; i++) {
                Pair pair = pair("round " + i, one, all, i % 2 == 0, rate);
                List<String> against = new ArrayList<>();
                against.addAll(Comparison.objections("one", load.qos(), pair.one()));
                against.addAll(Comparison.objections("cluster", load.qos(), pair.cluster()));
                if (against.isEmpty()) counted.add(pair);
                else objections.add("round " + i + ": " + String.join("; ", against));
            }
            if (!options.text("profile").isEmpty()) {
                List<BrokerProcess> profiled = new ArrayList<>(cluster.all());
                profiled.add(alone);
                try (Profile profile = Profile.start(profiled, options.text("profile"))) {
                    one.round("profile", 0);
                    all.round("profile", 0);
                    profile.print();
                }
            }
        }
        print(counted, objections);
    }

    private Placement placement(Nodes cluster, Options options) {
        List<InetSocketAddress> at = cluster.all().stream().map(BrokerProcess::address).toList();
        if (load.publishers() == 1) return new Placement(at.subList(0, 1), at);
        return options.number("ways") == 2
                ? new Placement(at, at.reversed())
                : new Placement(at.subList(0, 1), at.subList(1, 2));
    }

    /** Who goes first changes from round to round. */
    private static Pair pair(
            String title, Contestant one, Contestant all, boolean clusterFirst, double rate)
            throws IOException {
        if (!clusterFirst) return new Pair(one.round(title, rate), all.round(title, rate));
        Round early = all.round(title, rate);
        return new Pair(one.round(title, rate), early);
    }

    private void print(List<Pair> counted, List<String> objections) {
        int all = counted.size() + objections.size();
        Outcome.head();
        if (counted.isEmpty()) {
            Outcome.row(name, "no round counted of " + all, "", "<= " + bound, false);
        } else {
            Spread ratio = Spread.of(counted, Pair::ratio);
            Outcome.row(
                    name,
                    "CPU of %d nodes : of one, %d of %d rounds"
                            .formatted(nodes, counted.size(), all),
                    ratio.text("%.2f"),
                    "<= " + bound,
                    ratio.median() <= bound);
            figure("us/msg", counted, "%.3g", Round::cpuMicros);
            figure("kernel's share", counted, "%.2f", Round::kernelShare);
            figure("k msg/s", counted, "%.0f", round -> round.perSecond() / 1e3);
            figure("cores used by the load", counted, "%.2f", Round::loadBusy);
            figure("cores used by others", counted, "%.2f", Round::othersBusy);
        }
        objections.forEach(o -> System.err.println(name + ", not counted, " + o));
    }

    private void figure(
            String what, List<Pair> counted, String format, ToDoubleFunction<Round> figure) {
        Outcome.row(
                name,
                what + ", one / cluster",
                String.format(
                        Locale.ROOT,
                        "%s / %s",
                        Spread.of(counted, p -> figure.applyAsDouble(p.one())).text(format),
                        Spread.of(counted, p -> figure.applyAsDouble(p.cluster())).text(format)));
    }
}
