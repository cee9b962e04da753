package io.godwit.cluster.registration;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.ClientId;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A slot that this node leads or stands in for under one epoch, or is told to before it knows.
 * Nothing is granted until every node that is waited for has told its registered connections.
 */
final class LedSlot {
    /** The shards of a node that have told. */
    private static final class Told {
        final BitSet shards = new BitSet();
        int count = Integer.MAX_VALUE;
    }

    final long changes;

    /** Whether this node knows that it leads. */
    boolean isLed;

    /** Whether it acts. */
    boolean isActing;

    /** How long it has waited for what nodes tell, while this process ran. */
    long waitedMs;

    /** Whether client ids may be granted. */
    boolean isOpen;

    /** Whether it is given to another node. */
    boolean isGiven;

    /** Counts durable sessions that may have to end before it opens. */
    int ending;

    /** Client ids that were claimed before it was open; some perhaps not any more. */
    private Set<ClientId> held = LinkedHashSet.newLinkedHashSet(0);

    /** Wills that are due and wait for it to open; null: none. */
    private @Nullable List<LeaderWills.Held> wills;

    /** Nodes of whose ended starts no Will is left. */
    private Set<Integer> decided = Set.of();

    private @Nullable Map<NodeStart, Told> told = new HashMap<>(4);

    LedSlot(long changes) {
        this.changes = changes;
    }

    void hold(ClientId clientId) {
        held.add(clientId);
    }

    Set<ClientId> held() {
        return held;
    }

    Set<ClientId> takeHeld() {
        Set<ClientId> all = held;
        held = LinkedHashSet.newLinkedHashSet(0);
        return all;
    }

    void hold(LeaderWills.Held will) {
        List<LeaderWills.Held> waiting = wills;
        if (waiting == null) {
            waiting = new ArrayList<>(1);
            wills = waiting;
        }
        waiting.add(will);
    }

    boolean hasWills() {
        return wills != null;
    }

    List<LeaderWills.Held> takeWills() {
        List<LeaderWills.Held> waiting = wills;
        wills = null;
        return waiting == null ? List.of() : waiting;
    }

    /** Notes nodes of whose ended starts no Will is left. */
    void decided(Collection<Integer> servers) {
        Set<Integer> all = new HashSet<>(decided);
        all.addAll(servers);
        decided = Set.copyOf(all);
    }

    boolean isDecided(int server) {
        return decided.contains(server);
    }

    Set<Integer> takeDecided() {
        Set<Integer> taken = decided;
        decided = Set.of();
        return taken;
    }

    /** Notes that a shard of a node has told its connections in this slot. */
    void told(NodeStart node, int shard, int shards) {
        Map<NodeStart, Told> by = told;
        if (by != null) {
            Told of = by.computeIfAbsent(node, any -> new Told());
            of.count = shards;
            of.shards.set(shard);
        }
    }

    void forget(NodeStart node) {
        Map<NodeStart, Told> by = told;
        if (by != null) {
            by.remove(node);
        }
    }

    /** Notes that what a shard of a node has told is not true any more. */
    void takenBack(NodeStart node, int shard) {
        Map<NodeStart, Told> by = told;
        Told of = by == null ? null : by.get(node);
        if (by != null && of != null) {
            of.shards.clear(shard);
            if (of.shards.isEmpty()) {
                by.remove(node);
            }
        }
    }

    /** Whether all shards of a node have told, and none has taken it back. */
    boolean isToldBy(NodeStart node) {
        Map<NodeStart, Told> by = told;
        Told of = by == null ? null : by.get(node);
        return of != null && of.shards.cardinality() >= of.count;
    }

    boolean isToldByAny() {
        Map<NodeStart, Told> by = told;
        return by != null && !by.isEmpty();
    }

    /**
     * Whether all shards of all these nodes have told.
     *
     * @param but a node that does not tell
     */
    boolean isToldBy(List<NodeStart> nodes, @Nullable NodeStart but) {
        Map<NodeStart, Told> by = told;
        if (by == null) {
            return true;
        }
        for (NodeStart each : nodes) {
            if (!each.equals(but) && !isToldBy(each)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Lets client ids be granted.
     *
     * @param mayClose whether it is asked later again who has told
     */
    void open(boolean mayClose) {
        isOpen = true;
        if (!mayClose) {
            told = null;
        }
    }

    void close() {
        isLed = false;
        isActing = false;
        isOpen = false;
        takeHeld();
    }
}
