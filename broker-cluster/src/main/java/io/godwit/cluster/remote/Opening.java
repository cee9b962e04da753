package io.godwit.cluster.remote;

import io.godwit.core.connection.Placement;

/** Hears what becomes of a channel that is asked for: one call, on the shard's thread. */
public interface Opening {
    /** The leader runs the connection; its bytes go by the pipe, which is opened in this call. */
    void opened(Placement.Pipe pipe);

    /**
     * The node does not lead the slot.
     *
     * @param row what it knows of the slot's leader
     */
    void notLeader(byte[] row);

    /** The leader has ended the connection. */
    void closed();

    /** There is no link to this start of the node, or there was none for too long. */
    void lost();
}
