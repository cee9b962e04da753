package io.godwit.cluster.registration;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Remembers the nodes whose ended starts have left no Will in the slots that a shard has led, or
 * stood in for, and has lost: their next starts ask the leader for them, which may not have run
 * then. Kept until that one is told; one small set for each slot at most.
 */
final class DecidedWills {
    private final Map<Integer, Set<Integer>> bySlot = new HashMap<>();

    /**
     * Remembers nodes for the next leader of a slot.
     *
     * @param servers of the nodes; not changed any more
     */
    void add(int slot, Set<Integer> servers) {
        if (!servers.isEmpty()) {
            bySlot.merge(slot, servers, DecidedWills::both);
        }
    }

    private static Set<Integer> both(Set<Integer> some, Set<Integer> others) {
        Set<Integer> all = new HashSet<>(some);
        all.addAll(others);
        return all;
    }

    /** Forgets the nodes of a slot. Returns them. */
    Set<Integer> take(int slot) {
        Set<Integer> servers = bySlot.remove(slot);
        return servers == null ? Set.of() : servers;
    }
}
