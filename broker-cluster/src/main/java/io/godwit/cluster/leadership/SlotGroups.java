package io.godwit.cluster.leadership;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Groups the slots of one view by leader and by state, so that nobody has to look at each slot.
 *
 * @param byServer by server id: the slots that it leads, whether it acts for them or not
 * @param counts how many slots there are in each state, by ordinal
 * @param led the slots that this node acts for
 */
record SlotGroups(Map<Integer, BitSet> byServer, int[] counts, BitSet led) {
    static SlotGroups of(@Nullable Epoch[] epochs, byte[] states) {
        Map<Integer, BitSet> byServer = new HashMap<>();
        int[] counts = new int[SlotLeaders.State.values().length];
        BitSet led = new BitSet(states.length);
        int last = 0;
        BitSet ofLast = new BitSet();
        for (int slot = 0; slot < states.length; slot++) {
            counts[states[slot]]++;
            if (states[slot] == SlotLeaders.State.LED.ordinal()) {
                led.set(slot);
            }
            Epoch epoch = epochs[slot];
            if (epoch != null) {
                if (epoch.server() != last) {
                    last = epoch.server();
                    ofLast = byServer.computeIfAbsent(last, any -> new BitSet(states.length));
                }
                ofLast.set(slot);
            }
        }
        return new SlotGroups(byServer, counts, led);
    }

    /** Returns the slots that a server leads; a copy. */
    BitSet ledBy(int server) {
        BitSet slots = byServer.get(server);
        return slots == null ? new BitSet() : (BitSet) slots.clone();
    }

    int count(SlotLeaders.State state) {
        return counts[state.ordinal()];
    }
}
