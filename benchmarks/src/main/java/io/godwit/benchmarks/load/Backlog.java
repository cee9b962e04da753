package io.godwit.benchmarks.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * Question: how fast does a client that comes back get what has waited for it, and who notices?
 * Command: {@code benchmarks/scenarios/run backlog-one} (1 000 000 messages of 100 B for one
 * client) and {@code backlog-many} (100 for each of 10 000 clients). Target: at least 0.8 of the
 * speed of live traffic to the same clients; the time to the first message does not grow with the
 * backlog; another client's p99 at most doubles.
 */
final class Backlog {
    private record Shape(String name, int clients, int messagesEach) {}

    /** The same clients and messages while they are online. */
    private record Live(double perSecond, double cpuMicros, double p99Meanwhile) {}

    private static final List<Shape> SHAPES =
            List.of(new Shape("backlog-one", 1, 1_000_000), new Shape("backlog-many", 10_000, 100));
    static final List<String> NAMES = SHAPES.stream().map(Shape::name).toList();
    private static final double OF_LIVE = 0.8;
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final BrokerProcess broker;
    private final Options options;
    private final int clients;

    private Backlog(BrokerProcess broker, Options options, int clients) {
        this.broker = broker;
        this.options = options;
        this.clients = clients;
    }

    static void run(String name, Options options, Path folder) throws IOException {
        Shape shape = SHAPES.stream().filter(s -> s.name().equals(name)).findFirst().orElseThrow();
        // The scale goes where there is more to take from.
        int clients = shape.clients() == 1 ? 1 : options.scaled(shape.clients());
        int each =
                shape.clients() == 1 ? options.scaled(shape.messagesEach()) : shape.messagesEach();
        Path logs = Files.createDirectories(folder.resolve(name));
        List<List<Drain>> drains = new ArrayList<>();
        List<Live> lives = new ArrayList<>();
        int[] sizes = {0, Math.max(1, each / 100), Math.max(2, each / 10), Math.max(3, each)};
        for (int ignored : sizes) drains.add(new ArrayList<>());
        try (BrokerProcess idle = Compare.subject(options, logs, "idle");
                BrokerProcess broker =
                        Compare.subject(options, logs, "subject", "queues.messages=2000000")) {
            Backlog backlog = new Backlog(broker, options, clients);
            Enrolment.enrol(broker, 0, clients, "");
            for (int i = 0; i < options.number("warmup"); i++) {
                backlog.live(sizes[2]);
                Drain.of(broker, idle, options, clients, sizes[2], LoadLoop.CONNECTS_AT_ONCE);
            }
            for (int round = 0; round < options.number("rounds"); round++) {
                lives.add(backlog.live(each));
                for (int s = 0; s < sizes.length; s++) {
                    drains.get(s)
                            .add(
                                    Drain.of(
                                            broker,
                                            idle,
                                            options,
                                            clients,
                                            sizes[s],
                                            LoadLoop.CONNECTS_AT_ONCE));
                }
            }
        }
        print(name, clients, drains, lives);
    }

    private Live live(int each) throws IOException {
        long messages = (long) each * clients;
        try (LoadLoop loop = new LoadLoop(broker.address());
                OtherClient other = new OtherClient(broker, "other")) {
            List<Subscriber> subscribers = Drain.subscribers(loop, clients);
            loop.connect(subscribers);
            Publisher publisher =
                    new Publisher(
                            loop, "filler", Filling.shape(clients, options.number("payload")));
            loop.connect(List.of(publisher));
            long cpu = ProcFs.cpuMicros(broker.pid());
            PartResult part =
                    loop.run(
                            messages,
                            messages,
                            false,
                            QUIET_NANOS,
                            now -> publisher.pump(),
                            () ->
                                    loop.delivered() >= messages
                                            && publisher.idle()
                                            && Drain.allIdle(subscribers));
            cpu = ProcFs.cpuMicros(broker.pid()) - cpu;
            if (part.fault() != null) throw new IOException(part.fault());
            Live live = new Live(part.perSecond(), (double) cpu / messages, other.p99Micros());
            System.err.println("live " + live);
            return live;
        }
    }

    private static void print(
            String name, int clients, List<List<Drain>> drains, List<Live> lives) {
        Spread liveRate = Spread.of(lives, Live::perSecond);
        System.out.printf(
                Locale.ROOT,
                "%n%s, %d clients, live: %s k msg/s, %s us CPU per message, p99 of another client %s us%n%n",
                name,
                clients,
                Spread.of(lives, l -> l.perSecond() / 1e3).text("%.1f"),
                Spread.of(lives, Live::cpuMicros).text("%.2f"),
                Spread.of(lives, Live::p99Meanwhile).text("%.0f"));
        System.out.println(
                "| backlog | seconds | k msg/s less connecting | of live (>= 0.8) | CPU us/msg less"
                        + " connecting | first message ms, median | most | p99 of another client us:"
                        + " quiet | meanwhile | at an idle broker | ratio (<= 2) | missing | repeated |\n"
                        + "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
        double connecting = median(drains.get(0), Drain::seconds);
        double connectingCpu = median(drains.get(0), Drain::cpuSeconds);
        for (List<Drain> of : drains) {
            long messages = of.get(0).messages();
            // Connecting and draining overlap, so what is left may be nothing.
            double seconds = Math.max(1e-3, median(of, Drain::seconds) - connecting);
            double cpu = Math.max(0, median(of, Drain::cpuSeconds) - connectingCpu);
            Spread ratio = Spread.of(of, d -> d.p99Meanwhile() / d.p99Alone());
            String figures =
                    messages == 0
                            ? Spread.of(of, Drain::seconds).text("%.3f") + " | - | - | -"
                            : String.format(
                                    Locale.ROOT,
                                    "%s | %.1f | %.2f %s | %.2f",
                                    Spread.of(of, Drain::seconds).text("%.3f"),
                                    messages / seconds / 1e3,
                                    messages / seconds / liveRate.median(),
                                    messages / seconds >= liveRate.median() * OF_LIVE
                                            ? "met"
                                            : "MISSED",
                                    cpu * 1e6 / messages);
            System.out.printf(
                    Locale.ROOT,
                    "| %d | %s | %s | %.1f | %.0f | %.0f | %.0f | %s %s | %d | %d |%n",
                    messages,
                    figures,
                    Spread.of(of, Drain::firstMillis).text("%.1f"),
                    median(of, Drain::firstMillisMost),
                    median(of, Drain::p99Alone),
                    median(of, Drain::p99Meanwhile),
                    median(of, Drain::p99Beside),
                    ratio.text("%.2f"),
                    ratio.median() <= 2 ? "met" : "MISSED",
                    of.stream().mapToLong(Drain::missing).sum(),
                    of.stream().mapToLong(Drain::repeated).sum());
        }
    }

    private static double median(List<Drain> of, ToDoubleFunction<Drain> figure) {
        return Spread.of(of, figure).median();
    }
}
