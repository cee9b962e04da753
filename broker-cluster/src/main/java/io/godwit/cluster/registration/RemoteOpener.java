package io.godwit.cluster.registration;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.connection.AuthenticatedConnect;
import io.godwit.core.connection.Placement.Pipe;

/** Opens connections at other nodes, for one shard. */
public interface RemoteOpener {
    /**
     * Opens a connection at the node that leads its client id's slot. One answer follows, perhaps
     * before this returns.
     */
    Opening open(NodeStart leader, AuthenticatedConnect connect, Answer answer);

    /** A connection that is being opened. */
    interface Opening {
        /** Closes it without an answer: the client's socket has ended, or has another leader. */
        void withdraw();
    }

    /** Hears what became of an opening. */
    interface Answer {
        void opened(Pipe pipe);

        /**
         * Tells that the node does not lead the slot.
         *
         * @param row of the slot in that node's table
         */
        void notLeader(byte[] row);

        /** Tells that the node was not asked: that start of it is away. */
        void unreachable();

        /** Tells that no answer comes, though the node may have opened the connection. */
        void lost();
    }
}
