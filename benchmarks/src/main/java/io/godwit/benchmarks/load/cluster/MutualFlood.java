package io.godwit.benchmarks.load.cluster;

import io.godwit.benchmarks.load.BrokerProcess;
import io.godwit.benchmarks.load.Filling;
import io.godwit.benchmarks.load.Options;
import io.godwit.benchmarks.load.ProcFs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Question: do two small nodes that are full of each other's messages go on? Command: {@code
 * benchmarks/scenarios/run cluster-flood}: each of two nodes has 512 MiB and ten publishers of QoS
 * 1 messages of 64 KiB, 50 in flight each, for ten transient subscribers at the other node, of
 * which each takes 20 messages a second at most; for five minutes. Then publishers stop and
 * subscribers take what is left as fast as it comes.
 *
 * <p>A stall: a subscriber gets nothing for ten seconds, or no publisher of a node gets a PUBACK
 * for ten seconds. Lost: acknowledged, and not there when nothing has come for ten seconds.
 */
final class MutualFlood implements ClusterScenario {
    private static final int NODES = 2;
    private static final long STALL_SECONDS = 10;
    private static final long SAMPLE_MS = 500;
    private static final int PROGRESS_EVERY = 20;

    private final List<Flow> flows = new ArrayList<>();
    private final long[] mostResidentBytes = new long[NODES];
    private long longestAckGapNanos;
    private volatile boolean stopped;

    /** A publisher at one node and its subscriber at the other, with the thread that publishes. */
    private final class Flow {
        final int publishedAt;
        final Feed feed;
        final SlowReader reader;
        final Thread thread;

        Flow(Nodes cluster, int number, Options options) throws IOException {
            publishedAt = number % NODES + 1;
            String topic = "flood/" + number;
            reader =
                    new SlowReader(
                            cluster.address(publishedAt + 1),
                            "slow-" + number,
                            topic,
                            options.number("pause-ms"));
            feed =
                    new Feed(
                            cluster.address(publishedAt),
                            "flood-" + number,
                            new Feed.Stream(number, topic, 1, options.number("payload")),
                            options.number("window"));
            thread = Thread.ofVirtual().unstarted(this::run);
        }

        private void run() {
            try {
                while (!stopped) feed.publish();
                feed.awaitAcknowledged();
            } catch (IOException e) {
                System.err.println(name() + ": " + e.getMessage());
            }
        }
    }

    @Override
    public String name() {
        return "cluster-flood";
    }

    @Override
    public Map<String, String> defaults() {
        return Map.of(
                "memory",
                "512MiB",
                "seconds",
                "300",
                "pairs",
                "10",
                "payload",
                "65536",
                "window",
                "50",
                "pause-ms",
                "50");
    }

    @Override
    public void run(Options options, Path folder) throws IOException {
        try (Nodes cluster = Nodes.start(options, folder, NODES)) {
            for (int i = 0; i < NODES * options.number("pairs"); i++) {
                flows.add(new Flow(cluster, i, options));
            }
            for (Flow flow : flows) flow.thread.start();
            flood(cluster, options.number("seconds"));
            long longestGapNanos = 0;
            for (Flow flow : flows) {
                longestGapNanos = Math.max(longestGapNanos, flow.reader.longestGapNanos());
            }
            stopped = true;
            for (Flow flow : flows) flow.reader.hurry();
            finish(cluster);
            print(options, longestGapNanos);
            for (Flow flow : flows) {
                flow.feed.close();
                flow.reader.close();
            }
        }
    }

