package io.godwit.cluster.takeover;

import io.godwit.cluster.membership.Slots;
import io.godwit.cluster.takeover.TakeoverMessage.Keep;
import io.godwit.cluster.takeover.TakeoverMessage.Tell;
import io.godwit.cluster.takeover.TakeoverMessage.Told;
import io.godwit.cluster.takeover.TakeoverMessage.Withdraw;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;

/**
 * Tells the first anchor of each slot what this node has in it, and the second one what of that a
 * restart would find; withdraws it from nodes that are neither any more. Slots are told of slice by
 * slice.
 *
 * <pre>
 * was      is       said
 * -        first    Tell: everything
 * -        second   Keep: what is durable
 * first    second   Withdraw, and what is durable stays there
 * first    -        the same, and then as second
 * second   first    Tell
 * second   -        Withdraw, when those who are anchors now have heard: if this node dies
 *                   before, it is the only one that knows
 * </pre>
 *
 * <p>This node itself is told as the first anchor only: once it is dead, nobody asks it.
 */
final class SlotReports {
    private static final int NOBODY = Anchors.NOBODY;

    private final int self;
    private final Anchors anchors;
    private final Set<TakeoverRule> rules;
    private final IntPredicate isReached;
    private final IntFunction<List<Told>> inSlot;
    private final BiConsumer<Integer, TakeoverMessage> send;
    private final BiConsumer<Set<Integer>, Runnable> whenHeard;

    /** By slot: the node that has been told, or is to be told, of everything in it. */
    private final int[] first = new int[Slots.COUNT];

    /** By slot: the node that has been told, or is to be told, of what is durable in it. */
    private final int[] second = new int[Slots.COUNT];

    /** Those that the first one is still to be told of. */
    private final BitSet toTell = new BitSet(Slots.COUNT);

    private final BitSet toKeep = new BitSet(Slots.COUNT);

    /** By server id: slots that are withdrawn from it when their anchors have heard. */
    private final Map<Integer, BitSet> gone = new LinkedHashMap<>(2);

    /** Whether it is asked that they have heard, and for which time. */
    private boolean isAsking;

    private long asks;

    /**
     * @param isReached whether a node, by server id, hears what is sent to it
     * @param inSlot what this node has in a slot, and claims in it
     * @param whenHeard runs a task when nodes, by server ids, have heard what was sent to them;
     *     perhaps never, when one of them is linked or not linked any more
     */
    SlotReports(
            int self,
            Anchors anchors,
            Set<TakeoverRule> rules,
            IntPredicate isReached,
            IntFunction<List<Told>> inSlot,
            BiConsumer<Integer, TakeoverMessage> send,
            BiConsumer<Set<Integer>, Runnable> whenHeard) {
        this.self = self;
        this.anchors = anchors;
        this.rules = rules;
        this.isReached = isReached;
        this.inSlot = inSlot;
        this.send = send;
        this.whenHeard = whenHeard;
        Arrays.fill(first, NOBODY);
        Arrays.fill(second, NOBODY);
    }

    /** Forgets that a node was told of anything: its start is another, or its link has ended. */
    void forget(int server) {
        isAsking = false;
        gone.remove(server);
        for (int slot = 0; slot < first.length; slot++) {
            if (first[slot] == server) {
                first[slot] = NOBODY;
                toTell.clear(slot);
            }
            if (second[slot] == server) {
                second[slot] = NOBODY;
                toKeep.clear(slot);
            }
        }
    }

    /** A node is linked: what it knows of this one from before counts in no slot of others. */
    void linked(int server) {
        BitSet others = new BitSet(Slots.COUNT);
        for (int slot = 0; slot < first.length; slot++) {
            others.set(slot, first[slot] != server && second[slot] != server);
        }
        if (!others.isEmpty()) {
            send.accept(server, new Withdraw(others, false));
        }
    }

    /**
     * Withdraws what was told to nodes that are no anchors any more: {@link #tellMore} tells the
     * others.
     */
    void anchorsChanged() {
        isAsking = false;
        Map<Integer, BitSet> notFirst = new LinkedHashMap<>();
        for (int slot = 0; slot < Slots.COUNT; slot++) {
            change(slot, firstNow(slot), secondNow(slot), notFirst);
        }
        notFirst.forEach((server, slots) -> send.accept(server, new Withdraw(slots, true)));
    }

