package io.godwit.cluster.takeover;

import io.godwit.cluster.membership.Slots;
import io.godwit.cluster.takeover.GrantEntry.Fact;
import io.godwit.cluster.takeover.TakeoverMessage.Tell;
import io.godwit.cluster.takeover.TakeoverMessage.Told;
import io.godwit.core.packet.ClientId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * Passes on to the two anchors of each slot what this node knows of nodes that can't say it
 * themselves: those that it is not linked to. A node that was first until now says all that it
 * knows, since the next one may not be linked to those whom it knows it from.
 *
 * <p>What is said of a node is taken by whoever is not linked to that one, if it is news, and is
 * kept there until that node is linked again and speaks for itself. It may be older than what that
 * node would say; then a client id waits for that node's return, and nothing else follows from it.
 */
final class PassedOn {
    private final int self;
    private final Anchors anchors;
    private final Set<TakeoverRule> rules;
    private final IntPredicate isLinked;
    private final GrantEntries entries;
    private final Out out;

    /** By slot: the anchors that know what this node knows of those that are away. */
    private final int[] first = new int[Slots.COUNT];

    private final int[] second = new int[Slots.COUNT];

    /** Slots that this node was the first anchor of, when they were looked at last. */
    private final BitSet wasFirst = new BitSet(Slots.COUNT);

    /**
     * @param isLinked whether there is a link to a node, by server id; true for this one
     */
    PassedOn(
            int self,
            Anchors anchors,
            Set<TakeoverRule> rules,
            IntPredicate isLinked,
            GrantEntries entries,
            Out out) {
        this.self = self;
        this.anchors = anchors;
        this.rules = rules;
        this.isLinked = isLinked;
        this.entries = entries;
        this.out = out;
        forgetAll();
    }

    /** There is more to say: another node is away. */
    void forgetAll() {
        Arrays.fill(first, Anchors.NOBODY);
        Arrays.fill(second, Anchors.NOBODY);
    }

    /**
     * A node may not have taken what was said to it.
     *
     * @return the slots that it is told of again
     */
    BitSet forget(int server) {
        BitSet again = new BitSet();
        for (int slot = 0; slot < first.length; slot++) {
            if (first[slot] == server) {
                first[slot] = Anchors.NOBODY;
                again.set(slot);
            }
            if (second[slot] == server) {
                second[slot] = Anchors.NOBODY;
                again.set(slot);
            }
        }
        return again;
    }

    private int secondOf(int slot) {
        return rules.contains(TakeoverRule.TWO_ANCHORS) ? anchors.second(slot) : Anchors.NOBODY;
    }

    /** Tells the anchors of a slot what they have not been told. */
    void look(int slot) {
        int firstNow = anchors.first(slot);
        int secondNow = secondOf(slot);
        boolean handsOver = firstNow != self && wasFirst.get(slot);
        wasFirst.set(slot, firstNow == self);
        if (handsOver || !isPassedTo(slot, firstNow)) {
            pass(slot, firstNow, handsOver);
        }
        if (!isPassedTo(slot, secondNow)) {
            pass(slot, secondNow, false);
        }
        first[slot] = firstNow;
        second[slot] = secondNow;
    }

    private boolean isPassedTo(int slot, int server) {
        return server == self
                || server == Anchors.NOBODY
                || first[slot] == server
                || second[slot] == server;
    }

    private void pass(int slot, int to, boolean everything) {
        List<Told> told = new ArrayList<>();
        for (ClientId each : entries.clientIds(slot)) {
            for (Fact fact : entries.of(each).facts()) {
                int of = fact.of().server();
                if (of != to
                        && of != self
                        && fact.standing().durable()
                        && (everything || !isLinked.test(of))) {
                    told.add(new Told(fact.of(), each, fact.standing(), List.of()));
                }
            }
        }
        send(to, told);
    }

    /** What a node has passed on to this one, and was news. */
    void news(int from, List<Told> told) {
        Map<Integer, List<Told>> byAnchor = new LinkedHashMap<>(2);
        for (Told each : told) {
            int slot = Slots.of(each.clientId());
            for (int anchor : new int[] {anchors.first(slot), secondOf(slot)}) {
                if (anchor != self && anchor != from && anchor != Anchors.NOBODY) {
                    byAnchor.computeIfAbsent(anchor, any -> new ArrayList<>()).add(each);
                }
            }
        }
        byAnchor.forEach(this::send);
    }

    private void send(int to, List<Told> told) {
        if (!told.isEmpty()) {
            out.send(to, new Tell(new BitSet(), told));
        }
    }
}
