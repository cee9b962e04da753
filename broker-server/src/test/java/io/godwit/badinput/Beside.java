package io.godwit.badinput;

import io.godwit.clients.GodwitProcess;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The control: such a pair at a broker that nobody attacks, on the same machine. Where it waits,
 * too, the attackers and the pairs themselves have taken the processors.
 */
final class Beside implements AutoCloseable {
    private static final int NODE_MIB = 300;

    private final @Nullable GodwitProcess broker;
    private final @Nullable GoodPair pair;

    Beside(boolean isWanted) throws IOException {
        broker = isWanted ? new GodwitProcess.Setup().nodeMib(NODE_MIB).start() : null;
        pair = broker == null ? null : new GoodPair(broker.port());
    }

    /** Of the messages since this was asked before; 0 when there is no such pair. */
    double p99Ms() {
        return pair == null ? 0 : pair.sinceLast().p99Ms();
    }

    /** Of that broker. */
    Duration cpuTime() {
        return broker == null ? Duration.ZERO : broker.cpuTime();
    }

    @Override
    public void close() throws IOException {
        try (GodwitProcess ended = broker) {
            if (pair != null) {
                pair.close();
            }
        }
    }
}
