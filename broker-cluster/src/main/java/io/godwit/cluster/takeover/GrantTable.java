package io.godwit.cluster.takeover;

import io.godwit.cluster.membership.Slots;
import io.godwit.cluster.takeover.GrantEntry.Claim;
import io.godwit.cluster.takeover.GrantEntry.Fact;
import io.godwit.cluster.takeover.TakeoverMessage.Granted;
import io.godwit.cluster.takeover.TakeoverMessage.Lose;
import io.godwit.cluster.takeover.TakeoverMessage.OutOfReach;
import io.godwit.cluster.takeover.TakeoverMessage.Tell;
import io.godwit.cluster.takeover.TakeoverMessage.Told;
import io.godwit.cluster.takeover.TakeoverMessage.ToldClaim;
import io.godwit.cluster.takeover.TakeoverMessage.Void;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.ClientId;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the first anchor of some slots knows of their client ids, and its grants. It keeps nothing:
 * each node tells how it stands, and what it claims, when it is linked to this one and holds it for
 * the first anchor. All that is known of a client id are these facts; who the home is, and what may
 * be granted, follows from them whenever one changes:
 *
 * <pre>
 * highest fact                          what a claim gets
 * none                                  granted, nobody has it
 * home, linked                          granted, to be taken from the home
 * home, not linked                      out of reach
 * given to a claim that is under way    it waits for that one
 * given, its claimant not linked        out of reach: that node may have it
 * given, its claimant knows nothing     granted, to be taken from the giver again
 * </pre>
 *
 * <p>Nothing is granted in a slot before every linked node has told of it. Two nodes that both hold
 * themselves for the first anchor thus can't both grant, unless they are in two partitions.
 */
final class GrantTable {
    private final Anchors anchors;
    private final NodeStart self;
    private final Set<TakeoverRule> rules;
    private final Out out;

    /** By slot; null = none. */
    private final @Nullable Map<ClientId, GrantEntry>[] bySlot;

    /** Slots in which something may follow from what nodes are linked now. */
    private final BitSet due = new BitSet(Slots.COUNT);

    /** By server id: this node, and those that it is linked to. */
    private final Map<Integer, Peer> peers = new HashMap<>();

    private static final class Peer {
        final NodeStart of;
        final BitSet told = new BitSet(Slots.COUNT);

        Peer(NodeStart of) {
            this.of = of;
        }
    }

    @SuppressWarnings("unchecked")
    GrantTable(NodeStart self, Anchors anchors, Set<TakeoverRule> rules, Out out) {
        this.self = self;
        this.anchors = anchors;
        this.rules = rules;
        this.out = out;
        bySlot = (Map<ClientId, GrantEntry>[]) new Map<?, ?>[Slots.COUNT];
    }

    // ---------------------------------------------------------------- nodes come and go

    void linked(NodeStart peer) {
        peers.put(peer.server(), new Peer(peer));
    }

    void unlinked(NodeStart peer) {
        peers.remove(peer.server());
    }

    /** Nodes were linked or not, or hold others for first than before. */
    void anchorsChanged() {
        due.set(0, Slots.COUNT);
    }

    /** Whether {@link #decideMore} has more to do. */
    boolean isDue() {
        return !due.isEmpty();
    }

    /**
     * Draws the conclusions of what has changed for slots as a whole: a slice.
     *
     * @param entriesMax after which the slice ends
     */
    void decideMore(int entriesMax) {
        int left = entriesMax;
        for (int slot = due.nextSetBit(0); slot >= 0 && left > 0; slot = due.nextSetBit(slot)) {
            due.clear(slot);
            left -= 1 + decide(slot);
        }
    }

    /** Conclusions in one slot; the number of client ids that are known there. */
    private int decide(int slot) {
        boolean isOurs = isOurs(slot);
        if (!isOurs) {
            peers.values().forEach(peer -> peer.told.clear(slot));
        }
        List<ClientId> all = clientIds(slot);
        for (ClientId each : all) {
            if (isOurs) {
                decide(each);
            } else {
                passOn(slot, each);
            }
        }
        return all.size();
    }

