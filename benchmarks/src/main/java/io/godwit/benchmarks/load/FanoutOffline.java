package io.godwit.benchmarks.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Question: what is written when one QoS 1 message of 1 KiB waits for 10 000 offline durable
 * sessions? Command: {@code benchmarks/scenarios/run fanout-offline}. Target: one payload row; at
 * most 8 payloads and 100 B for each session are written.
 */
final class FanoutOffline {
    static final String NAME = "fanout-offline";
    private static final int CLIENTS = 10_000;
    private static final int PAYLOAD_BYTES = 1_024;
    private static final String TOPIC = "offline/all";

    /**
     * What one message caused.
     *
     * @param writtenBytes by the process, as the kernel counts (by the page)
     * @param payloads payload rows
     */
    private record Written(
            double journalBytes, double writtenBytes, double rows, double payloads) {}

    private FanoutOffline() {}

    static void run(String name, Options options, Path folder) throws IOException {
        int clients = options.scaled(CLIENTS);
        Path logs = Files.createDirectories(folder.resolve(name));
        List<Written> rounds = new ArrayList<>();
        try (BrokerProcess broker = Compare.subject(options, logs, "subject", "sys.interval=0")) {
            Enrolment.enrol(broker, 0, clients, TOPIC);
            Filling.settle(broker);
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
        Metrics after = Metrics.of(broker.adminPort());
        StoreUse use = StoreUse.between(before, after);
        return new Written(
                use.journalBytes(),
                ProcFs.writtenBytes(broker.pid()) - writtenBefore,
                use.rows(),
                after.get("godwit_store_payloads") - before.get("godwit_store_payloads"));
    }

    private static void print(int clients, List<Written> rounds) {
        double target = 8.0 * PAYLOAD_BYTES + clients * 100.0;
        Spread written = Spread.of(rounds, Written::writtenBytes);
        System.out.printf(
                Locale.ROOT,
                "%n| %s, %d sessions | rows | payload rows | journal B | written B | target |%n"
                        + "| --- | --- | --- | --- | --- | --- |%n| 1 message of %d B | %s | %s | %s | %s"
                        + " | <= %.0f %s |%n",
                NAME,
                clients,
                PAYLOAD_BYTES,
                Spread.of(rounds, Written::rows).text("%.0f"),
                Spread.of(rounds, Written::payloads).text("%.0f"),
                Spread.of(rounds, Written::journalBytes).text("%.0f"),
                written.text("%.0f"),
                target,
                written.median() <= target ? "met" : "MISSED");
    }
}