    private void flood(Nodes cluster, int seconds) throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        long[] acknowledged = new long[NODES];
        long[] movedNanos = {System.nanoTime(), System.nanoTime()};
        for (int sample = 1; System.nanoTime() < end; sample++) {
            Filling.pause(SAMPLE_MS);
            resident(cluster);
            for (int node = 1; node <= NODES; node++) {
                long sum = acknowledged(node);
                if (sum > acknowledged[node - 1]) movedNanos[node - 1] = System.nanoTime();
                acknowledged[node - 1] = sum;
                longestAckGapNanos =
                        Math.max(longestAckGapNanos, System.nanoTime() - movedNanos[node - 1]);
            }
            if (sample % PROGRESS_EVERY == 0) progress();
        }
    }

    private long acknowledged(int node) {
        return flows.stream()
                .filter(flow -> flow.publishedAt == node)
                .mapToLong(flow -> flow.feed.acknowledged())
                .sum();
    }

    private long received() {
        return flows.stream().mapToLong(flow -> flow.reader.history().received()).sum();
    }

    private void resident(Nodes cluster) throws IOException {
        for (int node = 1; node <= NODES; node++) {
            BrokerProcess process = cluster.node(node);
            if (!process.alive()) {
                throw new IOException(
                        process.name() + " has ended with exit code " + process.exitCode());
            }
            mostResidentBytes[node - 1] =
                    Math.max(mostResidentBytes[node - 1], ProcFs.residentBytes(process.pid()));
        }
    }

    private void progress() {
        System.err.printf(
                Locale.ROOT,
                "%s: acknowledged %d and %d, received %d, RSS at most %d and %d MiB%n",
                name(),
                acknowledged(1),
                acknowledged(2),
                received(),
                mostResidentBytes[0] >> 20,
                mostResidentBytes[1] >> 20);
    }

    /** Until nothing has come for a while, or everything has. */
    private void finish(Nodes cluster) throws IOException {
        long before = -1;
        long movedNanos = System.nanoTime();
        while (System.nanoTime() - movedNanos < TimeUnit.SECONDS.toNanos(STALL_SECONDS)) {
            long now = received() + acknowledged(1) + acknowledged(2);
            if (now != before) movedNanos = System.nanoTime();
            before = now;
            boolean publishing = flows.stream().anyMatch(flow -> flow.thread.isAlive());
            if (!publishing && missing() == 0) break;
            Filling.pause(SAMPLE_MS);
            resident(cluster);
        }
        progress();
    }

    private long missing() {
        return flows.stream()
                .mapToLong(flow -> flow.reader.history().missing(flow.feed.acknowledged()))
                .sum();
    }

    private void print(Options options, long longestGapNanos) {
        long published = flows.stream().mapToLong(flow -> flow.feed.published()).sum();
        long acknowledged = acknowledged(1) + acknowledged(2);
        long ended = flows.stream().filter(flow -> flow.reader.failure() != null).count();
        long disordered =
                flows.stream().mapToLong(flow -> flow.reader.history().disordered()).sum();
        String memory = options.text("memory");
        long limit = bytes(memory);
        long most = Math.max(mostResidentBytes[0], mostResidentBytes[1]);
        Outcome.head();
        Outcome.row(name(), "lost of " + acknowledged, "" + missing(), "0", missing() == 0);
        Outcome.row(
                name(),
                "never acknowledged of " + published,
                "" + (published - acknowledged),
                "0",
                published == acknowledged);
        Outcome.row(name(), "subscribers that were disconnected", "" + ended, "0", ended == 0);
        Outcome.row(name(), "out of order", "" + disordered, "0", disordered == 0);
        gap("longest time that a subscriber waited, s", longestGapNanos);
        gap("longest time without a PUBACK at a node, s", longestAckGapNanos);
        Outcome.row(
                name(),
                "largest VmRSS, MiB, n1 / n2",
                (mostResidentBytes[0] >> 20) + " / " + (mostResidentBytes[1] >> 20),
                "<= " + memory,
                most <= limit);
        Outcome.row(
                name(),
                "MiB/s of payload that came",
                String.format(
                        Locale.ROOT,
                        "%.1f",
                        (double) received()
                                * options.number("payload")
                                / (1 << 20)
                                / options.number("seconds")));
    }

    private void gap(String what, long nanos) {
        Outcome.row(
                name(),
                what,
                String.format(Locale.ROOT, "%.1f", nanos / 1e9),
                "< " + STALL_SECONDS,
                nanos < TimeUnit.SECONDS.toNanos(STALL_SECONDS));
    }

    private static long bytes(String memory) {
        long number = Long.parseLong(memory.replaceAll("[^0-9]", ""));
        return memory.endsWith("GiB") ? number << 30 : number << 20;
    }
}
