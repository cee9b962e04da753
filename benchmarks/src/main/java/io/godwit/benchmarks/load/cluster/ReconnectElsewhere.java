package io.godwit.benchmarks.load.cluster;

import io.godwit.benchmarks.load.BrokerProcess;
import io.godwit.benchmarks.load.Filling;
import io.godwit.benchmarks.load.OfflineClients;
import io.godwit.benchmarks.load.Options;
import io.godwit.benchmarks.load.Site;
import io.godwit.benchmarks.load.Spread;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.ToDoubleFunction;

/**
 * Question: what does it cost when all clients come back to other nodes than before at the same
 * moment? Command: {@code benchmarks/scenarios/run cluster-reconnect}: 10 000 durable sessions with
 * 100 queued messages each, evenly spread over three nodes; each time every client connects to the
 * node after its last one. Control: one node with as many sessions and messages, in turn with the
 * cluster.
 */
final class ReconnectElsewhere implements ClusterScenario {
    private static final int NODES = 3;
    private static final String SENT = "godwit_cluster_bytes_sent_total";
    private static final double TIME_BOUND = 1.5;
    private static final double BYTES_BOUND = 1.3;

    private final List<Pair> pairs = new ArrayList<>();

    /**
     * One round.
     *
     * @param linkBytes that all nodes sent to each other meanwhile
     */
    private record Pair(
            OfflineClients.Return alone, OfflineClients.Return cluster, double linkBytes) {
        double times() {
            return cluster.seconds() / alone.seconds();
        }

        double bytesRatio() {
            return linkBytes / cluster.bytes();
        }
    }

    /** A broker or a cluster with the sessions, and where the clients were last. */
    private static final class Home {
        private final Site site;
        private final OfflineClients clients;
        private final int each;
        private int turn;

        Home(Site site, OfflineClients clients, int each) throws IOException {
            this.site = site;
            this.clients = clients;
            this.each = each;
            clients.enrol(nodes());
        }

        private IntFunction<InetSocketAddress> nodes() {
            List<BrokerProcess> all = site.nodes();
            int shift = turn;
            return number -> all.get((number + shift) % all.size()).address();
        }

        void queue() throws IOException {
            clients.queue(site.nodes().getFirst(), each);
            for (BrokerProcess node : site.nodes()) Filling.settle(node);
        }

        OfflineClients.Return comeBack() throws IOException {
            turn++;
            OfflineClients.Return back = clients.comeBack(nodes(), each);
            System.err.println(site.name() + ": " + back);
            return back;
        }
    }

    @Override
    public String name() {
        return "cluster-reconnect";
    }

    @Override
    public Map<String, String> defaults() {
        return Map.of("clients", "10000", "messages", "100", "rounds", "4", "warmup", "2");
    }

    @Override
    public void run(Options options, Path folder) throws IOException {
        OfflineClients clients =
                new OfflineClients(options.number("clients"), options.number("payload"));
        int each = options.number("messages");
        try (BrokerProcess one = Nodes.launchOne(options, folder, "one", List.of());
                Nodes nodes = Nodes.start(options, folder, NODES)) {
            Home alone = new Home(Site.of(one.awaitAnswer()), clients, each);
            Site site = new Site("cluster", nodes.all(), Site.of(nodes.node(1)).placement());
            Home cluster = new Home(site, clients, each);
            for (int i = 1 - options.number("warmup"); i <= options.number("rounds"); i++) {
                Pair pair = round(alone, cluster, i % 2 == 0);
                if (i > 0) pairs.add(pair);
            }
        }
        print(clients, each);
    }

    /** Both queues are filled before anybody comes back. */
    private static Pair round(Home alone, Home cluster, boolean clusterFirst) throws IOException {
        alone.queue();
        cluster.queue();
        OfflineClients.Return early = clusterFirst ? null : alone.comeBack();
        double before = cluster.site.metrics().get(SENT);
        OfflineClients.Return back = cluster.comeBack();
        double linkBytes = cluster.site.metrics().get(SENT) - before;
        return new Pair(early == null ? alone.comeBack() : early, back, linkBytes);
    }

    private void print(OfflineClients clients, int each) {
        Spread times = Spread.of(pairs, Pair::times);
        Spread bytes = Spread.of(pairs, Pair::bytesRatio);
        long missing = pairs.stream().mapToLong(p -> p.cluster().missing()).sum();
        Outcome.head();
        Outcome.row(
                name(),
                "%d clients at other nodes, %d messages each: time until all are back and drained, cluster : one node, %d rounds"
                        .formatted(clients.count(), each, pairs.size()),
                times.text("%.2f"),
                "<= " + TIME_BOUND,
                times.median() <= TIME_BOUND);
        Outcome.row(
                name(),
                "bytes between nodes : bytes of PUBLISH packets delivered",
                bytes.text("%.2f"),
                "<= " + BYTES_BOUND,
                bytes.median() <= BYTES_BOUND);
        Outcome.row(name(), "missing", "" + missing, "0", missing == 0);
        row("s until all are back and drained", "%.2f", OfflineClients.Return::seconds);
        row("ms to a client's first message, median", "%.0f", OfflineClients.Return::firstMillis);
        row("messages that came again", "%.0f", OfflineClients.Return::repeated);
    }

    private void row(String what, String format, ToDoubleFunction<OfflineClients.Return> figure) {
        Outcome.row(
                name(),
                what + ", one / cluster",
                String.format(
                        Locale.ROOT,
                        "%s / %s",
                        Spread.of(pairs, p -> figure.applyAsDouble(p.alone())).text(format),
                        Spread.of(pairs, p -> figure.applyAsDouble(p.cluster())).text(format)));
    }
}
