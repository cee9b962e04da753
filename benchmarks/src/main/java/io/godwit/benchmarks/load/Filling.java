package io.godwit.benchmarks.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Publishes for sessions that are offline, and waits until the broker has put it away. */
public final class Filling {
    static final int WINDOW = 1_000;
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long SETTLE_SECONDS = 60;
    private static final long POLL_MS = 100;

    private Filling() {}

    /** Topics of so many clients, in turn. */
    static Publisher.Shape shape(int clients, int payloadBytes) {
        return new Publisher.Shape(
                IntStream.range(0, clients)
                        .mapToObj(n -> Enrolment.topic(n).getBytes(UTF_8))
                        .toList(),
                1,
                WINDOW,
                payloadBytes,
                Scenario.WRITE_BYTES);
    }

    /**
     * Sends so many messages and returns when all are acknowledged.
     *
     * @return messages a second
     */
    static double publish(BrokerProcess broker, Publisher.Shape shape, long messages)
            throws IOException {
        return publish(broker, shape, messages, false);
    }

    /**
     * The same.
     *
     * @param noise payloads are noise: what they take on the disk is what they are
     */
    static double publish(BrokerProcess broker, Publisher.Shape shape, long messages, boolean noise)
            throws IOException {
        try (LoadLoop loop = new LoadLoop(broker.address())) {
            Publisher publisher = new Publisher(loop, "filler", shape);
            if (noise) publisher.noise();
            loop.connect(List.of(publisher));
            long start = System.nanoTime();
            PartResult part =
                    loop.run(
                            messages,
                            0,
                            false,
                            QUIET_NANOS,
                            now -> publisher.pump(),
                            () -> publisher.sent() == messages && publisher.idle());
            if (part.fault() != null) throw new IOException(broker.name() + ": " + part.fault());
            if (!publisher.idle() || publisher.sent() != messages) {
                throw new IOException(broker.name() + " acknowledged nothing for a minute");
            }
            double perSecond = messages * 1e9 / (System.nanoTime() - start);
            System.err.printf(
                    Locale.ROOT,
                    "%s: %d messages queued, %.0f/s%n",
                    broker.name(),
                    messages,
                    perSecond);
            return perSecond;
        }
    }

    /** Waits until the journal's window is empty: what was published is in rows. */
    public static void settle(BrokerProcess broker) throws IOException {
        long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(SETTLE_SECONDS);
        while (Metrics.of(broker.adminPort()).get("godwit_store_window_bytes") > 0) {
            if (System.nanoTime() > limit) {
                throw new IOException(broker.name() + ": the journal's window does not end");
            }
            pause(POLL_MS);
        }
    }

    /** Sleeps. */
    public static void pause(long millis) throws IOException {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
