package io.godwit.benchmarks.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Question: how much CPU time does the broker spend on a client that connects and goes again?
 * Command: {@code benchmarks/scenarios/run connects}; with {@code --broker-cmd} and {@code
 * --control-cmd} for two configurations, their difference is what one adds to a CONNECT. Each slice
 * connects clients at once, and closes them.
 */
final class ConnectCost {
    static final String NAME = "connects";
    private static final int AT_ONCE = 200;

    /** CPU microseconds of the broker for each client, and clients a second. */
    private record Slice(double micros, double perSecond) {}

    private ConnectCost() {}

    static void run(Options options, Path folder) throws IOException {
        Path logs = Files.createDirectories(folder.resolve(NAME));
        List<Slice> control = new ArrayList<>();
        List<Slice> subject = new ArrayList<>();
        try (BrokerProcess first = Compare.control(options, logs);
                BrokerProcess second = Compare.subject(options, logs, "subject")) {
            int seconds = options.number("seconds");
            for (int i = 0; i < options.number("warmup"); i++) {
                slice(first, seconds);
                slice(second, seconds);
            }
            for (int i = 0; i < options.number("rounds"); i++) {
                control.add(slice(first, seconds));
                subject.add(slice(second, seconds));
            }
        }
        print(control, subject);
    }

    private static Slice slice(BrokerProcess broker, int seconds) throws IOException {
        long clients = 0;
        long cpu = ProcFs.cpuMicros(broker.pid()) - ProcFs.compilerMicros(broker.pid());
        long begin = System.nanoTime();
        long end = begin + seconds * 1_000_000_000L;
        while (System.nanoTime() < end) {
            try (LoadLoop loop = new LoadLoop(broker.loadAddress(), broker.transport())) {
                List<ReturningCrowd.Caller> callers =
                        IntStream.range(0, AT_ONCE)
                                .mapToObj(n -> new ReturningCrowd.Caller(loop, "connects-" + n, ""))
                                .toList();
                loop.connect(callers);
                clients += callers.size();
            }
        }
        double taken = (System.nanoTime() - begin) / 1e9;
        cpu = ProcFs.cpuMicros(broker.pid()) - ProcFs.compilerMicros(broker.pid()) - cpu;
        Slice slice = new Slice((double) cpu / clients, clients / taken);
        System.err.printf(
                Locale.ROOT,
                "%s %s: %.1f us of CPU a client, %.0f clients a second%n",
                NAME,
                broker.name(),
                slice.micros(),
                slice.perSecond());
        return slice;
    }

    private static void print(List<Slice> control, List<Slice> subject) {
        Spread first = Spread.of(control, Slice::micros);
        Spread second = Spread.of(subject, Slice::micros);
        System.out.printf(
                Locale.ROOT,
                "%n| connects | control us CPU each | subject | difference | a second, control |"
                        + " subject | rounds |%n| --- | --- | --- | --- | --- | --- | --- |%n"
                        + "| | %s | %s | %.1f | %s | %s | %d |%n",
                first.text("%.1f"),
                second.text("%.1f"),
                second.median() - first.median(),
                Spread.of(control, Slice::perSecond).text("%.0f"),
                Spread.of(subject, Slice::perSecond).text("%.0f"),
                subject.size());
    }
}
