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

    /** There is no link to this start of the node: it was not asked. */
    void unreachable();

    /**
     * The node was asked, and no answer comes: this start of it has ended, or there was no link for
     * too long. It may have run the connection, or do so when it gets what is on its way.
     */
    void lost();
}
