package io.godwit.core.connection;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Will;
import io.godwit.core.session.WillKeeper;

/**
 * Finds the node that serves a connection, in front of the registrar of this node. Each shard has
 * one of its own, used by its thread only. A broker without a cluster has none.
 */
public interface Placement {
    /**
     * Asks which node serves a connection. One of the answers of {@link Asking} follows, perhaps
     * before this returns.
     *
     * @param connect checked and authenticated
     * @param asking the connection that waits
     */
    Question ask(AuthenticatedConnect connect, Asking asking);

    /** Whether this node leads the slot: client ids that the broker gives are of such slots. */
    boolean leads(int slot);

    /** Milliseconds that {@link Stay#ended} waits at most for answers to what was published. */
    long patienceMs();

    /** Passes on the Will of a transient session that has ended with an earlier start. */
    boolean passEarlierWill(ClientId clientId, Will will, WillKeeper.Passed then);

    /** A question under way. */
    interface Question {
        /** Ends it without an answer: the connection has ended. */
        void withdraw();
    }

    /** A connection that waits for its place. */
    interface Asking {
        /** Goes on at this node: the connection claims its client id at the registrar. */
        void here(Stay stay);

        /**
         * Goes on at another node: from now on the bytes of the connection go by the pipe. What was
         * read and not decoded comes first, before this returns.
         */
        void elsewhere(Pipe pipe);

        /** Refuses the connection: CONNACK with this reason. */
        void refused(ReasonCode reason, String text);

        /**
         * Closes the connection without a CONNACK: another node was asked to serve it, does not
         * answer, and may have accepted the CONNECT. To ask again could accept it twice: a Will
         * published twice, or a session that is present though the client never had one.
         */
        void endUnanswered(String text);

        /**
         * Ends the connection after {@link #here}: a newer one has the client id, perhaps at
         * another node. The client is told 0x8E, and a transient session ends. {@link Stay#ended}
         * follows.
         */
        void endTakenOver();

        /**
         * Ends the connection after {@link #here}: another node leads its session from now on. The
         * client is told 0x8B. {@link Stay#ended} follows.
         */
        void endElsewhere();
    }

    /**
     * A connection that is served at this node; {@link #claimed} and {@link #ended} are called
     * once, in this order. A Will that is passed on before {@link #ended} leaves with that.
     */
    interface Stay extends WillKeeper {
        /** Notes that the claim at the registrar has come to its end, with or without a session. */
        void claimed();

        /**
         * Notes that the session of a connection with Session Expiry 0 has ended, and what its
         * client published is answered or was waited for as long as the cluster waits for a node.
         * For other connections it is called when they end.
         */
        void ended();
    }

    /** The way to the node that serves a connection. */
    interface Pipe {
        /**
         * Connects the client's wire, which is being read, to it.
         *
         * @return hears the wire from now on, in place of the connection
         */
        WireListener open(Wire client);
    }
}
