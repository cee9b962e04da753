package io.godwit.benchmarks.load.cluster;

import io.godwit.benchmarks.load.BrokerProcess;
import io.godwit.benchmarks.load.PartResult;
import io.godwit.benchmarks.load.Placement;
import io.godwit.benchmarks.load.Scenario;
import io.godwit.benchmarks.load.Workload;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.HdrHistogram.Histogram;

/**
 * Transient pairs, each over two nodes, with an even rate of QoS 1 messages on a thread of their
 * own: the traffic beside which something else is measured.
 */
final class Beside implements Closeable {
    private static final double PART_SECONDS = 1;

    private final Workload workload;
    private final int rate;
    private final FutureTask<Histogram> task = new FutureTask<>(this::measure);
    private volatile boolean stopped;

    /**
     * @param rate messages a second, all pairs together
     */
    Beside(Nodes cluster, int rate) throws IOException {
        this.rate = rate;
        List<InetSocketAddress> at =
                new ArrayList<>(cluster.all().stream().map(BrokerProcess::address).toList());
        List<InetSocketAddress> next = new ArrayList<>(at.subList(1, at.size()));
        next.add(at.get(0));
        workload = Workload.open(pairs("beside", at.size(), rate), new Placement(at, next));
        Thread.ofPlatform().daemon().name("beside").start(task);
    }

    /** So many transient pairs with QoS 1, 100 in flight each. */
    static Scenario pairs(String name, int pairs, int rate) {
        return new Scenario(
                name,
                pairs,
                1,
                1,
                1,
                100,
                Scenario.PAYLOAD_BYTES,
                Scenario.WRITE_BYTES,
                0,
                rate,
                Scenario.Sessions.TRANSIENT,
                1);
    }

    private Histogram measure() throws IOException {
        Histogram all = new Histogram(3);
        all.setAutoResize(true);
        while (!stopped) {
            PartResult part = workload.paced(rate, PART_SECONDS);
            if (part.fault() != null) throw new IOException("beside: " + part.fault());
            if (part.loss() > 0) throw new IOException("messages of other pairs got lost");
            all.add(part.latency());
        }
        return all;
    }

    /**
     * Ends it.
     *
     * @return nanoseconds that messages took
     * @throws IOException when one was lost
     */
    Histogram end() throws IOException {
        stopped = true;
        try {
            return task.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        }
    }

    @Override
    public void close() throws IOException {
        end();
        workload.close();
    }
}
