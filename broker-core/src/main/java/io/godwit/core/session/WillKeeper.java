package io.godwit.core.session;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Will;

/**
 * Passes Wills of transient sessions to the node that grants their client ids: that one alone knows
 * whether the client is connected elsewhere. On the shard's thread.
 */
@FunctionalInterface
public interface WillKeeper {
    /**
     * Passes on a Will that is due, behind what its client has published.
     *
     * @param then called once, later, unless the process ends before
     * @return false: this node publishes the Will, and {@code then} is not called
     */
    boolean pass(ClientId clientId, Will will, Passed then);

    /** Waits for what becomes of a Will that was passed on. */
    interface Passed {
        /** Publishes it at this node, from the record that it stands in. */
        void publish();

        /** Notes that another node has published it, or that it is not to be published. */
        void settled();
    }
}
