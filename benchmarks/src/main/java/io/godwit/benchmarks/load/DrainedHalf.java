package io.godwit.benchmarks.load;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * Question: do acknowledgements go on while the room of a large backlog is given back? Command:
 * {@code benchmarks/scenarios/run drained-half}: 3.4 GB wait for five clients, three of them take
 * theirs, and the broker writes its tables anew. Target: no acknowledgement takes a second.
 */
final class DrainedHalf {
    static final String NAME = "drained-half";
    private static final int MESSAGES = 3_400_000;
    private static final int CLIENTS = 5;
    private static final int DRAINED = 3;
    private static final int PAYLOAD_BYTES = 1_000;
    private static final double LIMIT_MS = 1_000;
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long ALONE_MS = 10_000;
    private static final long POLL_MS = 500;

    /** Of its tables, when what was drained is given back. */
    private static final double GIVEN_BACK = 0.5;

    private static final long GIVEN_BACK_SECONDS = 300;

    private final BrokerProcess broker;
    private final Path store;
    private final int messages;

    private DrainedHalf(BrokerProcess broker, Path store, int messages) {
        this.broker = broker;
        this.store = store;
        this.messages = messages;
    }

    static void run(String name, Options options, Path folder) throws IOException {
        Path logs = Files.createDirectories(folder.resolve(name));
        String[] settings = {"queues.messages=10000000", "queues.bytes=100GiB"};
        try (BrokerProcess broker = Compare.subject(options, logs, "subject", settings)) {
            int each = options.scaled(MESSAGES / CLIENTS);
            new DrainedHalf(broker, logs.resolve("subject").resolve("store"), each * CLIENTS).run();
        }
    }

    private void run() throws IOException {
        Enrolment.enrol(broker, 0, CLIENTS + 1, "");
        Filling.publish(broker, Filling.shape(CLIENTS, PAYLOAD_BYTES), messages, true);
        Filling.settle(broker);
        double before = bytes();
        System.out.printf(
                Locale.ROOT,
                "%n%d messages of %d B on %d queues, %.2f GB of tables%n%n| | s | GB | acknowledged |"
                        + " PUBACK ms, median | p99 | most (< %.0f) |%n| --- | --- | --- | --- |"
                        + " --- | --- | --- |%n",
                messages,
                PAYLOAD_BYTES,
                CLIENTS,
                before / 1e9,
                LIMIT_MS);
        try (AckProbe probe = new AckProbe(broker, CLIENTS)) {
            long begun = System.nanoTime();
            Filling.pause(ALONE_MS);
            row("nothing else", begun, probe);
            begun = System.nanoTime();
            drain();
            row("three of them are drained", begun, probe);
            begun = System.nanoTime();
            while (bytes() > before * GIVEN_BACK
                    && System.nanoTime() - begun < TimeUnit.SECONDS.toNanos(GIVEN_BACK_SECONDS)) {
                Filling.pause(POLL_MS);
            }
            row(bytes() > before * GIVEN_BACK ? "not given back" : "given back", begun, probe);
        }
    }

    /** Of the tables, without the journal and the ballast. */
    private double bytes() throws IOException {
        double sum = 0;
        try (DirectoryStream<Path> tables = Files.newDirectoryStream(store, "*.sst")) {
            for (Path table : tables) sum += size(table);
        }
        return sum;
    }

    private static long size(Path table) throws IOException {
        try {
            return Files.size(table);
        } catch (NoSuchFileException e) {
            return 0; // deleted meanwhile
        }
    }

    private void drain() throws IOException {
        Scenario.Sessions durable = Scenario.Sessions.DURABLE_SUBSCRIBERS;
        try (LoadLoop loop = new LoadLoop(broker.address())) {
            List<Subscriber> clients =
                    IntStream.range(0, DRAINED)
                            .mapToObj(n ->
                                    new Subscriber(
                                            loop, Enrolment.clientId(n), List.of(), 1, durable))
                            .toList();
            loop.connect(clients);
            long theirs = (long) messages / CLIENTS * DRAINED;
            PartResult part =
                    loop.run(
                            0,
                            theirs,
                            false,
                            QUIET_NANOS,
                            now -> {},
                            () ->
                                    loop.delivered() >= theirs
                                            && clients.stream().allMatch(Subscriber::idle));
            if (part.fault() != null) throw new IOException(part.fault());
            if (loop.delivered() != theirs) {
                throw new IOException(loop.delivered() + " of " + theirs + " messages came");
            }
        }
    }

    private void row(String what, long begun, AckProbe probe) throws IOException {
        Histogram taken = probe.take();
        double most = taken.getMaxValue() / 1e3;
        System.out.printf(
                Locale.ROOT,
                "| %s | %.1f | %.2f | %d | %.1f | %.1f | %.1f %s |%n",
                what,
                (System.nanoTime() - begun) / 1e9,
                bytes() / 1e9,
                taken.getTotalCount(),
                taken.getValueAtPercentile(50) / 1e3,
                taken.getValueAtPercentile(99) / 1e3,
                most,
                most < LIMIT_MS ? "met" : "MISSED");
    }
}
