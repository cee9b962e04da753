package io.godwit.benchmarks.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Question: what does an offline durable session with one subscription and an empty queue cost in
 * heap? The slope from 10 000 to 200 000 sessions. Command: {@code benchmarks/scenarios/run
 * offline-sessions}. Target: 1 KB.
 */
final class OfflineSessions {
    static final String NAME = "offline-sessions";
    private static final int FIRST = 10_000;
    private static final int LAST = 200_000;
    private static final double TARGET_BYTES = 1_000;
    private static final long SETTLE_MS = 3_000;

    /** Bytes per session. */
    private record Slope(double live, double outside, double disk) {}

    private OfflineSessions() {}

    static void run(String name, Options options, Path folder) throws IOException {
        int first = options.scaled(FIRST);
        int last = options.scaled(LAST);
        List<Slope> slopes = new ArrayList<>();
        for (int i = 1; i <= options.number("rounds"); i++) {
            Path logs = Files.createDirectories(folder.resolve(name + "-" + i));
            try (BrokerProcess broker = Compare.subject(options, logs, "subject")) {
                slopes.add(slope(broker, first, last));
            }
        }
        Spread live = Spread.of(slopes, Slope::live);
        System.out.printf(
                Locale.ROOT,
                "%n| %s, slope %d to %d sessions | B live on the heap | outside | on disk | target |"
                        + " rounds |%n| --- | --- | --- | --- | --- | --- |%n| | %s | %s | %s | <= %.0f %s"
                        + " | %d |%n",
                NAME,
                first,
                last,
                live.text("%.0f"),
                Spread.of(slopes, Slope::outside).text("%.0f"),
                Spread.of(slopes, Slope::disk).text("%.0f"),
                TARGET_BYTES,
                live.median() <= TARGET_BYTES ? "met" : "MISSED",
                slopes.size());
    }

    private static Slope slope(BrokerProcess broker, int first, int last) throws IOException {
        Enrolment.enrol(broker, 0, first, "");
        Footprint before = settled(broker);
        long diskBefore = broker.folderBytes();
        Enrolment.enrol(broker, first, last, "");
        Footprint after = settled(broker);
        double more = last - first;
        Slope slope =
                new Slope(
                        (after.liveBytes() - before.liveBytes()) / more,
                        (after.outsideBytes() - before.outsideBytes()) / more,
                        (broker.folderBytes() - diskBefore) / more);
        System.err.println(slope);
        return slope;
    }

    private static Footprint settled(BrokerProcess broker) throws IOException {
        Filling.settle(broker);
        Filling.pause(SETTLE_MS);
        return Footprint.of(broker.pid());
    }
}
