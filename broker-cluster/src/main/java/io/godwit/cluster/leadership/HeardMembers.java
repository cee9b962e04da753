package io.godwit.cluster.leadership;

import io.godwit.cluster.membership.Member;
import io.godwit.cluster.membership.Nodes;
import io.godwit.cluster.membership.Slots;
import io.godwit.cluster.transport.Forgotten;
import io.godwit.cluster.transport.NodeStart;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Knows which members are live, and what each has told since its link opened. */
final class HeardMembers {
    private final NodeStart self;
    private Nodes nodes;

    /** Lists the starts that are live; each slot is looked up in it. */
    private NodeStart[] live;

    /** Lists the server ids of members that are forgotten, as {@link #live} does. */
    private int[] forgotten = {};

    /** By server id: the nodes with an open link, also a silent one. */
    private final Map<Integer, NodeStart> linked = new TreeMap<>();

    /** Since when each is live, in running time. */
    private final Map<Integer, Long> liveSinceMs = new HashMap<>();

    /** Since when each other member is out of reach, in running time. */
    private final Map<Integer, Long> awaySinceMs = new HashMap<>();

    /** By server id: where those that have told their table have durable sessions. */
    private final Map<Integer, BitSet> holdings = new TreeMap<>();

    /** All slots of {@link #holdings}. */
    private final BitSet heldSomewhere = new BitSet();

    /** The first live member of each slot's order that does not drain. */
    private final NodeStart[] preferred;

    /** Server ids of nodes that are to lead nothing, as they say. */
    private final Set<Integer> draining = new TreeSet<>();

    /** When they told so last, in running time. */
    private final Map<Integer, Long> toldMs = new HashMap<>();

    /**
     * @param slots how many there are
     */
    HeardMembers(NodeStart self, int slots) {
        this.self = self;
        preferred = new NodeStart[slots];
        Arrays.fill(preferred, self);
        live = new NodeStart[] {self};
        Slots alone = new Slots(List.of(self.server()));
        Map<Integer, NodeStart> only = Map.of(self.server(), self);
        nodes = new Nodes(self, List.of(), Forgotten.NOBODY, only, alone);
    }

    // ---------------------------------------------------------------- events

    void onNodes(Nodes now, long ranMs) {
        for (Map.Entry<Integer, NodeStart> each : now.live().entrySet()) {
            if (!each.getValue().equals(nodes.live().get(each.getKey()))) {
                liveSinceMs.put(each.getKey(), ranMs);
            }
        }
        liveSinceMs.keySet().retainAll(now.live().keySet());
        noteAway(now, ranMs);
        boolean isSame = now.slots() == nodes.slots() && now.live().equals(nodes.live());
        nodes = now;
        live = now.live().values().toArray(new NodeStart[0]);
        forgotten = now.forgotten().servers().stream().mapToInt(Integer::intValue).toArray();
        if (!isSame) {
            findPreferred();
        }
    }

    private void findPreferred() {
        for (int slot = 0; slot < preferred.length; slot++) {
            preferred[slot] = findPreferred(slot);
        }
    }

    private void noteAway(Nodes now, long ranMs) {
        Map<Integer, Long> before = Map.copyOf(awaySinceMs);
        awaySinceMs.clear();
        for (Member each : now.members()) {
            if (!now.isLive(each.server())) {
                awaySinceMs.put(each.server(), before.getOrDefault(each.server(), ranMs));
            }
        }
    }

    private NodeStart findPreferred(int slot) {
        NodeStart first = null;
        for (int server : nodes.slots().order(slot)) {
            NodeStart live = nodes.live().get(server);
            if (live != null && !draining.contains(server)) {
                return live;
            }
            first = first == null ? live : first;
        }
        return first == null ? self : first;
    }

    void onUp(NodeStart peer) {
        linked.put(peer.server(), peer);
        forgetTold(peer.server());
        onDraining(peer.server(), false); // It says so again if it still is.
    }

    /**
     * Notes that a link has ended.
     *
     * @return whether it was the present one
     */
    boolean onDown(NodeStart peer) {
        boolean isPresent = linked.remove(peer.server(), peer);
        if (isPresent) {
            forgetTold(peer.server());
        }
        return isPresent;
    }

    private void forgetTold(int server) {
        holdings.remove(server);
        toldMs.remove(server);
        findHeld();
    }

