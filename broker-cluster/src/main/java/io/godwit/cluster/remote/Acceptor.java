package io.godwit.cluster.remote;

import io.godwit.core.connection.AuthenticatedConnect;
import io.godwit.core.connection.Wire;
import io.godwit.core.connection.WireListener;

/** Runs connections whose clients are at other nodes; on the shard of their slot. */
public interface Acceptor {
    /** Whether this node leads the slot, and goes on to. */
    boolean leads(int slot);

    /** What this node knows of the slot's leader, as the edge's {@link Opening} is told. */
    byte[] leaderRow(int slot);

    /**
     * Begins a connection. Its CONNACK, and a refusal as well, are written to the wire.
     *
     * @return hears the wire
     */
    WireListener accept(AuthenticatedConnect connect, Wire wire);

    /** Counts a connection that is closed because of an internal error. */
    void onFault();
}
