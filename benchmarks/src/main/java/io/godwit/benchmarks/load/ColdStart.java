package io.godwit.benchmarks.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Question: how soon is a broker ready, and what do the first messages after a start cost beside
 * later ones? Command: {@code benchmarks/scenarios/run cold-qos1}: each round starts the broker
 * anew on an empty store, then runs of 40 000 QoS 1 messages follow each other, 20 pairs with one
 * outstanding message each; the first run is cold, the last is warm. Target: ready in under 1 s,
 * cold at most 1.6 times warm.
 */
final class ColdStart {
    static final String NAME = "cold-qos1";

    private static final int RUN_MESSAGES = 40_000;
    private static final int PAIRS = 20;
    private static final int WARM_AFTER_RUNS = 7;
    private static final double TARGET_SECONDS = 1;
    private static final double TARGET_RATIO = 1.6;

    /** One start and the runs after it; CPU is the broker's, microseconds per message. */
    private record Start(double readySeconds, double readyCpuSeconds, double cold, double warm) {
        double ratio() {
            return cold / warm;
        }
    }

    private ColdStart() {}

    static void run(Options options, Path folder) throws IOException {
        Path logs = Files.createDirectories(folder.resolve(NAME));
        List<Start> starts = new ArrayList<>();
        // The launcher may have to build before its first start.
        Compare.subject(options, logs, "built").close();
        for (int round = 1; round <= options.number("rounds"); round++) {
            Start start = start(options, logs, "round-" + round);
            starts.add(start);
            System.err.printf(
                    Locale.ROOT,
                    "%s, round %d: ready after %.2f s (%.2f s CPU), cold %.1f us, warm %.1f us%n",
                    NAME,
                    round,
                    start.readySeconds(),
                    start.readyCpuSeconds(),
                    start.cold(),
                    start.warm());
        }
        print(starts);
    }

    private static Start start(Options options, Path logs, String name) throws IOException {
        long before = System.nanoTime();
        try (BrokerProcess broker = Compare.subject(options, logs, name)) {
            double readySeconds = (System.nanoTime() - before) / 1e9;
            double readyCpuSeconds = ProcFs.cpuMicros(broker.pid()) / 1e6;
            try (Workload workload =
                    Workload.open(
                            Scenario.named("qos1-one").withPublishers(PAIRS), broker.address())) {
                double cold = cpuMicros(workload, broker, options);
                double warm = cold;
                for (int run = 0; run < WARM_AFTER_RUNS; run++) {
                    warm = cpuMicros(workload, broker, options);
                }
                return new Start(readySeconds, readyCpuSeconds, cold, warm);
            }
        }
    }

    private static double cpuMicros(Workload workload, BrokerProcess broker, Options options)
            throws IOException {
        long before = ProcFs.cpuMicros(broker.pid());
        PartResult part = workload.flood(options.scaled(RUN_MESSAGES));
        String fault = part.fault();
        if (fault != null) throw new IOException(fault);
        if (part.loss() > 0) throw new IOException("messages are missing");
        return (double) (ProcFs.cpuMicros(broker.pid()) - before) / part.delivered();
    }

    private static void print(List<Start> starts) {
        Spread ready = Spread.of(starts, Start::readySeconds);
        Spread ratio = Spread.of(starts, Start::ratio);
        System.out.printf(
                Locale.ROOT,
                "%n| scenario | ready, s | target | CPU until then, s | cold us/msg | warm us/msg | ratio |"
                        + " target | rounds |%n"
                        + "| --- | --- | --- | --- | --- | --- | --- | --- | --- |%n"
                        + "| %s | %s | < %.0f %s | %s | %s | %s | %s | <= %.1f %s | %d |%n",
                NAME,
                ready.text("%.2f"),
                TARGET_SECONDS,
                ready.median() < TARGET_SECONDS ? "met" : "MISSED",
                Spread.of(starts, Start::readyCpuSeconds).text("%.2f"),
                Spread.of(starts, Start::cold).text("%.1f"),
                Spread.of(starts, Start::warm).text("%.1f"),
                ratio.text("%.2f"),
                TARGET_RATIO,
                ratio.median() <= TARGET_RATIO ? "met" : "MISSED",
                starts.size());
    }
}
