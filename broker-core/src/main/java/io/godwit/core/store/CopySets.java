package io.godwit.core.store;

import io.godwit.core.packet.ClientId;
import java.util.BitSet;

/**
 * The copy sets of a node: its queues are divided into so many groups, each of which has its copies
 * at the same other nodes. A queue's set follows from the client id's slot, so it never changes and
 * is the same at every node.
 */
public final class CopySets {
    /** Sets of sessions: enough to spread a node's copies over the nodes of a cluster. */
    private static final int OF_SESSIONS = 8;

    /** Queues without copies. */
    public static final int NONE = 0;

    /** The set of the queues of shared groups. */
    public static final int GROUPS = OF_SESSIONS + 1;

    /** The sets are numbered from 1 to here. */
    public static final int LAST = GROUPS;

    private CopySets() {}

    /** Returns the set of a client id's queue, 1..8. */
    public static int of(ClientId clientId) {
        return ofSlot(clientId.slot());
    }

    /** Returns the set of the queues of a slot, 1..8. */
    public static int ofSlot(int slot) {
        return 1 + slot % OF_SESSIONS;
    }

    /** Returns the slots whose queues some copy sets have. */
    public static BitSet slots(BitSet copySets) {
        BitSet slots = new BitSet(ClientId.SLOTS);
        for (int slot = 0; slot < ClientId.SLOTS; slot++) {
            slots.set(slot, copySets.get(ofSlot(slot)));
        }
        return slots;
    }

    /** Returns the copy sets of the queues of some slots. */
    public static BitSet ofSlots(BitSet slots) {
        BitSet copySets = new BitSet(LAST + 1);
        slots.stream().forEach(slot -> copySets.set(ofSlot(slot)));
        return copySets;
    }
}
