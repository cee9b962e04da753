package io.godwit.chaos;

import io.godwit.server.BrokerProcess;
import io.godwit.server.extension.TestExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Has an extension sleep for a second in each of its calls about clients {@code slow-*}, and looks
 * at how long the messages of others take, whom it is asked about, too.
 */
final class SlowClientRun {
    private static final double QUIET_SECONDS = 2;

    /** How much longer the messages of others may take. */
    static final double TIMES_MAX = 1.5;

    /**
     * @param clients that the extension answers for at once
     * @param slow clients that it sleeps for; it has one thread more
     * @param perSecond messages of each client
     */
    record Size(int clients, int slow, double perSecond, double seconds) {}

    /**
     * @param longTurns by how much {@code loop.turns.long} has risen meanwhile
     * @param slowMessages messages of slow clients that have come back
     */
    record Report(
            List<String> faults, double quietMs, double p99Ms, double longTurns, int slowMessages) {
        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "p99 of others %.2f ms, quiet %.2f: %.2f times (wanted: %.1f); loop.turns.long"
                            + " rose by %.0f (wanted: 0); %d messages of slow clients came; %d faults",
                    p99Ms,
                    quietMs,
                    p99Ms / quietMs,
                    TIMES_MAX,
                    longTurns,
                    slowMessages,
                    faults.size());
        }
    }

    private SlowClientRun() {}

    static Report run(Size size, Path folder) throws IOException, InterruptedException {
        Path extensions = Files.createDirectories(folder.resolve("extensions"));
        TestExtension.starting(
                        "sleeper",
                        """
                        context.registrations().publishInterceptor("#", (client, publish) -> {
                            if (client.clientId().startsWith("slow-")) {
                                Thread.sleep(1_000);
                            }
                            return Interception.<io.godwit.extension.packet.PublishPacket>
                                    unchanged().now();
                        }, OnFailure.REFUSE);
                        """)
                .says("threads: " + (size.slow + 1))
                .writeTo(extensions);
        try (BrokerProcess broker =
                        new BrokerProcess.Setup()
                                .in(folder)
                                .set(
                                        "extensions.folder=" + extensions,
                                        "extensions.watch=0",
                                        "log.level=warn")
                                .start();
                EchoClients others =
                        new EchoClients(broker.port("mqtt"), "other", size.clients, false);
                EchoClients slow = new EchoClients(broker.port("mqtt"), "slow", size.slow, false)) {
            others.run(size.perSecond, QUIET_SECONDS); // Warm.
            others.run(size.perSecond, QUIET_SECONDS);
            int[] quietFrom = others.received();
            others.run(size.perSecond, size.seconds);
            double quiet = others.p99Ms(quietFrom);
            int[] from = others.received();
            Jvm jvm = new Jvm(broker);
            double turns = jvm.metric("godwit_loop_turns_long_total");
            for (EchoClient each : slow.all()) {
                for (int i = 0; i < 1 + size.seconds / 2; i++) {
                    each.publish();
                }
            }
            others.run(size.perSecond, size.seconds);
            double longTurns = jvm.metric("godwit_loop_turns_long_total") - turns;
            List<String> faults = new ArrayList<>(others.faults());
            slow.run(0, 0); // Nothing more: waits for what is under way.
            faults.addAll(slow.faults());
            return new Report(
                    faults,
                    quiet,
                    others.p99Ms(from),
                    longTurns,
                    slow.all().stream().mapToInt(EchoClient::received).sum());
        }
    }
}
