package io.godwit.core.store;

import io.godwit.core.packet.ClientId;

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
}
