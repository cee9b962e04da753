package io.godwit.cluster.takeover;

import io.godwit.core.packet.ClientId;

/** Who grants which client ids, as this node sees it now: what membership knows. */
public interface Anchors {
    /** How many slots there are. */
    int SLOTS = 4096;

    /** The slot of a client id, the same on every node. */
    static int slotOf(ClientId clientId) {
        return Math.floorMod(clientId.hashCode(), SLOTS);
    }

    /**
     * The first live node of a slot's list.
     *
     * @return its server id; this node's own, perhaps
     */
    int first(int slot);
}
