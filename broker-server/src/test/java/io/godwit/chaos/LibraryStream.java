package io.godwit.chaos;

import io.godwit.clients.ProgramRun;
import io.godwit.core.packet.ProtocolVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A stream of QoS 2 messages between two clients of somebody else's library that keep their
 * sessions, with {@code kill -9} in its middle.
 */
final class LibraryStream {
    private static final Duration LONGEST = Duration.ofSeconds(90);
    private static final long QUIET_MS = 3_000;
    private static final int BETWEEN_KILLS_MS = 2_000;

    /** The libraries whose clients take part. */
    enum Library {
        PAHO_PYTHON {
            @Override
            List<String> command(Path scratch) {
                return List.of(
                        sources("python/.venv/bin/python").toString(),
                        sources("python/stream.py").toString());
            }
        },
        PAHO_GO {
            @Override
            List<String> command(Path scratch) {
                Path program = scratch.resolve("stream-go");
                if (!Files.exists(program)) {
                    List<String> build = List.of("go", "build", "-o", program.toString(), ".");
                    try (ProgramRun run = ProgramRun.start(sources("go/stream"), build)) {
                        run.awaitEnd(Duration.ofMinutes(5));
                        if (run.exitCode() != 0) {
                            throw new AssertionError(run.toString());
                        }
                    }
                }
                return List.of(program.toString());
            }
        };

        /**
         * The program of src/test that is one half of the stream.
         *
         * @param scratch for what has to be built
         */
        abstract List<String> command(Path scratch);

        /** Below this module's src/test, from the module's folder or the checkout's. */
        static Path sources(String path) {
            Path here = Path.of("src/test", path);
            return (Files.exists(here) ? here : Path.of("broker-server/src/test", path))
                    .toAbsolutePath();
        }
    }

    private LibraryStream() {}

    /**
     * @param version one that the library speaks
     * @param messages that are published, one each millisecond
     * @param kills of the broker, the first while the stream begins
     */
    static StreamJudge.Verdict run(
            Library library,
            ProtocolVersion version,
            int messages,
            int kills,
            long seed,
            Path folder)
            throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        Path data = Files.createDirectories(folder.resolve("seed-" + seed));
        try (Broker broker = new Broker(data, List.of(), Map.of());
                PacketRecord published = new PacketRecord(version);
                PacketRecord delivered = new PacketRecord(version)) {
            start(broker, published, delivered);
            try (ProgramRun sub = start(library, folder, "sub", version, delivered, 0)) {
                sub.awaitLine("ready"::equals, LONGEST);
                try (ProgramRun pub = start(library, folder, "pub", version, published, messages)) {
                    awaitFirst(published);
                    pause(random.nextInt(messages));
                    for (int i = 0; i < kills; i++) {
                        broker.kill();
                        start(broker, published, delivered);
                        pause(BETWEEN_KILLS_MS + random.nextInt(messages));
                    }
                    pub.awaitLine("published"::equals, LONGEST);
                    awaitQuiet(published, delivered);
                }
                sub.kill();
                return StreamJudge.judge(
                        published.seen(), delivered.seen(), numbers(sub.awaitEnd(LONGEST)));
            }
        }
    }

    private static void start(Broker broker, PacketRecord... records) {
        broker.start();
        for (PacketRecord record : records) {
            record.brokerIs(broker.process().port("mqtt"));
        }
    }

    private static ProgramRun start(
            Library library,
            Path folder,
            String role,
            ProtocolVersion version,
            PacketRecord record,
            int messages) {
        List<String> command = new ArrayList<>(library.command(folder));
        command.addAll(
                List.of(
                        "--role",
                        role,
                        "--port",
                        "" + record.port(),
                        "--protocol",
                        switch (version) {
                            case MQTT_3_1 -> "31";
                            case MQTT_3_1_1 -> "311";
                            case MQTT_5 -> "5";
                        },
                        "--count",
                        "" + messages));
        return ProgramRun.start(command);
    }

    private static List<Integer> numbers(List<String> lines) {
        return lines.stream()
                .filter(line -> line.startsWith("got "))
                .map(line -> Integer.valueOf(line.substring(4)))
                .toList();
    }

    private static void awaitFirst(PacketRecord published) {
        long end = System.nanoTime() + LONGEST.toNanos();
        while (published.seen().isEmpty()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("nothing was published");
            }
            pause(10);
        }
    }

    /** Waits until neither side has sent anything for a while. */
    private static void awaitQuiet(PacketRecord one, PacketRecord other) {
        long end = System.nanoTime() + LONGEST.toNanos();
        int before;
        int now = one.seen().size() + other.seen().size();
        do {
            before = now;
            pause(QUIET_MS);
            now = one.seen().size() + other.seen().size();
        } while (now != before && System.nanoTime() < end);
    }

    private static void pause(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
