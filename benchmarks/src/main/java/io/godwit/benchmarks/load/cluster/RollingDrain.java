package io.godwit.benchmarks.load.cluster;

import io.godwit.benchmarks.load.Filling;
import io.godwit.benchmarks.load.Options;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Question: what do clients notice when one node after the other is stopped and started again, with
 * {@code cluster.drain}? Command: {@code benchmarks/scenarios/run cluster-drain}: 1 000 clients
 * with durable sessions over three nodes, 1 000 QoS 1 messages a second from each to the next; in
 * each round every node in turn gets SIGTERM, ends, is started again, and is given some seconds.
 * How clients connect again stands in {@link Roamer}: the order of their nodes is 1-2-3, 1-3-2 and
 * so on, evenly spread, so half of a drained node's clients goes to each of the others.
 *
 * <p>The sessions of the slots that a node leads wait for its next start, so a client waits for it
 * when that node leads its slot or that of the client to which it publishes. All others must be
 * served again soon.
 *
 * <p>Nothing acknowledged may be missing at the end, and each stream must be in order.
 */
final class RollingDrain implements ClusterScenario {
    private static final int NODES = 3;
    private static final double BOUND_MS = 2_000;
    private static final long SETTLE_MS = 60_000;
    private static final long POLL_MS = 100;
    private static final long HOUR_NANOS = TimeUnit.HOURS.toNanos(1);

    private final List<Roamer> clients = new ArrayList<>();
    private final Times others = new Times();
    private final Times waiting = new Times();
    private final Histogram awayNanos = new ConcurrentHistogram(HOUR_NANOS, 3);
    private int drains;
    private int killed;

    /** The node that is being stopped, or was stopped last. */
    private volatile int drained;

    private volatile boolean stopped;

    @Override
    public String name() {
        return "cluster-drain";
    }

    @Override
    public Map<String, String> defaults() {
        return Map.of("clients", "1000", "rate", "1000", "rounds", "1", "seconds", "10");
    }

    /** For how long clients were without a node. */
    private static final class Times {
        final Histogram connectedNanos = new ConcurrentHistogram(HOUR_NANOS, 3);
        final Histogram servedNanos = new ConcurrentHistogram(HOUR_NANOS, 3);
    }

    /**
     * Sorts the times of one client.
     *
     * @param leader of its slot
     * @param targetLeader of the slot of the client to which it publishes
     */
    private final class Sorting implements Roamer.Outages {
        private final int leader;
        private final int targetLeader;

        Sorting(int leader, int targetLeader) {
            this.leader = leader;
            this.targetLeader = targetLeader;
        }

        private Times times() {
            return leader == drained || targetLeader == drained ? waiting : others;
        }

        @Override
        public void connected(long nanos) {
            times().connectedNanos.recordValue(Math.min(nanos, HOUR_NANOS));
        }

        @Override
        public void served(long nanos) {
            times().servedNanos.recordValue(Math.min(nanos, HOUR_NANOS));
        }
    }

    @Override
    public void run(Options options, Path folder) throws IOException {
        long between = options.number("seconds") * 1_000L;
        try (Nodes cluster =
                Nodes.start(options, folder, NODES, "cluster.drain=true", "stop.timeout=60s")) {
            connect(cluster, options.number("clients"));
            Thread pacer = Thread.ofPlatform().start(() -> pace(options.number("rate")));
            Filling.pause(between);
            for (int round = 1; round <= options.number("rounds"); round++) {
                for (int node = 1; node <= NODES; node++) {
                    drain(cluster, node);
                    Filling.pause(between);
                }
            }
            stopped = true;
            join(pacer);
            settle();
            print();
            clients.forEach(Roamer::close);
        }
    }

    private void connect(Nodes cluster, int count) throws IOException {
        Leaders leaders = Leaders.of(cluster);
        for (int i = 0; i < count; i++) {
            int target = (i + 1) % count;
            int first = i % NODES;
            int second = (first + 1 + i / NODES % 2) % NODES;
            List<InetSocketAddress> nodes =
                    List.of(
                            cluster.address(first + 1),
                            cluster.address(second + 1),
                            cluster.address(NODES - first - second + 1));
            Sorting times =
                    new Sorting(
                            leaders.of(Roamer.clientId(i)), leaders.of(Roamer.clientId(target)));
            Roamer client = new Roamer(i, target, nodes, times);
            clients.add(client);
            client.start();
        }
        await(() -> clients.stream().allMatch(Roamer::isReady), "the clients do not connect");
    }

