package io.godwit.cluster.registration;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Will;
import io.godwit.core.takeover.ClaimingUser;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message about who has a client id. Between two starts of nodes each arrives once, in the order
 * in which one shard has sent them.
 *
 * <pre>
 * edge E                     leader O                     edge E1 (has the client id)
 *   -- Register ---------------->
 *                                -- End ----------------------->   0x8E to the client
 *                                <---------------------- Ended --   its publishes are answered
 *                                what O itself has of the client id ends
 *   <---------------- Granted ---
 *   ... the connection ends; with a Will that is due, WillDue comes first
 *   -- Unregister -------------->
 * </pre>
 *
 * While the leader is out of reach, a stand-in takes its place; the messages are {@link OfStandIn}.
 */
sealed interface RegistrationMessage {
    /** Goes to the {@link LeaderRegistry} of the client id's slot. */
    sealed interface ToLeader extends RegistrationMessage {}

    /** Goes to the {@link EdgePlacement} that gave the number. */
    sealed interface ToEdge extends RegistrationMessage {
        long number();
    }

    /**
     * A message to a node as the stand-in of a leader that is out of reach, or from it.
     *
     * @param message as to or from a leader
     */
    record OfStandIn(RegistrationMessage message) implements RegistrationMessage {}

    // ---------------------------------------------------------------- to the leader

    /**
     * Asks for a client id, for a connection with Session Expiry 0; from the leader's own node for
     * any connection.
     *
     * @param changes the epoch under which the receiver is held for the leader
     * @param connectedMs when the client was authenticated, by the clock of the node that has this
     *     object
     * @param will of the connection; null: none
     * @param by the connection's user; null: sessions are anyone's
     */
    record Register(
            ClientId clientId,
            long number,
            long changes,
            boolean cleanStart,
            long connectedMs,
            @Nullable Will will,
            @Nullable ClaimingUser by)
            implements ToLeader {
        Register(
                ClientId clientId,
                long number,
                long changes,
                boolean cleanStart,
                long connectedMs) {
            this(clientId, number, changes, cleanStart, connectedMs, null, null);
        }

        /** Returns it with the time of the CONNECT by the clock of another node. */
        Register connectedAt(long nodeMs) {
            return new Register(clientId, number, changes, cleanStart, nodeMs, will, by);
        }
    }

    /** Tells that the connection has ended, or does not ask any more. */
    record Unregister(ClientId clientId, long number) implements ToLeader {}

    /** Answers {@link End}. */
    record Ended(ClientId clientId, long number) implements ToLeader {}

    /** Tells, within the leader's node, that the connection's claim has come to its end. */
    record Claimed(ClientId clientId, long number) implements ToLeader {}

    /**
     * Tells which client ids of some slots have transient connections at a shard of the sender;
     * from the leader's own node, which have a claim under way.
     *
     * @param shard of the sender
     * @param shards that the sender has
     * @param changes the epoch under which the receiver is held for the leader of the slots
     * @param slots ascending
     */
    record Registered(
            int shard, int shards, long changes, List<Integer> slots, List<Registration> all)
            implements ToLeader {}

    /**
     * A connection and its client id.
     *
     * @param number 0: the connection has ended; a stand-in tells that it was granted
     * @param grantedAt clock of the stamp with which a stand-in has granted it: a durable session
     *     whose last CONNECT came before is over; 0: a leader has granted it
     * @param will of the connection; null: none
     * @param by the connection's user; null: sessions are anyone's
     */
    record Registration(
            ClientId clientId,
            long number,
            long grantedAt,
            @Nullable Will will,
            @Nullable ClaimingUser by) {
        Registration(ClientId clientId, long number) {
            this(clientId, number, 0, null, null);
        }

        Registration(ClientId clientId, long number, long grantedAt) {
            this(clientId, number, grantedAt, null, null);
        }
    }

    /**
     * Tells the next leader of some slots, before {@link Registered}, of which nodes the Wills of
     * ended starts were published or dropped there.
     *
     * @param changes the epoch under which the receiver is held for the leader of the slots
     * @param slots ascending
     * @param servers ascending
     */
    record WillsDecided(long changes, List<Integer> slots, List<Integer> servers)
            implements ToLeader {}

    /**
     * Takes back from a stand-in what a shard of the sender has told of some slots: the sender
     * hears their leader, or another node stands in. Nothing is told of them until all is told
     * again.
     *
     * @param slots ascending
     */
    record TakenBack(int shard, int shards, long changes, List<Integer> slots)
            implements ToLeader {}

    /**
     * Asks the receiver to publish a Will that is due, unless its client has connected elsewhere.
     *
     * @param number of the connection, or of the question if that is of an earlier start
     * @param source where the receiver knows it from
     */
    record WillDue(ClientId clientId, long number, Source source, Will will) implements ToLeader {
        /** Where a Will that is due comes from. */
        enum Source {
            /** A connection that is registered at the receiver, with its Will. */
            REGISTERED,
            /** A connection that the receiver does not know: it leads the slot since its end. */
            UNKNOWN,
            /** A connection at an earlier start of the sender. */
            EARLIER_START
        }
    }

    // ---------------------------------------------------------------- to the edge

    /**
     * Grants the client id.
     *
     * @param grantedAt clock of the stamp of a grant by a stand-in; 0 from a leader
     */
    record Granted(long number, long changes, long grantedAt) implements ToEdge {
        Granted(long number, long changes) {
            this(number, changes, 0);
        }
    }

    /** Answers that there is a durable session to continue: the connection is to be opened here. */
    record HasSession(long number, long changes) implements ToEdge {}

    /** Answers that the sender does not lead the slot. */
    record NotLeader(long number, long changes, byte[] row) implements ToEdge {}

    record Refused(long number, long changes, ReasonCode reason, String text) implements ToEdge {}

    /** Asks for the end of a connection: a newer one has the client id, or its Will is out. */
    record End(ClientId clientId, long number) implements ToEdge {}

    /**
     * Answers {@link WillDue}.
     *
     * @param isSettled whether it is published, or is not to be; false: the sender does not lead
     *     the slot
     */
    record WillAnswered(long number, boolean isSettled) implements ToEdge {}

    /**
     * Answers {@link WillDue}, within the leader's node, about a Will of an earlier start: it is to
     * be published from the record that it stands in. A second record would publish it twice after
     * a crash between the two.
     */
    record PublishWill(long number) implements ToEdge {}
}
