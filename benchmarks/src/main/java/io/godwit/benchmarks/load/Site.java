package io.godwit.benchmarks.load;

import java.io.IOException;
import java.util.List;

/**
 * The processes that carry a load.
 *
 * @param nodes whose CPU time counts, added up
 * @param placement who connects to which of them
 */
public record Site(String name, List<BrokerProcess> nodes, Placement placement) {
    /** Everybody at one broker. */
    public static Site of(BrokerProcess broker) {
        return new Site(
                broker.name(),
                List.of(broker),
                Placement.at(broker.loadAddress(), broker.transport()));
    }

    long cpuMicros() throws IOException {
        long sum = 0;
        for (BrokerProcess node : nodes) sum += ProcFs.cpuMicros(node.pid());
        return sum;
    }

    long kernelMicros() throws IOException {
        long sum = 0;
        for (BrokerProcess node : nodes) sum += ProcFs.kernelMicros(node.pid());
        return sum;
    }

    /** Reads the metrics of all nodes, added up. */
    public Metrics metrics() throws IOException {
        return Metrics.sum(nodes.stream().map(BrokerProcess::adminPort).toList());
    }

    void requireAlive() throws IOException {
        for (BrokerProcess node : nodes) {
            if (!node.alive()) throw new IOException(node.name() + " has ended; see its log");
        }
    }
}
