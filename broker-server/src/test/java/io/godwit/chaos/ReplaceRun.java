package io.godwit.chaos;

import io.godwit.server.BrokerProcess;
import io.godwit.server.extension.TestExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/**
 * Replaces an extension again and again while clients publish: its interceptor marks each message
 * with its version. No connection ends, no message is lost, comes twice or without a mark, and
 * versions never fall for one client.
 */
final class ReplaceRun {
    private static final String ID = "marks";

    /** After so many replacements it is looked at the memory for the first time. */
    private static final int FIRST_LOOK = 10;

    /**
     * @param clients that publish and subscribe
     * @param perSecond messages of each client
     * @param gapMs between two replacements
     */
    record Size(int clients, double perSecond, int replacements, int gapMs) {}

    /**
     * @param faults broken promises
     * @param versions that the last messages were marked with, the lowest of all clients
     * @param loaders class loaders of the extension at the end
     * @param metaspaceFirstKib after the tenth replacement
     */
    record Report(
            List<String> faults,
            long messages,
            long versions,
            double p99Ms,
            long loaders,
            double leaked,
            long metaspaceFirstKib,
            long metaspaceLastKib) {
        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%d messages, the last ones by version %d: %d faults; p99 %.2f ms; at the end"
                            + " %d class loaders of extensions (%.0f counted as leaked); metaspace"
                            + " %d KiB after %d replacements, %d KiB at the end",
                    messages,
                    versions,
                    faults.size(),
                    p99Ms,
                    loaders,
                    leaked,
                    metaspaceFirstKib,
                    FIRST_LOOK,
                    metaspaceLastKib);
        }
    }

    private ReplaceRun() {}

    private static TestExtension extension(int version) {
        return TestExtension.starting(
                        ID,
                        """
                        String version = context.info().version();
                        context.registrations().publishInterceptor("mark/#", (client, publish) ->
                                Interception.changed(publish.change()
                                        .text(publish.payload().text() + " " + version)
                                        .build()).now(), OnFailure.REFUSE);
                        """)
                .version(String.valueOf(version));
    }

    static Report run(Size size, Path folder, Consumer<String> out)
            throws IOException, InterruptedException {
        Path extensions = Files.createDirectories(folder.resolve("extensions"));
        Path own = extension(1).writeTo(extensions);
        try (BrokerProcess broker =
                        new BrokerProcess.Setup()
                                .in(folder)
                                .set(
                                        "extensions.folder=" + extensions,
                                        "extensions.watch=0",
                                        "log.level=warn")
                                .start();
                EchoClients clients =
                        new EchoClients(broker.port("mqtt"), "mark", size.clients, true)) {
            Jvm jvm = new Jvm(broker);
            clients.run(size.perSecond, 2); // Warm.
            int[] from = clients.received();
            List<Long> metaspace = new ArrayList<>();
            CompletableFuture<Void> replacing =
                    CompletableFuture.runAsync(() -> replace(size, own, jvm, metaspace, out));
            do {
                clients.run(size.perSecond, size.gapMs / 1e3);
            } while (!replacing.isDone());
            replacing.join();
            clients.run(size.perSecond, 1);
            Thread.sleep(1_000);
            return new Report(
                    clients.faults(),
                    clients.all().stream().mapToLong(EchoClient::sent).sum(),
                    clients.all().stream().mapToLong(EchoClient::version).min().orElse(0),
                    clients.p99Ms(from),
                    jvm.loaders(),
                    jvm.metric("godwit_extension_loaders_leaked_total"),
                    metaspace.getFirst(),
                    metaspace.getLast());
        }
    }

    private static void replace(
            Size size, Path own, Jvm jvm, List<Long> metaspace, Consumer<String> out) {
        try {
            String descriptor = Files.readString(own.resolve("extension.yaml"));
            long begin = System.currentTimeMillis();
            for (int i = 1; i <= size.replacements; i++) {
                Thread.sleep(
                        Math.max(0, begin + (long) i * size.gapMs - System.currentTimeMillis()));
                Files.writeString(
                        own.resolve("extension.yaml"),
                        descriptor.replace("\"1\"", "\"" + (i + 1) + "\""));
                jvm.ask("POST", "/extensions/" + ID + "/replace");
                if (i == Math.min(FIRST_LOOK, size.replacements) || i == size.replacements) {
                    metaspace.add(jvm.metaspaceKib());
                    out.accept(i + " replacements");
                }
            }
        } catch (IOException | InterruptedException e) {
            throw new CompletionException(e);
        }
    }
}
