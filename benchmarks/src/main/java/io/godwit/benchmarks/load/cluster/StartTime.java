package io.godwit.benchmarks.load.cluster;

import io.godwit.benchmarks.load.BrokerProcess;
import io.godwit.benchmarks.load.Options;
import io.godwit.benchmarks.load.ProcFs;
import io.godwit.benchmarks.load.Spread;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Question: how soon after the last start do all nodes of a cluster let clients in and see each
 * other? Command: {@code benchmarks/scenarios/run cluster-start}, {@code cluster-start-7}: all are
 * started at the same moment, first on empty folders and then on those.
 *
 * @param boundSeconds from the start of the last node's launcher
 */
record StartTime(String name, int nodes, String memory, double boundSeconds)
        implements ClusterScenario {
    static final List<StartTime> ALL =
            List.of(
                    new StartTime("cluster-start", 3, "1GiB", 5),
                    new StartTime("cluster-start-7", 7, "512MiB", 10));

    /** CPU: of all processes until then. */
    private record Start(double seconds, double cpuSeconds) {}

    @Override
    public Map<String, String> defaults() {
        return Map.of("memory", memory);
    }

    @Override
    public void run(Options options, Path folder) throws IOException {
        List<Start> first = new ArrayList<>();
        List<Start> again = new ArrayList<>();
        // The launcher may have to build before its first start.
        try (BrokerProcess built = Nodes.launchOne(options, folder, "built", List.of())) {
            built.awaitAnswer();
        }
        for (int round = 1; round <= options.number("rounds"); round++) {
            Path logs = Files.createDirectories(folder.resolve("round-" + round));
            try (Nodes cluster = Nodes.launch(options, logs, nodes)) {
                first.add(awaitReady(cluster, "empty folders"));
                for (BrokerProcess each : cluster.all()) each.signal("TERM");
                for (int node = 1; node <= nodes; node++) cluster.awaitEnd(node);
                for (int node = 1; node <= nodes; node++) cluster.launchAgain(node);
                again.add(awaitReady(cluster, "started again"));
            }
        }
        Outcome.head();
        print("empty folders", first);
        print("started again", again);
    }

    private Start awaitReady(Nodes cluster, String what) throws IOException {
        cluster.awaitReady();
        double seconds = (System.nanoTime() - cluster.node(nodes).launchedNanos()) / 1e9;
        long cpuMicros = 0;
        for (BrokerProcess each : cluster.all()) cpuMicros += ProcFs.cpuMicros(each.pid());
        Start start = new Start(seconds, cpuMicros / 1e6);
        System.err.printf(
                Locale.ROOT,
                "%s, %s: ready after %.2f s (%.2f s of CPU)%n",
                name,
                what,
                start.seconds(),
                start.cpuSeconds());
        return start;
    }

    private void print(String what, List<Start> starts) {
        Spread seconds = Spread.of(starts, Start::seconds);
        Outcome.row(
                name,
                "%d nodes, %s: seconds until ready, %d rounds"
                        .formatted(nodes, what, starts.size()),
                seconds.text("%.2f"),
                "<= " + boundSeconds,
                seconds.median() <= boundSeconds);
        Outcome.row(
                name,
                what + ": CPU seconds of all until then",
                Spread.of(starts, Start::cpuSeconds).text("%.2f"));
    }
}