    /** Another node is first: it hears of those that it is perhaps not linked to from this one. */
    private void passOn(int slot, ClientId clientId) {
        int first = anchors.first(slot);
        List<Told> told = new ArrayList<>();
        for (Fact fact : entry(clientId).facts()) {
            if (fact.of().server() != first) {
                told.add(new Told(fact.of(), clientId, fact.standing(), List.of()));
            }
        }
        remove(clientId);
        if (!told.isEmpty()) {
            out.send(first, new Tell(new BitSet(), told));
        }
    }

    void tell(NodeStart from, Tell tell) {
        Peer peer = peers.get(from.server());
        if (peer == null || !peer.of.equals(from)) {
            return;
        }
        BitSet slots = tell.slots();
        slots.stream().forEach(slot -> withdraw(from, slot));
        for (Told told : tell.told()) {
            if (isOurs(Slots.of(told.clientId()))) {
                told(from, told);
            }
        }
        slots.stream().filter(this::isOurs).forEach(peer.told::set);
        slots.stream().forEach(this::decide);
    }

    private void told(NodeStart from, Told told) {
        GrantEntry entry = entry(told.clientId());
        boolean isItsOwn = told.of().equals(from);
        if (isItsOwn || !peers.containsKey(told.of().server()) && !entry.has(told.of().server())) {
            entry.put(told.of(), told.standing());
        }
        for (ToldClaim claim : told.claims()) {
            entry.put(claim.claim(), claim.granted());
        }
    }

    private void withdraw(NodeStart from, int slot) {
        for (ClientId each : clientIds(slot)) {
            entry(each).withdrawn(from.server());
        }
    }

    void withdraw(NodeStart from, BitSet slots) {
        Peer peer = peers.get(from.server());
        if (peer != null) {
            peer.told.andNot(slots);
            slots.stream().forEach(slot -> withdraw(from, slot));
            due.or(slots);
        }
    }

    private boolean isOurs(int slot) {
        return anchors.first(slot) == self.server();
    }

    private boolean isReached(NodeStart node) {
        Peer peer = peers.get(node.server());
        return peer != null && peer.of.equals(node);
    }

    private List<ClientId> clientIds(int slot) {
        Map<ClientId, GrantEntry> in = bySlot[slot];
        return in == null ? List.of() : List.copyOf(in.keySet());
    }

    private GrantEntry entry(ClientId clientId) {
        int slot = Slots.of(clientId);
        Map<ClientId, GrantEntry> in = bySlot[slot];
        if (in == null) {
            in = new LinkedHashMap<>(4);
            bySlot[slot] = in;
        }
        return in.computeIfAbsent(clientId, id -> new GrantEntry());
    }

    private void remove(ClientId clientId) {
        int slot = Slots.of(clientId);
        Map<ClientId, GrantEntry> in = bySlot[slot];
        if (in != null && in.remove(clientId) != null && in.isEmpty()) {
            bySlot[slot] = null;
        }
    }

    int size() {
        int size = 0;
        for (Map<ClientId, GrantEntry> in : bySlot) {
            size += in == null ? 0 : in.size();
        }
        return size;
    }

    // ---------------------------------------------------------------- what nodes say

    void ask(NodeStart from, ClientId clientId, ClaimId claim) {
        if (isTold(from, clientId)) {
            entry(clientId).put(claim, 0);
            decide(clientId);
        }
    }

    void settled(NodeStart from, ClientId clientId, ClaimId claim, Standing standing) {
        if (isTold(from, clientId)) {
            GrantEntry entry = entry(clientId);
            entry.remove(claim);
            entry.put(from, standing);
            decide(clientId);
        }
    }

    void stands(NodeStart from, ClientId clientId, Standing standing) {
        if (isTold(from, clientId)) {
            entry(clientId).put(from, standing);
            decide(clientId);
        }
    }

