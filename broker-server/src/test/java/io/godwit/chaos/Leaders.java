package io.godwit.chaos;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Tells which node serves each durable session: the leader of its slot, wherever its client
 * connects. A fault may change it, so all are looked for before each fault: what was found before
 * and what is found after a fault are together where a session may have been meanwhile.
 */
final class Leaders {
    private Map<String, Set<Integer>> now = new HashMap<>();
    private Map<String, Set<Integer>> before = new HashMap<>();

    /** Begins to look once more; {@link #found} says what is seen. */
    void lookAgain() {
        before = now;
        now = new HashMap<>();
    }

    /**
     * Notes that a node has a session.
     *
     * @param node the first is 0
     */
    void found(String client, int node) {
        now.computeIfAbsent(client, any -> new HashSet<>()).add(node);
    }

    /**
     * Returns the nodes where a session was found at the last look and at the one before; empty for
     * one that has not been seen, and for a group, whose members have several.
     */
    Set<Integer> of(String client) {
        Set<Integer> all = new HashSet<>(now.getOrDefault(client, Set.of()));
        all.addAll(before.getOrDefault(client, Set.of()));
        return all;
    }

    /** Whether a node had a session at the last look, or may have had one that was not seen. */
    boolean mayLead(String client, int node) {
        Set<Integer> found = now.getOrDefault(client, before.getOrDefault(client, Set.of()));
        return found.isEmpty() || found.contains(node);
    }
}
