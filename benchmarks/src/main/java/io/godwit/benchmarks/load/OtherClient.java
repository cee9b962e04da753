package io.godwit.benchmarks.load;

import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.HdrHistogram.Histogram;

/**
 * A transient pair with an even rate of QoS 1 messages, on a thread of its own: what it notices of
 * the load that others make.
 */
final class OtherClient implements Closeable {
    private static final double RATE = 500;
    private static final double PART_SECONDS = 0.25;

    private final Workload workload;
    private final FutureTask<Histogram> task = new FutureTask<>(this::measure);
    private volatile boolean stopped;

    OtherClient(BrokerProcess broker, String topicPrefix) throws IOException {
        Scenario pair =
                new Scenario(
                        topicPrefix,
                        1,
                        1,
                        1,
                        1,
                        100,
                        Scenario.PAYLOAD_BYTES,
                        Scenario.WRITE_BYTES,
                        0,
                        (int) RATE,
                        Scenario.Sessions.TRANSIENT,
                        1);
        workload = Workload.open(pair, broker.address());
        Thread thread = new Thread(task, "other-client");
        thread.setDaemon(true);
        thread.start();
    }

    /** The 99th percentile of a quiet time. */
    static double p99Alone(BrokerProcess broker, double seconds) throws IOException {
        try (OtherClient alone = new OtherClient(broker, "other")) {
            Filling.pause((long) (seconds * 1000));
            return alone.p99Micros();
        }
    }

    /** Ends the measurement. */
    double p99Micros() throws IOException {
        stopped = true;
        try {
            return task.get().getValueAtPercentile(99) / 1e3;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        }
    }

    private Histogram measure() throws IOException {
        Histogram all = new Histogram(3);
        all.setAutoResize(true);
        while (!stopped) {
            PartResult part = workload.paced(RATE, PART_SECONDS);
            if (part.fault() != null) throw new IOException("other client: " + part.fault());
            if (part.loss() > 0) throw new IOException("another client's messages got lost");
            all.add(part.latency());
        }
        return all;
    }

    @Override
    public void close() throws IOException {
        p99Micros();
        workload.close();
    }
}
