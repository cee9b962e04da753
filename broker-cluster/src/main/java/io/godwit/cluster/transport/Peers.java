package io.godwit.cluster.transport;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** The links that are open now; read by any thread. */
public interface Peers {
    /**
     * @param server of the peer
     * @return null when there is no link to it
     */
    @Nullable PeerLink link(int server);

    /** All of them, up or silent, in no order. */
    Collection<PeerLink> links();
}
