package io.godwit.benchmarks.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Question: what does an idle connection with one subscription cost in memory? The slope between
 * two numbers of connections, so that the broker's own size doesn't count. Each round starts the
 * brokers anew.
 */
final class IdleMemory {
    private static final int FIRST_CONNECTIONS = 1_000;
    private static final double TARGET_BYTES = 5_000;
    private static final int CLASSES_SHOWN = 15;

    /** Bytes per connection. */
    private record Slope(double total, double live, double outside, Map<String, Long> grown) {}

    private IdleMemory() {}

    static void run(Options options, Path folder) throws IOException {
        int connections = options.number("connections");
        List<Slope> control = new ArrayList<>();
        List<Slope> subject = new ArrayList<>();
        for (int i = 1; i <= options.number("rounds"); i++) {
            Path logs = Files.createDirectories(folder.resolve("idle-" + i));
            try (BrokerProcess broker = Compare.control(options, logs)) {
                control.add(slope(broker, connections));
            }
            try (BrokerProcess broker = Compare.subject(options, logs, "subject")) {
                subject.add(slope(broker, connections));
            }
        }
        print(control, subject, connections);
    }

    private static Slope slope(BrokerProcess broker, int connections) throws IOException {
        try (LoadLoop loop = new LoadLoop(broker.loadAddress(), broker.transport())) {
            loop.connect(clients(loop, 0, FIRST_CONNECTIONS));
            Footprint first = Footprint.settled(broker);
            loop.connect(clients(loop, FIRST_CONNECTIONS, connections));
            Footprint last = Footprint.settled(broker);
            double more = connections - FIRST_CONNECTIONS;
            Slope slope =
                    new Slope(
                            (last.bytes() - first.bytes()) / more,
                            (last.liveBytes() - first.liveBytes()) / more,
                            (last.outsideBytes() - first.outsideBytes()) / more,
                            last.grownSince(first));
            System.err.printf(
                    Locale.ROOT,
                    "idle %s: %.0f B per connection, %.0f live on the heap, %.0f resident outside it%n",
                    broker.name(),
                    slope.total(),
                    slope.live(),
                    slope.outside());
            return slope;
        }
    }

    private static List<IdleClient> clients(LoadLoop loop, int from, int to) {
        return IntStream.range(from, to).mapToObj(n -> new IdleClient(loop, n)).toList();
    }

    private static void print(List<Slope> control, List<Slope> subject, int connections) {
        Spread total = Spread.of(subject, Slope::total);
        System.out.printf(
                Locale.ROOT,
                "%n| idle, slope %d to %d connections | control B | subject B | of it live on the heap | outside | target | rounds |%n"
                        + "| --- | --- | --- | --- | --- | --- | --- |%n| | %s | %s | %s | %s | <= %.0f %s | %d |%n",
                FIRST_CONNECTIONS,
                connections,
                Spread.of(control, Slope::total).text("%.0f"),
                total.text("%.0f"),
                Spread.of(subject, Slope::live).text("%.0f"),
                Spread.of(subject, Slope::outside).text("%.0f"),
                TARGET_BYTES,
                total.median() <= TARGET_BYTES ? "met" : "MISSED",
                subject.size());
        Map<String, Long> grown = subject.get(subject.size() - 1).grown();
        if (grown.isEmpty()) return;
        System.out.printf(
                "%nWhere the live bytes are (last round):%n%n| class | B per connection |%n| --- | --- |%n");
        grown.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .limit(CLASSES_SHOWN)
                .forEach(e ->
                        System.out.printf(
                                Locale.ROOT,
                                "| %s | %.0f |%n",
                                e.getKey(),
                                (double) e.getValue() / (connections - FIRST_CONNECTIONS)));
    }
}
