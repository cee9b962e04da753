package io.godwit.benchmarks.load;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Clients of durable sessions came back and got what had waited for them.
 *
 * @param seconds from the first CONNECT to the last message
 * @param cpuSeconds of the broker meanwhile
 * @param firstMillis to the first message, median over the clients
 * @param firstMillisMost the longest
 * @param p99Alone of another client before, microseconds
 * @param p99Meanwhile of that client while they came back
 * @param p99Beside meanwhile, of such a client of a broker that nobody else uses: what the machine
 *     and the load program do to it
 */
record Drain(
        long messages,
        double seconds,
        double cpuSeconds,
        double firstMillis,
        double firstMillisMost,
        double p99Alone,
        double p99Meanwhile,
        double p99Beside,
        long missing,
        long repeated) {
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);

    /**
     * Queues messages while the clients are away, and lets them come back.
     *
     * @param idle a broker that nobody else uses
     * @param clients that {@link Enrolment} has made
     * @param each messages for each client
     * @param atOnce clients that connect at the same time
     */
    static Drain of(
            BrokerProcess broker,
            BrokerProcess idle,
            Options options,
            int clients,
            int each,
            int atOnce)
            throws IOException {
        long messages = (long) each * clients;
        if (messages > 0) {
            Filling.publish(broker, Filling.shape(clients, options.number("payload")), messages);
        }
        Filling.settle(broker);
        double alone = OtherClient.p99Alone(broker, options.number("latency-seconds"));
        try (LoadLoop loop = new LoadLoop(broker.address());
                OtherClient other = new OtherClient(broker, "other");
                OtherClient beside = new OtherClient(idle, "other")) {
            List<Subscriber> subscribers = subscribers(loop, clients);
            long cpu = ProcFs.cpuMicros(broker.pid());
            long start = System.nanoTime();
            loop.connect(subscribers, index -> broker.address(), atOnce);
            PartResult part =
                    loop.run(
                            0,
                            messages,
                            false,
                            QUIET_NANOS,
                            now -> {},
                            () -> loop.delivered() >= messages && allIdle(subscribers));
            long end = System.nanoTime();
            cpu = ProcFs.cpuMicros(broker.pid()) - cpu;
            if (part.fault() != null) throw new IOException(part.fault());
            List<Subscriber> reached = subscribers.stream().filter(s -> s.received() > 0).toList();
            Spread first =
                    reached.isEmpty()
                            ? new Spread(0, 0, 0)
                            : Spread.of(reached, s -> s.firstAfterNanos() / 1e6);
            Drain drain =
                    new Drain(
                            messages,
                            (end - start) / 1e9,
                            cpu / 1e6,
                            first.median(),
                            first.most(),
                            alone,
                            other.p99Micros(),
                            beside.p99Micros(),
                            messages - loop.delivered(),
                            part.repeated());
            System.err.println(broker.name() + ": " + drain);
            return drain;
        }
    }

    /** The clients, not connected yet. */
    static List<Subscriber> subscribers(LoadLoop loop, int clients) {
        return IntStream.range(0, clients)
                .mapToObj(n ->
                        new Subscriber(
                                loop,
                                Enrolment.clientId(n),
                                List.of(),
                                1,
                                Scenario.Sessions.DURABLE_SUBSCRIBERS))
                .toList();
    }

    /** Everything is acknowledged, so that nothing comes again next time. */
    static boolean allIdle(List<Subscriber> subscribers) {
        return subscribers.stream().allMatch(Subscriber::idle);
    }
}
