package io.godwit.cluster.takeover;

import io.godwit.cluster.membership.Slots;
import io.godwit.cluster.takeover.GrantEntry.Claim;
import io.godwit.cluster.takeover.GrantEntry.Fact;
import io.godwit.cluster.takeover.TakeoverMessage.Granted;
import io.godwit.cluster.takeover.TakeoverMessage.Keep;
import io.godwit.cluster.takeover.TakeoverMessage.Lose;
import io.godwit.cluster.takeover.TakeoverMessage.OutOfReach;
import io.godwit.cluster.takeover.TakeoverMessage.Tell;
import io.godwit.cluster.takeover.TakeoverMessage.Told;
import io.godwit.cluster.takeover.TakeoverMessage.ToldClaim;
import io.godwit.cluster.takeover.TakeoverMessage.Void;
import io.godwit.cluster.takeover.TakeoverMessage.Withdraw;
import io.godwit.cluster.transport.Forgotten;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.ClientId;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What an anchor of some slots knows of their client ids, and its grants as the first one. It keeps
 * nothing on disk: each node tells how it stands, and what it claims, when it is linked to this one
 * and holds it for the first anchor; and of what is durable also when it holds it for the second
 * one. So this is known when the first anchor dies together with the home of a session; what is
 * known of a node that is away is {@link PassedOn}. All that is known of a client id are these
 * facts; who the home is, and what may be granted, follows from them whenever one changes:
 *
 * <pre>
 * highest fact                          what a claim gets
 * none                                  granted, nobody has it
 * home, linked                          granted, to be taken from the home
 * home, not linked                      out of reach
 * given to a claim that is under way    it waits for that one
 * given, its claimant not linked        out of reach: that node may have it
 * given, its claimant knows nothing     granted, to be taken from the giver again
 * given, its claimant is forgotten      the same
 * </pre>
 *
 * <p>Nothing is granted in a slot before every linked node has told of it. Two nodes that both hold
 * themselves for the first anchor thus can't both grant, unless they are in two partitions. Past
 * 400 lines, and one idea: what is told and what is decided change the same entries.
 */
final class GrantTable {
    private final Anchors anchors;
    private final NodeStart self;
    private final Set<TakeoverRule> rules;
    private final Out out;
    private final GrantEntries entries;
    private final PassedOn passedOn;

    /** Slots in which something may follow from what nodes are linked now. */
    private final BitSet due = new BitSet(Slots.COUNT);

    /** By server id: this node, and those that it is linked to. */
    private final Map<Integer, Peer> peers = new HashMap<>();

    private Forgotten forgotten = Forgotten.NOBODY;

    private static final class Peer {
        final NodeStart of;
        final BitSet told = new BitSet(Slots.COUNT);

        Peer(NodeStart of) {
            this.of = of;
        }
    }

    /**
     * @param account see {@link GrantEntries}
     */
    GrantTable(
            NodeStart self,
            Anchors anchors,
            Set<TakeoverRule> rules,
            LongConsumer account,
            Out out) {
        this.self = self;
        entries = new GrantEntries(account);
        this.anchors = anchors;
        this.rules = rules;
        this.out = out;
        passedOn = new PassedOn(self.server(), anchors, rules, peers::containsKey, entries, out);
    }

    // ---------------------------------------------------------------- nodes come and go

    void linked(NodeStart peer) {
        peers.put(peer.server(), new Peer(peer));
        passedOn.forget(peer.server());
    }

    void unlinked(NodeStart peer) {
        peers.remove(peer.server());
        passedOn.forgetAll();
    }

    /** A linked node has just found that another one is away: it takes what is said of that. */
    void missing(NodeStart from, int server) {
        if (!peers.containsKey(server)) {
            due.or(passedOn.forget(from.server()));
        }
    }

    /**
     * Some nodes do not belong to the cluster any more, or belong to it again.
     *
     * @return those that were not forgotten before: what is known of them has gone
     */
    Set<Integer> forgotten(Forgotten now) {
        Set<Integer> gone = new TreeSet<>(now.servers());
        gone.removeAll(forgotten.servers());
        gone.forEach(entries::forget);
        forgotten = now;
        anchorsChanged();
        return gone;
    }

