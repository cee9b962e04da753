package io.godwit.cluster.replication;

import io.godwit.core.message.Digest;
import io.godwit.core.packet.ClientId;
import io.godwit.core.store.CopySets;
import java.util.BitSet;

/** Holds the sum of the digests of the queues of each slot, and how many queues that are. */
final class SlotDigests {
    /** Stands behind the slots, for the queues of shared groups. */
    static final int GROUPS = ClientId.SLOTS;

    /** How many there are. */
    static final int COUNT = GROUPS + 1;

    private final long[] high = new long[COUNT];
    private final long[] low = new long[COUNT];
    private final int[] queues = new int[COUNT];

    /** Returns the copy set that the queues of a slot belong to. */
    static int copySet(int slot) {
        return slot == GROUPS ? CopySets.GROUPS : CopySets.ofSlot(slot);
    }

    /**
     * Adds queues of a slot.
     *
     * @param sum of their digests
     */
    void add(int slot, int count, Digest sum) {
        Digest all = digest(slot);
        all.add(sum);
        high[slot] = all.high();
        low[slot] = all.low();
        queues[slot] += count;
    }

    /** Returns the sum of the digests of a slot's queues. */
    Digest digest(int slot) {
        return new Digest(high[slot], low[slot]);
    }

    /** Returns how many queues of a slot there are. */
    int queues(int slot) {
        return queues[slot];
    }

    /** Counts the queues of some copy sets. */
    long queuesOf(BitSet sets) {
        long count = 0;
        for (int slot = 0; slot < COUNT; slot++) {
            count += sets.get(copySet(slot)) ? queues[slot] : 0;
        }
        return count;
    }

    /** Finds the slots of some copy sets in which another node has something else. */
    BitSet differing(SlotDigests other, BitSet sets) {
        BitSet found = new BitSet();
        for (int slot = 0; slot < COUNT; slot++) {
            boolean isSame =
                    high[slot] == other.high[slot]
                            && low[slot] == other.low[slot]
                            && queues[slot] == other.queues[slot];
            if (!isSame && sets.get(copySet(slot))) {
                found.set(slot);
            }
        }
        return found;
    }
}
