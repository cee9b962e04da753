package io.godwit.benchmarks.load.cluster;

import io.godwit.benchmarks.load.AckProbe;
import io.godwit.benchmarks.load.BrokerProcess;
import io.godwit.benchmarks.load.Contestant;
import io.godwit.benchmarks.load.Filling;
import io.godwit.benchmarks.load.Metrics;
import io.godwit.benchmarks.load.OfflineClients;
import io.godwit.benchmarks.load.Options;
import io.godwit.benchmarks.load.Placement;
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
import java.util.Random;
import org.HdrHistogram.Histogram;

/**
 * Question: what do copies cost? Command: {@code benchmarks/scenarios/run cluster-copies --copies 2
 * --confirm committed}, and {@code cluster-copies-slow}, in which subscribers acknowledge after 20
 * ms: 100 pairs of durable sessions over three nodes, each client at a random node, QoS 1, 100 in
 * flight. Control: one node without a cluster, in turn with the nodes, with the same load. Beside
 * the load a publisher measures how long its PUBACK takes for a session that is away.
 *
 * @param ackDelayMs after which subscribers acknowledge
 */
record CopiesCost(String name, int ackDelayMs) implements ClusterScenario {
    static final List<CopiesCost> ALL =
            List.of(new CopiesCost("cluster-copies", 0), new CopiesCost("cluster-copies-slow", 20));

    private static final int NODES = 3;
    private static final int PAIRS = 100;

    /** Wanted with 1, 2 and 3 copies: times the CPU time of one node. */
    private static final List<Double> BOUNDS = List.of(2.6, 3.0, 4.5);

    private static final int POLL_MS = 100;
    private static final int WHOLE_POLLS = 600;

    @Override
    public Map<String, String> defaults() {
        return Map.of(
                "copies",
                "2",
                "confirm",
                "committed",
                "seed",
                "1",
                "rounds",
                "3",
                "warmup",
                "6",
                "seconds",
                "4");
    }

    @Override
    public void run(Options options, Path folder) throws IOException {
        int copies = options.number("copies");
        Scenario scenario =
                CpuRatio.pairs(name, 1, new Scenario.Sessions(true, true, ackDelayMs))
                        .withPublishers(PAIRS);
        try (BrokerProcess alone = Nodes.launchOne(options, folder, "one", List.of());
                Nodes cluster =
                        Nodes.start(
                                options,
                                folder,
                                NODES,
                                "cluster.copies=" + copies,
                                "cluster.confirm=" + options.text("confirm"))) {
            alone.awaitAnswer();
            awaitWhole(cluster, copies);
            Random random = new Random(options.number("seed"));
            Placement placement =
                    new Placement(
                            CpuRatio.drawn(addresses(cluster), PAIRS, random),
                            CpuRatio.drawn(addresses(cluster), PAIRS, random));
            Contestant one = new Contestant(scenario, Site.of(alone), options);
            Site site = new Site("cluster", cluster.all(), placement);
            Alternation alternation =
                    new Alternation(name, 1, one, new Contestant(scenario, site, options));
            OfflineClients away = new OfflineClients(1, Scenario.PAYLOAD_BYTES);
            away.enrol(any -> alone.address());
            away.enrol(any -> cluster.address(2));
            alternation.run(options);
            print(alternation, copies);
            probe("one", one, alone, options);
            probe("cluster", new Contestant(scenario, site, options), cluster.node(1), options);
        }
    }

    private static List<InetSocketAddress> addresses(Nodes cluster) {
        List<InetSocketAddress> all = new ArrayList<>();
        for (BrokerProcess each : cluster.all()) all.add(each.address());
        return all;
    }

    /** Waits until each of the nodes has as many copies as are wanted. */
    static void awaitWhole(Nodes cluster, int copies) throws IOException {
        for (int poll = 0; poll < WHOLE_POLLS; poll++) {
            double followers = 0;
            double missing = 0;
            for (BrokerProcess each : cluster.all()) {
                Metrics metrics = Metrics.of(each.adminPort());
                followers += metrics.get("godwit_cluster_copies_followers");
                missing += metrics.get("godwit_cluster_copies_missing_sessions");
            }
            if (missing == 0 && (copies == 1 || followers >= cluster.count())) return;
            Filling.pause(POLL_MS);
        }
        throw new IOException("the copies are not whole");
    }

    private void print(Alternation alternation, int copies) {
        Outcome.head();
        if (alternation.counted().isEmpty()) {
            Outcome.row(name, "no round counted: " + alternation.rounds(), "", "", false);
            return;
        }
        Spread ratio = Spread.of(alternation.counted(), Alternation.Pair::cpuRatio);
        double bound = BOUNDS.get(Math.min(copies, BOUNDS.size()) - 1);
        Outcome.row(
                name,
                "%d copies, CPU of three nodes : of one, %s"
                        .formatted(copies, alternation.rounds()),
                ratio.text("%.2f"),
                "<= " + bound,
                ratio.median() <= bound);
        alternation.printFigures();
        alternation.print(
                "operations of a commit", "%.0f", round -> round.store().operationsPerCommit());
        alternation.print(
                "% of operations not written",
                "%.1f", round -> 100 * round.store().cancelledShare());
        alternation.print(
                "B a message in journals",
                "%.0f",
                round -> round.store().journalBytes() / round.delivered());
        alternation.print(
                "B a message between nodes",
                "%.0f",
                round -> round.store().linkBytes() / round.delivered());
    }

    /** Measures PUBACKs during one round, from its first message to its last. */
    private void probe(String who, Contestant load, BrokerProcess at, Options options)
            throws IOException {
        load.calibrate();
        load.round("warm-up", 0);
        try (AckProbe probe = new AckProbe(at, 0)) {
            load.round("probe", options.number("rate"));
            Histogram taken = probe.take();
            Outcome.row(
                    name,
                    "PUBACK under this load, ms, p50 / p99, " + who,
                    String.format(
                            Locale.ROOT,
                            "%.1f / %.1f",
                            taken.getValueAtPercentile(50) / 1e3,
                            taken.getValueAtPercentile(99) / 1e3));
        }
    }
}
