package io.godwit.benchmarks.load.cluster;

import io.godwit.benchmarks.load.Filling;
import io.godwit.benchmarks.load.Options;
import io.godwit.benchmarks.load.PartResult;
import io.godwit.benchmarks.load.Placement;
import io.godwit.benchmarks.load.Scenario;
import io.godwit.benchmarks.load.Spread;
import io.godwit.benchmarks.load.Workload;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Question: what do clients of two nodes notice when a third one does not run? Command: {@code
 * benchmarks/scenarios/run cluster-pause}: 20 pairs, QoS 1, publisher and subscriber at nodes 1 and
 * 2, half of them each way; 100 clients with a subscription each are connected to node 3. In each
 * round: as many messages as take 20 seconds with 100 in flight, while all nodes run and then the
 * same while node 3 is stopped by SIGSTOP for 20 seconds; then 20 seconds at an even rate of 0.4 of
 * that, without and with SIGSTOP. A message at an even rate carries the time at which it was due.
 */
final class Pause implements ClusterScenario {
    private static final int STOPPED = 3;
    private static final int CLIENTS_OF_STOPPED = 100;
    private static final double OFFERED_SHARE = 0.4;
    private static final double RATE_BOUND = 0.9;
    private static final double P99_BOUND = 2;
    private static final long FIRST_MESSAGES = 20_000;

    /** Messages that get the links going again are not part of what follows. */
    private static final long REST_MS = 5_000;

    private record Measured(PartResult quiet, PartResult stopped) {
        double rate() {
            return stopped.perSecond() / quiet.perSecond();
        }

        double p99() {
            return (double) p99Nanos(stopped) / p99Nanos(quiet);
        }
    }

    private final List<Measured> floods = new ArrayList<>();
    private final List<Measured> even = new ArrayList<>();

    @Override
    public String name() {
        return "cluster-pause";
    }

    @Override
    public Map<String, String> defaults() {
        return Map.of("seconds", "20", "rounds", "3", "warmup", "3", "pairs", "20");
    }

    @Override
    public void run(Options options, Path folder) throws IOException {
        int seconds = options.number("seconds");
        Scenario pairs = pairs(options.number("pairs"));
        try (Nodes cluster = Nodes.start(options, folder, STOPPED)) {
            List<InetSocketAddress> at = List.of(cluster.address(1), cluster.address(2));
            try (Workload load = Workload.open(pairs, new Placement(at, at.reversed()));
                    Crowd idle = new Crowd(cluster.address(STOPPED), CLIENTS_OF_STOPPED)) {
                System.err.printf("%s: %d clients at n3%n", name(), idle.count());
                long messages = FIRST_MESSAGES;
                double rate = 0;
                for (int i = 0; i <= options.number("warmup"); i++) {
                    rate = checked("warm-up", load.flood(messages)).perSecond();
                    messages = (long) (rate * seconds);
                }
                for (int i = 1; i <= options.number("rounds"); i++) {
                    long count = messages;
                    floods.add(round(i, cluster, seconds, () -> load.flood(count)));
                    double offered =
                            options.number("rate") > 0
                                    ? options.number("rate")
                                    : rate * OFFERED_SHARE;
                    even.add(round(i, cluster, seconds, () -> load.paced(offered, seconds)));
                }
            }
        }
        print(seconds);
    }

    /** Makes so many transient pairs with QoS 1, 100 in flight each. */
    private Scenario pairs(int count) {
        return new Scenario(
                name(),
                count,
                1,
                1,
                1,
                100,
                Scenario.PAYLOAD_BYTES,
                Scenario.WRITE_BYTES,
                0,
                0,
                Scenario.Sessions.TRANSIENT,
                1);
    }

    /** What is measured, without a broker that is stopped and with one. */
    private interface Part {
        PartResult run();
    }

    private Measured round(int number, Nodes cluster, int seconds, Part part) throws IOException {
        PartResult quiet = checked("round " + number + ", all run", part.run());
        Thread alarm =
                Thread.ofPlatform()
                        .start(() -> {
                            try {
                                cluster.node(STOPPED).signal("STOP");
                                Filling.pause(seconds * 1_000L);
                            } catch (IOException e) {
                                System.err.println(e.getMessage());
                            }
                        });
        PartResult stopped;
        try {
            stopped = part.run();
            alarm.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            cluster.node(STOPPED).signal("CONT");
        }
        checked("round " + number + ", n3 stopped", stopped);
        cluster.awaitReady();
        Filling.pause(REST_MS);
        return new Measured(quiet, stopped);
    }

    private PartResult checked(String title, PartResult part) throws IOException {
        System.err.printf(
                Locale.ROOT,
                "%s, %s: %.0f msg/s, p99 %.1f ms, most %.0f ms, lost %.3f %%%n",
                name(),
                title,
                part.perSecond(),
                p99Nanos(part) / 1e6,
                part.latency().getMaxValue() / 1e6,
                part.loss() * 100);
        if (part.fault() != null) throw new IOException(part.fault());
        return part;
    }

    private static long p99Nanos(PartResult part) {
        return part.latency().getValueAtPercentile(99);
    }

    private void print(int seconds) {
        Spread rate = Spread.of(floods, Measured::rate);
        Spread p99 = Spread.of(even, Measured::p99);
        double lost = 0;
        for (List<Measured> all : List.of(floods, even)) {
            for (Measured each : all) lost = Math.max(lost, each.stopped().loss());
        }
        Outcome.head();
        Outcome.row(
                name(),
                "rate of n1 and n2 while n3 is stopped for %d s, beside that before"
                        .formatted(seconds),
                rate.text("%.2f"),
                ">= " + RATE_BOUND,
                rate.median() >= RATE_BOUND);
        Outcome.row(
                name(),
                "p99 at an even rate, beside that before",
                p99.text("%.2f"),
                "<= " + P99_BOUND,
                p99.median() <= P99_BOUND);
        Outcome.row(
                name(),
                "p99 ms before / stopped; longest of all, ms",
                "%s / %s; %s"
                        .formatted(
                                Spread.of(even, m -> p99Nanos(m.quiet()) / 1e6).text("%.1f"),
                                Spread.of(even, m -> p99Nanos(m.stopped()) / 1e6).text("%.1f"),
                                Spread.of(even, m -> m.stopped().latency().getMaxValue() / 1e6)
                                        .text("%.0f")));
        Outcome.row(name(), "lost, %", "%.3f".formatted(lost * 100), "0", lost == 0);
    }
}