    /** Whether its node has told of the slot; if not, that is still to come, and says this too. */
    private boolean isTold(NodeStart from, ClientId clientId) {
        int slot = Slots.of(clientId);
        Peer peer = peers.get(from.server());
        return isOurs(slot)
                && peer != null
                && peer.of.equals(from)
                && (peer.told.get(slot) || !rules.contains(TakeoverRule.COMPLETE));
    }

    // ---------------------------------------------------------------- what follows

    private boolean isComplete(ClientId clientId) {
        if (!rules.contains(TakeoverRule.COMPLETE)) {
            return true;
        }
        int slot = Slots.of(clientId);
        for (Peer peer : peers.values()) {
            if (!peer.told.get(slot)) {
                return false;
            }
        }
        return true;
    }

    private void decide(ClientId clientId) {
        GrantEntry entry = entry(clientId);
        if (isComplete(clientId)) {
            entry.keepReached(this::isReached);
            decide(clientId, entry);
        }
        if (entry.isEmpty()) {
            remove(clientId);
        }
    }

    private void decide(ClientId clientId, GrantEntry entry) {
        for (Fact lower : entry.lowerHomes()) {
            if (isReached(lower.of())) {
                send(lower.of(), new Lose(clientId, lower.standing().changes()));
            }
        }
        Claim granted = entry.granted();
        if (granted != null && rules.contains(TakeoverRule.ONE_GRANT)) {
            if (isHomeGone(entry, granted)) {
                granted.granted = 0;
            } else {
                return;
            }
        }
        grantNext(clientId, entry);
    }

    /** A claim was sent to a home that is out of reach now. */
    private boolean isHomeGone(GrantEntry entry, Claim granted) {
        Fact given = entry.given();
        boolean isItsOwn =
                given != null
                        && given.standing() instanceof Standing.Given to
                        && to.to().equals(granted.id);
        return granted.home != Granted.NOBODY && !peers.containsKey(granted.home) && !isItsOwn;
    }

    private void grantNext(ClientId clientId, GrantEntry entry) {
        List<Claim> waiting = new ArrayList<>(entry.claims());
        for (Claim claim : waiting) {
            if (claim.granted != 0) {
                continue;
            }
            if (grant(clientId, entry, claim) && rules.contains(TakeoverRule.ONE_GRANT)) {
                return;
            }
        }
        Fact given = entry.given();
        if (waiting.isEmpty() && given != null && isVoid(entry, given) && isReached(given.of())) {
            send(given.of(), new Void(clientId, given.standing().changes()));
        }
    }

    /**
     * @return false when the claim was refused
     */
    private boolean grant(ClientId clientId, GrantEntry entry, Claim claim) {
        Fact given = entry.given();
        if (given != null && !isVoid(entry, given)) {
            Standing.Given to = (Standing.Given) given.standing();
            outOfReach(clientId, entry, claim, to.by().server());
            return false;
        }
        Fact holder = given != null ? given : entry.home();
        if (holder != null && !isReached(holder.of())) {
            outOfReach(clientId, entry, claim, holder.of().server());
            return false;
        }
        claim.granted = entry.nextChanges();
        claim.home = holder == null ? Granted.NOBODY : holder.of().server();
        send(
                claim.id.by(),
                new Granted(
                        clientId,
                        claim.id,
                        claim.granted,
                        claim.home,
                        given == null ? 0 : given.standing().changes()));
        return true;
    }

    private void outOfReach(ClientId clientId, GrantEntry entry, Claim claim, int home) {
        entry.remove(claim.id);
        send(claim.id.by(), new OutOfReach(clientId, claim.id, home));
    }

    /** Whether it is known that what was given never arrived. */
    private boolean isVoid(GrantEntry entry, Fact given) {
        ClaimId to = ((Standing.Given) given.standing()).to();
        Claim underWay = entry.claim(to);
        boolean mayArrive = underWay != null && underWay.granted != 0;
        return !mayArrive && peers.containsKey(to.by().server());
    }

    private void send(NodeStart to, TakeoverMessage message) {
        out.send(to.server(), message);
    }
}
