package io.godwit.cluster.publish;

import io.godwit.core.ack.ReceiptListener;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Collects the connections of publishers that wait for nodes out of reach, each once for a node.
 * One shard after the other adds its own.
 */
public final class WaitingPublishers {
    private final Map<Integer, Set<ReceiptListener>> byServer = new HashMap<>();

    /** Connections that wait for a node; never null. */
    Set<ReceiptListener> of(int server) {
        return byServer.computeIfAbsent(
                server, any -> Collections.newSetFromMap(new IdentityHashMap<>()));
    }

    /** How many wait, by server id; only of nodes for which any does. */
    public Map<Integer, Integer> counts() {
        Map<Integer, Integer> counts = new HashMap<>();
        byServer.forEach((server, some) -> {
            if (!some.isEmpty()) {
                counts.put(server, some.size());
            }
        });
        return counts;
    }
}
