package io.godwit.chaos;

import java.util.HashMap;
import java.util.Map;

/**
 * Tells which node serves each durable session: the leader of its slot, wherever its client
 * connects. It stays the same, since a slot with a durable session keeps its leader.
 */
final class Leaders {
    /** Of a session that has not been seen yet, and of a group, whose members have several. */
    static final int UNKNOWN = -1;

    private final Map<String, Integer> nodes = new HashMap<>();

    /**
     * Notes that a node has a session.
     *
     * @param node the first is 0
     */
    void found(String client, int node) {
        nodes.put(client, node);
    }

    int of(String client) {
        return nodes.getOrDefault(client, UNKNOWN);
    }
}
