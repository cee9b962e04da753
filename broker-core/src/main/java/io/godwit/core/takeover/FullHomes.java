package io.godwit.core.takeover;

import io.godwit.core.packet.ClientId;
import org.jspecify.annotations.Nullable;

/**
 * Sessions that have gone to other nodes, and after which all waits that may: what is for them must
 * wait before it is routed. Any thread asks.
 */
public interface FullHomes {
    /** Whether there is such a session. */
    boolean isSome();

    /** Server id of the node that has a session of this client id; null when more may wait. */
    @Nullable Integer of(ClientId clientId);
}