    /** Durable sessions of a node that this one knows of as the first anchor of their slots. */
    long homesAt(int server) {
        return entries.homesAt(server, this::isOurs);
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

    /** Conclusions in one slot; the number of client ids that were known there. */
    private int decide(int slot) {
        int known = entries.size(slot);
        boolean isOurs = isOurs(slot);
        List<ClientId> all = entries.clientIds(slot);
        for (ClientId each : all) {
            if (isOurs) {
                decide(each);
            } else {
                entries.of(each).keepReached(this::isReached);
                entries.tidy(each);
            }
        }
        passedOn.look(slot);
        return known;
    }

    void tell(NodeStart from, Tell tell) {
        Peer peer = peer(from);
        if (peer != null) {
            List<Told> news = put(from, tell.slots(), tell.told());
            peer.told.or(tell.slots());
            tell.slots().stream().forEach(this::decide);
            news.forEach(told -> decideIfOurs(told.clientId()));
            passedOn.news(from.server(), news);
        }
    }

    void keep(NodeStart from, Keep keep) {
        Peer peer = peer(from);
        if (peer != null) {
            put(from, keep.slots(), keep.told());
            peer.told.andNot(keep.slots());
            keep.slots().stream().forEach(this::decide);
        }
    }

    /**
     * Puts what is said in place of what the node has said of these slots before.
     *
     * @return what is news of other nodes
     */
    private List<Told> put(NodeStart from, BitSet slots, List<Told> all) {
        slots.stream().forEach(slot -> withdraw(from, slot, false));
        List<Told> news = new ArrayList<>(0);
        for (Told told : all) {
            GrantEntry entry = entries.of(told.clientId());
            if (told.of().equals(from)) {
                entry.put(told.of(), told.standing());
            } else if (!peers.containsKey(told.of().server())
                    && !forgotten.servers().contains(told.of().server())
                    && entry.isNews(told.of(), told.standing())) {
                entry.put(told.of(), told.standing());
                news.add(told);
            }
            for (ToldClaim claim : told.claims()) {
                entry.put(claim.claim(), claim.granted());
            }
            entries.tidy(told.clientId());
        }
        return news;
    }

    private void withdraw(NodeStart from, int slot, boolean isSecond) {
        for (ClientId each : entries.clientIds(slot)) {
            entries.of(each).withdrawn(from.server(), isSecond);
        }
    }

    void withdraw(NodeStart from, Withdraw withdraw) {
        Peer peer = peer(from);
        if (peer != null) {
            BitSet slots = withdraw.slots();
            peer.told.andNot(slots);
            slots.stream().forEach(slot -> withdraw(from, slot, withdraw.isSecond()));
            due.or(slots);
        }
    }

    private @Nullable Peer peer(NodeStart from) {
        Peer peer = peers.get(from.server());
        return peer != null && peer.of.equals(from) ? peer : null;
    }

    private boolean isOurs(int slot) {
        return anchors.first(slot) == self.server();
    }

    private boolean isReached(NodeStart node) {
        return peer(node) != null;
    }

    int size() {
        return entries.size();
    }

    // ---------------------------------------------------------------- what nodes say

    void ask(NodeStart from, ClientId clientId, ClaimId claim) {
        if (isTold(from, clientId)) {
            entries.of(clientId).put(claim, 0);
            decideIfOurs(clientId);
        }
    }

    void settled(NodeStart from, ClientId clientId, ClaimId claim, Standing standing) {
        if (isTold(from, clientId)) {
            GrantEntry entry = entries.of(clientId);
            entry.remove(claim);
            entry.put(from, standing);
            decideIfOurs(clientId);
        }
    }

    /** Said to both anchors; also before the slot is told of, which says it again. */
    void stands(NodeStart from, ClientId clientId, Standing standing) {
        if (isReached(from)) {
            entries.of(clientId).put(from, standing);
            decideIfOurs(clientId);
        }
    }

    /** Whether its node has told of the slot; if not, that is still to come, and says this too. */
    private boolean isTold(NodeStart from, ClientId clientId) {
        Peer peer = peer(from);
        return peer != null
                && (peer.told.get(Slots.of(clientId)) || !rules.contains(TakeoverRule.COMPLETE));
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

    private void decideIfOurs(ClientId clientId) {
        if (isOurs(Slots.of(clientId))) {
            decide(clientId);
        } else {
            entries.tidy(clientId);
        }
    }

    private void decide(ClientId clientId) {
        GrantEntry entry = entries.of(clientId);
        if (isComplete(clientId)) {
            entry.keepReached(this::isReached);
            decide(clientId, entry);
        }
        entries.tidy(clientId);
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
        claim.granted = entry.nextChanges(numbersAbove());
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

    /** No session of a node that was forgotten has such a number. */
    private long numbersAbove() {
        return rules.contains(TakeoverRule.NUMBERS_AFTER_FORGETTING) ? forgotten.times() << 32 : 0;
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
        int claimant = to.by().server();
        return !mayArrive
                && (peers.containsKey(claimant) || forgotten.servers().contains(claimant));
    }

    private void send(NodeStart to, TakeoverMessage message) {
        out.send(to.server(), message);
    }
}
