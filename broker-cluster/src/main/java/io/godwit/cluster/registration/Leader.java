package io.godwit.cluster.registration;

import io.godwit.cluster.transport.NodeStart;

/**
 * Who grants the client ids of a slot under one epoch.
 *
 * @param changes number of leader changes of the slot. With the start and server id of its leader
 *     it is the epoch
 * @param standsIn whether the node grants in the place of the leader, which is out of reach
 */
public record Leader(NodeStart node, long changes, boolean standsIn) {
    public Leader(NodeStart node, long changes) {
        this(node, changes, false);
    }
}
