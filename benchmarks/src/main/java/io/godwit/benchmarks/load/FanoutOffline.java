package io.godwit.benchmarks.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Question: what is written when one QoS 1 message of 1 KiB waits for 10 000 offline durable
 * sessions? Command: {@code benchmarks/scenarios/run fanout-offline}. Target: one payload row; at
 * most 8 payloads and 100 B for each session are written.
 */
final class FanoutOffline {
    static final String NAME = "fanout-offline";
    private static final int CLIENTS = 10_000;
    private static final int PAYLOAD_BYTES = 1_024;
    private static final String TABLES = "godwit_store_tables_bytes_total";
    private static final String PAYLOADS = "godwit_store_payloads_written_total";

    /** Longer than the store is idle before it flushes: what enrolled is not the message's. */
    private static final long ENROLMENT_FLUSH_MS = 15_000;

    private static final long FLUSH_SECONDS = 60;
    private static final String TOPIC = "offline/all";

    /**
     * What one message caused.
     *
     * @param tableBytes by flushes and compactions
     * @param kernelBytes by the process, as the kernel counts (whole pages, once for each sync)
     * @param payloads payload rows
     */
    private record Written(
            double journalBytes,
            double tableBytes,
            double kernelBytes,
            double rows,
            double payloads) {
        double bytes() {
            return journalBytes + tableBytes;
        }
    }

    private FanoutOffline() {}

    static void run(String name, Options options, Path folder) throws IOException {
        int clients = options.scaled(CLIENTS);
        Path logs = Files.createDirectories(folder.resolve(name));
        List<Written> rounds = new ArrayList<>();
        try (BrokerProcess broker = Compare.subject(options, logs, "subject", "sys.interval=0")) {
            Enrolment.enrol(broker, 0, clients, TOPIC);
            Filling.settle(broker);
            Filling.pause(ENROLMENT_FLUSH_MS);
            for (int i = 0; i < options.number("rounds"); i++) rounds.add(round(broker));
        }
        print(clients, rounds);
    }

    private static Written round(BrokerProcess broker) throws IOException {
        Metrics before = Metrics.of(broker.adminPort());
        long writtenBefore = ProcFs.writtenBytes(broker.pid());
        Publisher.Shape shape =
                new Publisher.Shape(
                        List.of(TOPIC.getBytes(UTF_8)), 1, 1, PAYLOAD_BYTES, Scenario.WRITE_BYTES);
        Filling.publish(broker, shape, 1);
        Filling.settle(broker);
        Metrics after = flushed(broker, before);
        StoreUse use = StoreUse.between(before, after);
        return new Written(
                use.journalBytes(),
                after.get(TABLES) - before.get(TABLES),
                ProcFs.writtenBytes(broker.pid()) - writtenBefore,
                use.rows(),
                after.get(PAYLOADS) - before.get(PAYLOADS));
    }

    /** An idle store flushes what is in memory only. */
    private static Metrics flushed(BrokerProcess broker, Metrics before) throws IOException {
        long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(FLUSH_SECONDS);
        while (!(Metrics.of(broker.adminPort()).get(TABLES) > before.get(TABLES))) {
            if (System.nanoTime() > limit) throw new IOException("nothing was flushed");
            Filling.pause(200);
        }
        Filling.pause(1_000); // The tables of all families.
        return Metrics.of(broker.adminPort());
    }

    private static void print(int clients, List<Written> rounds) {
        double target = 8.0 * PAYLOAD_BYTES + clients * 100.0;
        Spread written = Spread.of(rounds, Written::bytes);
        System.out.printf(
                Locale.ROOT,
                "%n| %s, %d sessions | rows | payload rows | journal B | table B | both | target | kernel B |%n"
                        + "| --- | --- | --- | --- | --- | --- | --- | --- |%n| 1 message of %d B | %s |"
                        + " %s | %s | %s | %s | <= %.0f %s | %s |%n",
                NAME,
                clients,
                PAYLOAD_BYTES,
                Spread.of(rounds, Written::rows).text("%.0f"),
                Spread.of(rounds, Written::payloads).text("%.0f"),
                Spread.of(rounds, Written::journalBytes).text("%.0f"),
                Spread.of(rounds, Written::tableBytes).text("%.0f"),
                written.text("%.0f"),
                target,
                written.median() <= target ? "met" : "MISSED",
                Spread.of(rounds, Written::kernelBytes).text("%.0f"));
    }
}
