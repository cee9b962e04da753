package io.godwit.benchmarks.load.cluster;

import io.godwit.benchmarks.load.BrokerProcess;
import io.godwit.benchmarks.load.Filling;
import io.godwit.benchmarks.load.Metrics;
import io.godwit.benchmarks.load.Options;
import io.godwit.core.packet.ClientId;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A cluster on loopback whose nodes know each other's addresses, numbered from 1. */
final class Nodes implements Closeable {
    private static final long POLL_MS = 50;
    private static final long READY_LIMIT_NANOS = TimeUnit.MINUTES.toNanos(5);
    private static final long STOP_LIMIT_NANOS = TimeUnit.MINUTES.toNanos(2);

    private final List<BrokerProcess> processes = new ArrayList<>();

    private Nodes() {}

    /**
     * Starts so many at the same time on empty folders, and returns at once.
     *
     * @param settings of each node, as {@code key=value}
     */
    static Nodes launch(Options options, Path folder, int count, String... settings)
            throws IOException {
        List<Integer> ports =
                IntStream.range(0, count).mapToObj(i -> BrokerProcess.freePort()).toList();
        String seeds =
                ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
        Nodes nodes = new Nodes();
        try {
            for (int i = 0; i < count; i++) {
                String name = "n" + (i + 1);
                List<String> all =
                        new ArrayList<>(
                                List.of(
                                        "node.name=" + name,
                                        "cluster.enabled=true",
                                        "cluster.nodes=" + count,
                                        "cluster.bind=127.0.0.1:" + ports.get(i),
                                        "cluster.seeds=" + seeds));
                all.addAll(List.of(settings));
                nodes.processes.add(launchOne(options, folder, name, all));
            }
        } catch (IOException e) {
            nodes.close();
            throw e;
        }
        return nodes;
    }

    /** The same, and waits until all are ready. */
    static Nodes start(Options options, Path folder, int count, String... settings)
            throws IOException {
        Nodes nodes = launch(options, folder, count, settings);
        try {
            nodes.awaitReady();
        } catch (IOException e) {
            nodes.close();
            throw e;
        }
        return nodes;
    }

    /** One broker by itself, with the memory of a node; returns at once. */
    static BrokerProcess launchOne(Options options, Path folder, String name, List<String> settings)
            throws IOException {
        String command = options.text("broker-cmd");
        StringBuilder all = new StringBuilder(command);
        if (!command.contains("{port}")) all.append(Options.PLACES);
        all.append(" --set node.memory=").append(options.text("memory"));
        for (String setting : settings) all.append(" --set ").append(setting);
        return BrokerProcess.launch(folder, name, all.toString(), options.text("java-opts"));
    }

    int count() {
        return processes.size();
    }

    /**
     * @param node from 1
     */
    BrokerProcess node(int node) {
        return processes.get(node - 1);
    }

    List<BrokerProcess> all() {
        return List.copyOf(processes);
    }

    /**
     * @param node from 1; after the last comes the first again
     */
    InetSocketAddress address(int node) {
        return node((node - 1) % count() + 1).address();
    }

    /** Waits until each lets clients in and sees all others, and all slots have a leader. */
    void awaitReady() throws IOException {
        for (BrokerProcess each : processes) each.awaitAnswer();
        long began = System.nanoTime();
        while (!areComplete()) {
            if (System.nanoTime() - began > READY_LIMIT_NANOS) {
                throw new IOException("the nodes do not see each other, or slots have no leader");
            }
            Filling.pause(POLL_MS);
        }
    }

    private boolean areComplete() throws IOException {
        double ledSlots = 0;
        for (BrokerProcess each : processes) {
            Metrics metrics = Metrics.of(each.adminPort());
            if (metrics.get("godwit_cluster_members_live") != count()) return false;
            double led = slots(metrics, "led");
            if (led + slots(metrics, "elsewhere") != ClientId.SLOTS) return false;
            ledSlots += led;
        }
        return ledSlots == ClientId.SLOTS;
    }

    private static double slots(Metrics metrics, String state) {
        return metrics.get("godwit_cluster_slots{state=\"" + state + "\"}");
    }

    /**
     * SIGTERM, and waits for the end.
     *
     * @return whether it ended by itself, within two minutes
     */
    boolean stop(int node) throws IOException {
        node(node).signal("TERM");
        return awaitEnd(node);
    }

    /**
     * Waits until a node has ended, for two minutes; then it is killed.
     *
     * @return whether it ended by itself
     */
    boolean awaitEnd(int node) throws IOException {
        long began = System.nanoTime();
        while (node(node).alive()) {
            if (System.nanoTime() - began > STOP_LIMIT_NANOS) {
                node(node).kill();
                return false;
            }
            Filling.pause(POLL_MS);
        }
        return true;
    }

    /** Starts a node again that has ended; returns at once. */
    void launchAgain(int node) throws IOException {
        processes.set(node - 1, node(node).launchAgain());
    }

    /** Ends all of them; nothing that they have is wanted any more. */
    @Override
    public void close() throws IOException {
        for (BrokerProcess each : processes) each.kill();
    }
}