    private void findHeld() {
        heldSomewhere.clear();
        holdings.values().forEach(heldSomewhere::or);
    }

    /** Notes whether a node is to lead nothing. */
    void onDraining(int server, boolean isDraining) {
        if (isDraining ? draining.add(server) : draining.remove(server)) {
            findPreferred();
        }
    }

    void onHoldings(int server, BitSet slots, long ranMs) {
        holdings.put(server, slots);
        toldMs.put(server, ranMs);
        findHeld();
    }

    // ---------------------------------------------------------------- questions

    /** Whether this node was told who the members are: itself at least. */
    boolean isKnown() {
        return !nodes.members().isEmpty();
    }

    Nodes nodes() {
        return nodes;
    }

    /** Whether the start that leads under an epoch is live. */
    boolean isLive(Epoch epoch) {
        for (NodeStart each : live) {
            if (epoch.isOf(each)) {
                return true;
            }
        }
        return false;
    }

    /** Server ids of those that records can be sent to; not to be changed. */
    Set<Integer> linked() {
        return linked.keySet();
    }

    boolean isLinked(NodeStart peer) {
        return peer.equals(linked.get(peer.server()));
    }

    /** Whether a live member, or this node, has told its table and holdings by its present link. */
    boolean isHeard(int server) {
        NodeStart live = nodes.live().get(server);
        return server == self.server()
                || live != null && live.equals(linked.get(server)) && holdings.containsKey(server);
    }

    /** Whether every member that is not forgotten is live and has told its table. */
    boolean isEveryMemberHeard() {
        if (!isKnown()) {
            return false;
        }
        for (Member each : nodes.members()) {
            if (!isHeard(each.server())) {
                return false;
            }
        }
        return true;
    }

    /** Whether every live member has told its table and holdings. */
    boolean isEveryLiveHeard() {
        return isEveryLiveHeard(Long.MAX_VALUE, 0);
    }

    /**
     * Whether every live member has told its table and holdings, or was waited for.
     *
     * @param waitMs how long at most since its link opened
     */
    boolean isEveryLiveHeard(long waitMs, long ranMs) {
        for (int server : nodes.live().keySet()) {
            if (!isHeard(server) && ranMs - liveSinceMs.getOrDefault(server, ranMs) < waitMs) {
                return false;
            }
        }
        return true;
    }

    /** Returns where a live member has durable sessions; empty: nowhere, or it is not heard. */
    BitSet holdings(int server) {
        BitSet slots = holdings.get(server);
        return slots == null || !isHeard(server) ? new BitSet() : slots;
    }

    /** Returns the first node of a slot's order that is heard and has durable sessions there. */
    @Nullable NodeStart holder(int slot) {
        if (!heldSomewhere.get(slot)) {
            return null;
        }
        for (int server : nodes.slots().order(slot)) {
            if (server != self.server() && holdings(server).get(slot)) {
                return nodes.live().get(server);
            }
        }
        return null;
    }

    /** Returns all slots of others that told so within a time. */
    BitSet heldElsewhere(long withinMs, long ranMs) {
        BitSet held = new BitSet();
        for (Map.Entry<Integer, Long> each : toldMs.entrySet()) {
            if (ranMs - each.getValue() < withinMs) {
                held.or(holdings(each.getKey()));
            }
        }
        return held;
    }

    /** Whether a node has said that it is to lead nothing. */
    boolean isDraining(int server) {
        return draining.contains(server);
    }

    /** Returns the first live member of a slot's order that may lead; one that drains if all do. */
    NodeStart preferred(int slot) {
        return preferred[slot];
    }

    /** Whether a member is not forgotten, and was out of reach for a time. */
    boolean isAwayFor(int server, long ms, long ranMs) {
        Long since = awaySinceMs.get(server);
        return since != null && ranMs - since >= ms;
    }

    /** Whether a member is out of reach, and was not yet for a time. */
    boolean isAnyJustAway(long ms, long ranMs) {
        for (long since : awaySinceMs.values()) {
            if (ranMs - since < ms) {
                return true;
            }
        }
        return false;
    }

    boolean isForgotten(int server) {
        for (int each : forgotten) {
            if (each == server) {
                return true;
            }
        }
        return false;
    }
}
