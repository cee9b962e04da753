package io.godwit.benchmarks.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/**
 * Clients of durable sessions that come back together, to one broker or to the nodes of a cluster.
 *
 * @param payloadBytes of each message
 */
public record OfflineClients(int count, int payloadBytes) {
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(20);

    /**
     * They came back and got what had waited for them.
     *
     * @param seconds from the first CONNECT to the last message
     * @param firstMillis to the first message, median over the clients
     * @param bytes of the PUBLISH packets
     */
    public record Return(
            double seconds, double firstMillis, long bytes, long missing, long repeated) {}

    /**
     * Makes the sessions; each subscribes to its own topic.
     *
     * @param nodes where each client connects, by its number
     */
    public void enrol(IntFunction<InetSocketAddress> nodes) throws IOException {
        Enrolment.enrol(0, count, "", nodes);
        System.err.printf(Locale.ROOT, "%d sessions enrolled%n", count);
    }

    /** Publishes so many messages for each client; returns when all are acknowledged. */
    public void queue(BrokerProcess at, int each) throws IOException {
        Filling.publish(at, Filling.shape(count, payloadBytes), (long) each * count);
    }

    /**
     * Lets all of them connect at the same moment and take what waits for them.
     *
     * @param nodes where each client connects, by its number
     * @param each messages that wait for each client
     */
    public Return comeBack(IntFunction<InetSocketAddress> nodes, int each) throws IOException {
        long messages = (long) each * count;
        try (LoadLoop loop = new LoadLoop(nodes.apply(0))) {
            List<Subscriber> clients = Drain.subscribers(loop, count);
            long start = System.nanoTime();
            loop.connect(clients, nodes, count);
            PartResult part =
                    loop.run(
                            0,
                            messages,
                            false,
                            QUIET_NANOS,
                            now -> {},
                            () -> loop.delivered() >= messages && Drain.allIdle(clients));
            double seconds = (System.nanoTime() - start) / 1e9;
            if (part.fault() != null) throw new IOException(part.fault());
            List<Subscriber> reached = clients.stream().filter(c -> c.received() > 0).toList();
            double firstMillis =
                    reached.isEmpty()
                            ? Double.NaN
                            : Spread.of(reached, c -> c.firstAfterNanos() / 1e6).median();
            int topicBytes = Enrolment.topic(0).length();
            return new Return(
                    seconds,
                    firstMillis,
                    loop.delivered() * Frames.publishBytes(topicBytes, 1, payloadBytes),
                    messages - loop.delivered(),
                    part.repeated());
        }
    }
}
