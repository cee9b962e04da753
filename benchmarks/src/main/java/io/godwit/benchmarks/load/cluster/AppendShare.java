package io.godwit.benchmarks.load.cluster;

import io.godwit.benchmarks.load.BrokerProcess;
import io.godwit.benchmarks.load.Contestant;
import io.godwit.benchmarks.load.Options;
import io.godwit.benchmarks.load.Placement;
import io.godwit.benchmarks.load.Round;
import io.godwit.benchmarks.load.Scenario;
import io.godwit.benchmarks.load.Site;
import io.godwit.benchmarks.load.Spread;
import io.godwit.benchmarks.load.Workload;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Question: how many messages of durable subscribers are acknowledged before they would reach the
 * disk, when the node that a subscriber is connected to leads its session, and when another one
 * does? Command: {@code benchmarks/scenarios/run cluster-appends}: 100 pairs over three nodes, QoS
 * 1, 100 in flight, transient publishers. Both ways of connecting take turns on the same nodes; the
 * metrics of their stores tell the rest.
 */
final class AppendShare implements ClusterScenario {
    private static final int NODES = 3;

    @Override
    public String name() {
        return "cluster-appends";
    }

    @Override
    public Map<String, String> defaults() {
        return Map.of("pairs", "100", "rounds", "5", "warmup", "8", "seconds", "3");
    }

    @Override
    public void run(Options options, Path folder) throws IOException {
        Scenario scenario =
                CpuRatio.pairs(name(), 1, Scenario.Sessions.DURABLE_SUBSCRIBERS)
                        .withPublishers(options.number("pairs"));
        try (Nodes cluster = Nodes.start(options, folder, NODES)) {
            Leaders leaders = Leaders.of(cluster);
            List<InetSocketAddress> atLeader = new ArrayList<>();
            List<InetSocketAddress> elsewhere = new ArrayList<>();
            for (int pair = 0; pair < scenario.publishers(); pair++) {
                int leader = leaders.of(Workload.subscriberId(pair, 0));
                atLeader.add(cluster.address(leader));
                elsewhere.add(cluster.address(leader + 1 + pair % 2));
            }
            Alternation alternation =
                    new Alternation(
                            name(),
                            scenario.qos(),
                            contestant("at leaders", scenario, cluster, atLeader, options),
                            contestant("elsewhere", scenario, cluster, elsewhere, options));
            alternation.run(options);
            print(alternation);
        }
    }

    private static Contestant contestant(
            String name,
            Scenario scenario,
            Nodes cluster,
            List<InetSocketAddress> subscribers,
            Options options) {
        List<InetSocketAddress> at = cluster.all().stream().map(BrokerProcess::address).toList();
        Site site = new Site(name, cluster.all(), new Placement(at, subscribers));
        return new Contestant(scenario, site, options);
    }

    private void print(Alternation alternation) {
        Outcome.head();
        if (alternation.counted().isEmpty()) {
            Outcome.row(name(), "no round counted", alternation.rounds());
            return;
        }
        alternation.print(
                "appends cancelled before they reached the disk, %, " + alternation.rounds(),
                "%.2f",
                round -> round.cancelledAppends() * 100);
        alternation.print(
                "of all operations of the store, %",
                "%.2f", round -> round.store().cancelledShare() * 100);
        alternation.print("operations a commit", "%.0f", AppendShare::operationsPerCommit);
        Spread ratio = Spread.of(alternation.counted(), Alternation.Pair::cpuRatio);
        Outcome.row(name(), "CPU elsewhere : at leaders", ratio.text("%.2f"));
        alternation.printFigures();
    }

    private static double operationsPerCommit(Round round) {
        return round.store().operationsPerCommit();
    }
}
