package io.godwit.benchmarks.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Question: what does a start cost when much is queued? Command: {@code benchmarks/scenarios/run
 * reopen} (20 million messages of 100 B on 100 000 queues) and {@code reopen-one} (on a single one,
 * its limits raised), with a 1 GiB heap. Once after an orderly stop and once after SIGKILL. Target:
 * ready within 30 s of CPU time, memory bounded; then the messages are there.
 */
final class Reopen {
    private record Shape(String name, int clients, int messagesEach) {}

    /** One start, at the moment when it answers the first CONNECT. */
    private record Ready(
            String after,
            double seconds,
            double cpuSeconds,
            long residentBytes,
            Footprint footprint,
            double queued,
            long folderBytes) {}

    /** What clients that came back got; without all of it the figures are worth nothing. */
    private record Check(int clients, long messages, long delivered, long repeated) {
        boolean isWhole() {
            return delivered == messages && repeated == 0;
        }

        String text() {
            return clients
                    + " clients came back: "
                    + delivered
                    + " of "
                    + messages
                    + " messages, "
                    + repeated
                    + " repeated";
        }
    }

    private static final List<Shape> SHAPES =
            List.of(new Shape("reopen", 100_000, 200), new Shape("reopen-one", 1, 20_000_000));
    static final List<String> NAMES = SHAPES.stream().map(Shape::name).toList();
    private static final double TARGET_CPU_SECONDS = 30;
    private static final int CHECKED_CLIENTS = 100;
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final double MIB = 1 << 20;

    private Reopen() {}

    static void run(String name, Options options, Path folder) throws IOException {
        Shape shape = SHAPES.stream().filter(s -> s.name().equals(name)).findFirst().orElseThrow();
        int clients = shape.clients() == 1 ? 1 : options.scaled(shape.clients());
        int each =
                shape.clients() == 1 ? options.scaled(shape.messagesEach()) : shape.messagesEach();
        long messages = (long) clients * each;
        Path logs = Files.createDirectories(folder.resolve(name));
        List<Ready> starts = new ArrayList<>();
        Check check;
        BrokerProcess broker =
                Compare.subject(
                        options,
                        logs,
                        "subject",
                        "queues.messages=100000000",
                        "queues.bytes=100GiB");
        try {
            // The launcher may have built before that start, and the first one fills caches.
            broker = reopened(broker, "orderly, empty", starts, false);
            Enrolment.enrol(broker, 0, clients, "");
            Filling.publish(broker, Filling.shape(clients, options.number("payload")), messages);
            Filling.settle(broker);
            broker = reopened(broker, "orderly stop", starts, false);
            broker = reopened(broker, "SIGKILL", starts, true);
            check = check(broker, Math.min(clients, CHECKED_CLIENTS), each);
        } finally {
            broker.close();
        }
        print(name, clients, messages, starts, check);
    }

    private static BrokerProcess reopened(
            BrokerProcess broker, String after, List<Ready> starts, boolean kill)
            throws IOException {
        if (kill) broker.kill();
        else broker.close();
        long start = System.nanoTime();
        BrokerProcess next = broker.again();
        double seconds = (System.nanoTime() - start) / 1e9;
        double cpuSeconds = ProcFs.cpuMicros(next.pid()) / 1e6;
        long resident = ProcFs.residentBytes(next.pid());
        Ready ready =
                new Ready(
                        after,
                        seconds,
                        cpuSeconds,
                        resident,
                        Footprint.of(next.pid()),
                        Metrics.of(next.adminPort()).get("godwit_store_queued"),
                        next.folderBytes());
        starts.add(ready);
        System.err.printf(
                Locale.ROOT, "%s: ready after %.1f s, %.1f s CPU%n", after, seconds, cpuSeconds);
        return next;
    }

    /** Some clients come back for what has waited. */
    private static Check check(BrokerProcess broker, int clients, int each) throws IOException {
        long messages = (long) clients * each;
        try (LoadLoop loop = new LoadLoop(broker.address())) {
            List<Subscriber> subscribers = new ArrayList<>();
            for (int n = 0; n < clients; n++) {
                subscribers.add(
                        new Subscriber(
                                loop,
                                Enrolment.clientId(n),
                                List.of(),
                                1,
                                Scenario.Sessions.DURABLE_SUBSCRIBERS));
            }
            loop.connect(subscribers);
            PartResult part =
                    loop.run(
                            0,
                            messages,
                            false,
                            QUIET_NANOS,
                            now -> {},
                            () -> loop.delivered() >= messages);
            if (part.fault() != null) throw new IOException(part.fault());
            return new Check(clients, messages, loop.delivered(), part.repeated());
        }
    }

    private static void print(
            String name, int clients, long messages, List<Ready> starts, Check check) {
        System.out.printf(
                Locale.ROOT,
                "%n%s: %d messages on %d queues. %s.%n%n| start after | s to the first CONNACK | CPU s |"
                        + " target | RSS MiB | live heap MiB | outside the heap MiB | queued rows | store"
                        + " MiB |%n| --- | --- | --- | --- | --- | --- | --- | --- | --- |%n",
                name,
                messages,
                clients,
                check.text());
        for (Ready ready : starts) {
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %.2f | %.2f | <= %.0f %s | %.0f | %.0f | %.0f | %.0f | %.0f |%n",
                    ready.after(),
                    ready.seconds(),
                    ready.cpuSeconds(),
                    TARGET_CPU_SECONDS,
                    check.isWhole() && ready.cpuSeconds() <= TARGET_CPU_SECONDS ? "met" : "MISSED",
                    ready.residentBytes() / MIB,
                    ready.footprint().liveBytes() / MIB,
                    ready.footprint().outsideBytes() / MIB,
                    ready.queued(),
                    ready.folderBytes() / MIB);
        }
    }
}