    private int firstNow(int slot) {
        int now = anchors.first(slot);
        return isReached.test(now) ? now : NOBODY;
    }

    private int secondNow(int slot) {
        int now = rules.contains(TakeoverRule.TWO_ANCHORS) ? anchors.second(slot) : NOBODY;
        return now != NOBODY && now != self && isReached.test(now) ? now : NOBODY;
    }

    /**
     * @param notFirst by server id: slots that it was the first anchor of until now
     */
    private void change(int slot, int firstNow, int secondNow, Map<Integer, BitSet> notFirst) {
        int firstBefore = first[slot];
        int secondBefore = second[slot];
        boolean hasAll = firstBefore != NOBODY && !toTell.get(slot);
        first[slot] = firstNow;
        second[slot] = secondNow;
        if (firstNow != firstBefore) {
            toTell.set(slot, firstNow != NOBODY);
            if (firstBefore != NOBODY) {
                note(notFirst, firstBefore, slot);
            }
        }
        if (secondNow != secondBefore) {
            boolean knows = secondNow == firstBefore && hasAll;
            toKeep.set(slot, secondNow != NOBODY && !knows);
        }
        goneOrNot(slot, firstBefore);
        goneOrNot(slot, secondBefore);
        goneOrNot(slot, firstNow);
        goneOrNot(slot, secondNow);
    }

    private void goneOrNot(int slot, int server) {
        boolean isAnchor = server == first[slot] || server == second[slot];
        if (server != NOBODY && !isAnchor) {
            note(gone, server, slot);
        } else if (gone.containsKey(server)) {
            gone.get(server).clear(slot);
        }
    }

    private static void note(Map<Integer, BitSet> in, int server, int slot) {
        in.computeIfAbsent(server, any -> new BitSet()).set(slot);
    }

    /** Whether {@link #tellMore} has more to do. */
    boolean isDue() {
        return !toTell.isEmpty() || !toKeep.isEmpty() || !gone.isEmpty() && !isAsking;
    }

    /** Tells of slots until about this many client ids were told of. */
    void tellMore(int most) {
        int left = most;
        while (left > 0 && !toTell.isEmpty()) {
            left -= 1 + tell(true, left);
        }
        while (left > 0 && !toKeep.isEmpty()) {
            left -= 1 + tell(false, left);
        }
        if (toTell.isEmpty() && toKeep.isEmpty() && isDue()) {
            isAsking = true;
            long number = ++asks;
            whenHeard.accept(
                    anchorsOfGone(),
                    () -> {
                        if (isAsking && number == asks) {
                            withdrawGone();
                        }
                    });
        }
    }

    private Set<Integer> anchorsOfGone() {
        Set<Integer> servers = new LinkedHashSet<>();
        for (BitSet slots : gone.values()) {
            slots.stream()
                    .forEach(slot -> {
                        servers.add(first[slot]);
                        servers.add(second[slot]);
                    });
        }
        return servers;
    }

    private void withdrawGone() {
        isAsking = false;
        gone.forEach((server, slots) -> send.accept(server, new Withdraw(slots, false)));
        gone.clear();
    }

    /**
     * Tells of a slot, and of the next ones that the same node is to be told of.
     *
     * @return of how many client ids
     */
    private int tell(boolean everything, int most) {
        int[] anchor = everything ? first : second;
        BitSet due = everything ? toTell : toKeep;
        int slot = due.nextSetBit(0);
        int to = anchor[slot];
        List<Told> all = new ArrayList<>();
        BitSet slots = new BitSet();
        while (slot >= 0 && all.size() < most) {
            if (anchor[slot] == to) {
                all.addAll(everything ? inSlot.apply(slot) : durable(slot));
                slots.set(slot);
                due.clear(slot);
            }
            slot = due.nextSetBit(slot + 1);
        }
        send.accept(to, everything ? new Tell(slots, all) : new Keep(slots, all));
        return all.size();
    }

    private List<Told> durable(int slot) {
        List<Told> durable = new ArrayList<>();
        for (Told each : inSlot.apply(slot)) {
            if (each.standing().durable()) {
                durable.add(new Told(each.of(), each.clientId(), each.standing(), List.of()));
            }
        }
        return durable;
    }
}