    private void drain(Nodes cluster, int node) throws IOException {
        drained = node;
        long began = System.nanoTime();
        boolean ended = cluster.stop(node);
        if (!ended) killed++;
        long stoppedMs = (System.nanoTime() - began) / 1_000_000;
        cluster.launchAgain(node);
        cluster.awaitReady();
        awayNanos.recordValue(System.nanoTime() - began);
        drains++;
        System.err.printf(
                Locale.ROOT,
                "%s: n%d %s after %d ms, ready again after %d; outages so far: %s, of those who wait %s%n",
                name(),
                node,
                ended ? "ended" : "WAS KILLED",
                stoppedMs,
                (System.nanoTime() - began) / 1_000_000,
                text(others.servedNanos),
                text(waiting.servedNanos));
    }

    /** One message of each client in turn, at an even rate. */
    private void pace(int rate) {
        long began = System.nanoTime();
        long done = 0;
        while (!stopped) {
            long due = (System.nanoTime() - began) * rate / 1_000_000_000;
            for (; done < due; done++) clients.get((int) (done % clients.size())).publish();
            try {
                TimeUnit.MILLISECONDS.sleep(1);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private static void join(Thread thread) throws IOException {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Waits until everything is acknowledged and has come, or nothing is to be expected. */
    private void settle() throws IOException {
        long limit = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(SETTLE_MS);
        while (System.nanoTime() < limit) {
            if (clients.stream().allMatch(Roamer::isSettled) && missing() == 0) return;
            Filling.pause(POLL_MS);
        }
    }

    private static void await(BooleanSupplier until, String failure) throws IOException {
        long limit = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(SETTLE_MS);
        while (!until.getAsBoolean()) {
            if (System.nanoTime() > limit) throw new IOException(failure);
            Filling.pause(POLL_MS);
        }
    }

    private long missing() {
        long missing = 0;
        for (int i = 0; i < clients.size(); i++) {
            History target = clients.get((i + 1) % clients.size()).history();
            missing += target.missing(clients.get(i).acknowledged());
        }
        return missing;
    }

    private void print() {
        long acknowledged = clients.stream().mapToLong(Roamer::acknowledged).sum();
        long disordered = clients.stream().mapToLong(c -> c.history().disordered()).sum();
        long unsettled = clients.stream().filter(c -> !c.isSettled()).count();
        double p99 = others.servedNanos.getValueAtPercentile(99) / 1e6;
        Outcome.head();
        Outcome.row(
                name(),
                "%d drains: missing of %d acknowledged".formatted(drains, acknowledged),
                "" + missing(),
                "0",
                missing() == 0);
        Outcome.row(name(), "out of order", "" + disordered, "0", disordered == 0);
        Outcome.row(name(), "clients without a PUBACK", "" + unsettled, "0", unsettled == 0);
        Outcome.row(name(), "nodes that did not end", "" + killed, "0", killed == 0);
        Outcome.row(
                name(),
                title("PUBACK", others.servedNanos),
                text(others.servedNanos),
                "p99 < 2000",
                p99 < BOUND_MS);
        Outcome.row(name(), title("CONNACK", others.connectedNanos), text(others.connectedNanos));
        String who = ", of those who wait for the node";
        Outcome.row(name(), title("PUBACK", waiting.servedNanos) + who, text(waiting.servedNanos));
        Outcome.row(
                name(),
                title("CONNACK", waiting.connectedNanos) + who,
                text(waiting.connectedNanos));
        Outcome.row(
                name(),
                "ms from SIGTERM until the node is ready again, p50 / p99 / most",
                text(awayNanos));
        Outcome.row(
                name(),
                "CONNECTs that failed or were refused",
                "" + clients.stream().mapToLong(Roamer::refusals).sum());
    }

    private static String title(String packet, Histogram of) {
        return "ms from a connection's end to the next %s, p50 / p99 / most of %d"
                .formatted(packet, of.getTotalCount());
    }

    private static String text(Histogram nanos) {
        return String.format(
                Locale.ROOT,
                "%.0f / %.0f / %.0f",
                nanos.getValueAtPercentile(50) / 1e6,
                nanos.getValueAtPercentile(99) / 1e6,
                nanos.getMaxValue() / 1e6);
    }
}
