package io.godwit.cluster.transport;

import java.util.Set;

/** Is called by a {@link Transport}, on threads of its own; does not wait. */
public interface TransportListener {
    /**
     * A frame has come. One call at a time for each endpoint.
     *
     * @param frame may be kept
     */
    void onFrame(Endpoint from, byte[] frame, int offset, int length);

    /**
     * Others that frames may be sent to now. A hint, never a proof: one that is missing may be
     * well, one that is there may be gone or out of reach, and two nodes are told different things.
     */
    void onEndpoints(Set<Endpoint> others);
}
