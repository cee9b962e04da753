package io.godwit.cluster.takeover;

import io.godwit.cluster.membership.Slots;
import io.godwit.cluster.takeover.TakeoverMessage.Tell;
import io.godwit.cluster.takeover.TakeoverMessage.Told;
import io.godwit.cluster.takeover.TakeoverMessage.Withdraw;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;

/**
 * Tells the first anchor of each slot what this node has in it, and withdraws that from the node
 * that was the first before. Slots are told of slice by slice.
 */
final class SlotReports {
    private static final int NOBODY = -1;

    private final Anchors anchors;
    private final IntPredicate isReached;
    private final IntFunction<List<Told>> inSlot;
    private final BiConsumer<Integer, TakeoverMessage> send;

    /** By slot: the node that has been told, or is to be told, of everything in it. */
    private final int[] told = new int[Slots.COUNT];

    /** Those that are still to be told of. */
    private final BitSet toTell = new BitSet(Slots.COUNT);

    /**
     * @param isReached whether a node, by server id, hears what is sent to it
     * @param inSlot what this node has in a slot, and claims in it
     */
    SlotReports(
            Anchors anchors,
            IntPredicate isReached,
            IntFunction<List<Told>> inSlot,
            BiConsumer<Integer, TakeoverMessage> send) {
        this.anchors = anchors;
        this.isReached = isReached;
        this.inSlot = inSlot;
        this.send = send;
        Arrays.fill(told, NOBODY);
    }

    /** Forgets that a node was told of anything: its start is another, or its link has ended. */
    void forget(int server) {
        for (int slot = 0; slot < told.length; slot++) {
            if (told[slot] == server) {
                told[slot] = NOBODY;
                toTell.clear(slot);
            }
        }
    }

    /**
     * Withdraws what was told to nodes that are first no more: {@link #tellMore} tells the others.
     */
    void anchorsChanged() {
        Map<Integer, BitSet> withdrawn = new LinkedHashMap<>();
        for (int slot = 0; slot < told.length; slot++) {
            int first = anchors.first(slot);
            int before = told[slot];
            if (first == before) {
                continue;
            }
            if (before != NOBODY) {
                withdrawn.computeIfAbsent(before, any -> new BitSet()).set(slot);
            }
            told[slot] = isReached.test(first) ? first : NOBODY;
            toTell.set(slot, told[slot] != NOBODY);
        }
        withdrawn.forEach((server, slots) -> send.accept(server, new Withdraw(slots)));
    }

    /** Whether {@link #tellMore} has more to do. */
    boolean isDue() {
        return !toTell.isEmpty();
    }

    /** Tells of slots until about this many client ids were told of. */
    void tellMore(int most) {
        int left = most;
        while (left > 0 && !toTell.isEmpty()) {
            left -= 1 + tell(toTell.nextSetBit(0), left);
        }
    }

    /**
     * Tells of a slot, and of the next ones that the same node is to be told of.
     *
     * @return of how many client ids
     */
    private int tell(int first, int most) {
        int to = told[first];
        List<Told> all = new ArrayList<>();
        BitSet slots = new BitSet();
        int slot = first;
        while (slot >= 0 && all.size() < most) {
            if (told[slot] == to) {
                all.addAll(inSlot.apply(slot));
                slots.set(slot);
                toTell.clear(slot);
            }
            slot = toTell.nextSetBit(slot + 1);
        }
        send.accept(to, new Tell(slots, all));
        return all.size();
    }
}
