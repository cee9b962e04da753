package io.godwit.cluster.takeover;

import io.godwit.core.id.IngressId;
import io.godwit.core.packet.ClientId;
import java.util.List;

/** The sessions of this node, as takeovers between nodes ask for them. Answers come later. */
public interface LocalSessions {
    /** Nobody has the client id: {@link Takeovers#settled} follows. */
    void make(ClientId clientId, ClaimId claim, long changes);

    /**
     * The session comes here: {@link Takeovers#settled} follows as soon as a restart would find it
     * here, and {@link Takeovers#whole} once everything of it is.
     *
     * @param from server id of the home until now
     * @param header as that home has made it
     */
    void arrive(ClientId clientId, ClaimId claim, long changes, int from, byte[] header);

    /**
     * What was given comes back, since nobody has it: {@link Takeovers#tookBack} follows.
     *
     * @param given number of the grant for which it was given
     * @param changes number that it has from now on
     */
    void takeBack(ClientId clientId, ClaimId claim, long given, long changes);

    /** The session has a home, and it is out of reach: the connection is refused. */
    void outOfReach(ClientId clientId, ClaimId claim);

    /**
     * A node that leaves offers a session: {@link Takeovers#claim} follows, unless somebody here
     * has to do with the client id already.
     *
     * @param from server id of that node
     */
    void offered(ClientId clientId, int from);

    /**
     * The session goes to a claim: its connection ends with 0x8E, and it stops for good. {@link
     * Takeovers#gaveUp} follows when all of it is here, and that it has stopped is durable; or
     * {@link Takeovers#stays}.
     *
     * @param former whom its next home has to tell when it has everything, in this order
     */
    void giveUp(
            ClientId clientId,
            ClaimId claim,
            long changes,
            boolean cleanStart,
            List<Former> former);

    /**
     * What was given is another claim's now, since it never arrived: {@link Takeovers#gaveAgain}
     * follows when that is durable.
     *
     * @param changes number of the grant for which it was given
     * @param next number of the one that it goes to
     */
    void giveAgain(ClientId clientId, long changes, ClaimId claim, long next);

    /**
     * Nothing comes to what is kept of the session from homes before this one.
     *
     * @param changes number of the grant for which it was given last
     */
    default void oldest(ClientId clientId, long changes) {}

    /**
     * The new home has everything: what is kept of the session goes.
     *
     * @param changes number of the grant for which it was given last
     */
    void drop(ClientId clientId, long changes);

    /** QoS 2 messages will not come again, as publishers have said at a former home. */
    default void over(ClientId clientId, List<IngressId> publishes) {}

    /** A former home keeps nothing any more: it need not be known any longer. */
    void dropped(ClientId clientId, Former former);

    /**
     * The rest of a session's queue is lost with the former home that had it: {@link
     * Takeovers#whole} follows.
     *
     * @param changes number of the grant for which the session came
     */
    default void noMorePages(ClientId clientId, long changes) {}

    /**
     * Another home has a higher number: the connection ends with 0x8E. What a durable session has
     * is set aside, not given up.
     */
    void lose(ClientId clientId);
}
