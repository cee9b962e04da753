package io.godwit.cluster.registration;

import io.godwit.cluster.transport.NodeStart;
import org.jspecify.annotations.Nullable;

/**
 * A client id at the leader: the transient connection at another node that has it, and who claims
 * it. Many of them exist: one for each registered connection.
 */
final class RegistryEntry {
    /** The node of the connection that has the client id; null: none at another node. */
    @Nullable NodeStart edge;

    /** The connection, as its edge names it. */
    long number;

    /** Who claims it now; null: nobody. */
    @Nullable EntryClaims claims;

    boolean isHeldBy(NodeStart node, long connection) {
        return number == connection && node.equals(edge);
    }

    void holder(NodeStart node, long connection) {
        edge = node;
        number = connection;
    }

    void removeHolder() {
        edge = null;
        number = 0;
    }
}
