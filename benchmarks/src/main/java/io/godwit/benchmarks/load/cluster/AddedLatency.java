package io.godwit.benchmarks.load.cluster;

import io.godwit.benchmarks.load.BrokerProcess;
import io.godwit.benchmarks.load.Options;
import io.godwit.benchmarks.load.PartResult;
import io.godwit.benchmarks.load.Placement;
import io.godwit.benchmarks.load.Scenario;
import io.godwit.benchmarks.load.Spread;
import io.godwit.benchmarks.load.Workload;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Question: how much later does a message arrive when the clients are connected to a node that does
 * not lead their sessions? Command: {@code benchmarks/scenarios/run cluster-latency}: one pair with
 * durable sessions, QoS 1, one message outstanding. In turn both are at one node without a cluster;
 * at the node of three that leads both sessions; the subscriber alone at another node; both at
 * another node, so that the message passes the link twice.
 */
final class AddedLatency implements ClusterScenario {
    private static final int NODES = 3;
    private static final int LEADER = 1;
    private static final int EDGE = 2;
    private static final long FIRST_MESSAGES = 500;
    private static final double CALIBRATION_SECONDS = 0.3;
    private static final double[] PERCENTILES = {50, 99};

    /** A way from the publisher to the subscriber, and how many messages fill a round. */
    private static final class Way {
        private final String name;
        private final Scenario scenario;
        private final Placement placement;
        private final String prefix;
        private final List<PartResult> counted = new ArrayList<>();
        private long messages = FIRST_MESSAGES;

        Way(String name, Scenario scenario, Placement placement, String prefix) {
            this.name = name;
            this.scenario = scenario;
            this.placement = placement;
            this.prefix = prefix;
        }

        PartResult part(String title, double seconds) throws IOException {
            try (Workload workload = Workload.open(scenario, placement, prefix)) {
                PartResult part = workload.flood(messages);
                if (part.fault() != null) throw new IOException(name + ": " + part.fault());
                if (part.loss() > 0) throw new IOException(name + ": messages are missing");
                System.err.printf(
                        Locale.ROOT,
                        "%s, %s: p50 %.0f us, p99 %.0f us, %.0f msg/s%n",
                        title,
                        name,
                        micros(part, 50),
                        micros(part, 99),
                        part.perSecond());
                messages = Math.max(FIRST_MESSAGES, Math.round(part.perSecond() * seconds));
                return part;
            }
        }

        void calibrate() throws IOException {
            while (part("calibration", CALIBRATION_SECONDS).elapsedNanos()
                    < CALIBRATION_SECONDS * 5e8) {}
        }

        Spread spread(double percentile) {
            return Spread.of(counted, part -> micros(part, percentile));
        }
    }

    private static double micros(PartResult part, double percentile) {
        return part.latency().getValueAtPercentile(percentile) / 1e3;
    }

    @Override
    public String name() {
        return "cluster-latency";
    }

    @Override
    public Map<String, String> defaults() {
        return Map.of("rounds", "7", "warmup", "6", "seconds", "2");
    }

    @Override
    public void run(Options options, Path folder) throws IOException {
        try (BrokerProcess one = Nodes.launchOne(options, folder, "one", List.of());
                Nodes cluster = Nodes.start(options, folder, NODES)) {
            one.awaitAnswer();
            String prefix = prefix(Leaders.of(cluster));
            Placement alone = Placement.at(one.address());
            Placement leader = Placement.at(cluster.address(LEADER));
            Placement edge = Placement.at(cluster.address(EDGE));
            Placement mixed = new Placement(leader.publishers(), edge.subscribers());
            Scenario pair = pair();
            List<Way> ways =
                    List.of(
                            new Way("one node", pair, alone, prefix),
                            new Way("at the leader", pair, leader, prefix),
                            new Way("subscriber elsewhere", pair, mixed, prefix),
                            new Way("both elsewhere", pair, edge, prefix));
            measure(options, ways);
            print(ways);
        }
    }

    /** One pair with durable sessions, QoS 1, one message outstanding. */
    private Scenario pair() {
        return new Scenario(
                name(),
                1,
                1,
                1,
                1,
                1,
                Scenario.PAYLOAD_BYTES,
                Scenario.WRITE_BYTES,
                0,
                0,
                Scenario.Sessions.DURABLE,
                1);
    }

    /** Finds a prefix with which one node leads both sessions. */
    private static String prefix(Leaders leaders) {
        for (int number = 0; ; number++) {
            String prefix = "pair" + number + "-";
            if (leaders.of(prefix + Workload.publisherId(0)) == LEADER
                    && leaders.of(prefix + Workload.subscriberId(0, 0)) == LEADER) {
                return prefix;
            }
        }
    }

    private static void measure(Options options, List<Way> ways) throws IOException {
        double seconds = options.number("seconds");
        for (Way way : ways) way.calibrate();
        for (int i = 1 - options.number("warmup"); i <= options.number("rounds"); i++) {
            for (int k = 0; k < ways.size(); k++) {
                Way way = ways.get(Math.floorMod(i + k, ways.size()));
                PartResult part = way.part(i > 0 ? "round " + i : "warm-up", seconds);
                if (i > 0) way.counted.add(part);
            }
        }
    }

    private void print(List<Way> ways) {
        Outcome.head();
        Way one = ways.getFirst();
        Way remote = ways.getLast();
        for (double percentile : PERCENTILES) {
            String figure = "us, p%.0f of %d rounds".formatted(percentile, one.counted.size());
            Outcome.row(
                    name(),
                    figure + ": added when both are elsewhere, beside one node",
                    added(one, remote, percentile).text("%.0f"));
            for (Way way : ways) {
                Outcome.row(name(), figure + ": " + way.name, way.spread(percentile).text("%.0f"));
            }
        }
        for (Way way : ways) {
            ToDoubleFunction<PartResult> rate = PartResult::perSecond;
            Outcome.row(name(), "msg/s: " + way.name, Spread.of(way.counted, rate).text("%.0f"));
        }
    }

    /** Of rounds that belong together. */
    private static Spread added(Way one, Way remote, double percentile) {
        List<Double> added = new ArrayList<>();
        for (int i = 0; i < one.counted.size(); i++) {
            added.add(
                    micros(remote.counted.get(i), percentile)
                            - micros(one.counted.get(i), percentile));
        }
        return Spread.of(added, micros -> micros);
    }
}
