package io.godwit.core.takeover;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.packet.ClientId;
import io.godwit.core.store.CopyPage;
import io.godwit.core.store.SessionMoves;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What other nodes answer, ask for and send: the other side of {@link Homes}. Called on the thread
 * of its shard; what is about a client id, on the shard of that one's registrar.
 */
public interface Answers {
    // ---------------------------------------------------------------- to a claim

    /** Nobody else has the client id: the connection makes a session. */
    void nobody(ClientId clientId, Token token, long changes);

    /** The session has a home, and it is out of reach: the connection is refused. */
    void outOfReach(ClientId clientId, Token token);

    /**
     * The session comes here: {@link Homes#arrived} follows when a restart would find it here.
     *
     * @param from server id of the home until now
     * @param changes number of the grant for which it comes
     * @param header as that home has made it
     */
    void arrive(ClientId clientId, Token token, int from, long changes, byte[] header);

    /**
     * What was given comes back, since nobody has got it: {@link Homes#tookBack} follows.
     *
     * @param claim for which it comes back; of a connection to this node, or of nobody
     * @param given number of the grant for which it was given
     */
    void takeBack(ClientId clientId, SessionMoves.Given claim, long given);

    /**
     * The session that is here again has what went after it.
     *
     * @param changes number of the grant for which it is here
     */
    void caughtUp(ClientId clientId, long changes);

    // ---------------------------------------------------------------- to a home

    /**
     * The session goes to a claim of another node: its connection ends with 0x8E, and it stops for
     * good. {@link Homes#gaveUp} follows; or {@link Homes#stays}, and it goes on here.
     */
    void giveUp(ClientId clientId, boolean cleanStart, SessionMoves.Given to);

    /**
     * What was given is another claim's now, since it never arrived: {@link Homes#gaveAgain}
     * follows.
     *
     * @param changes number of the grant for which it was given
     */
    void giveAgain(ClientId clientId, long changes, SessionMoves.Given to);

    /**
     * The new home has everything, and no home before this one keeps anything: what is kept of the
     * session here need not wait for what comes from there.
     *
     * @param changes number of the grant for which it was given last
     */
    void oldest(ClientId clientId, long changes);

    /**
     * The new home has everything, and perhaps not yet all that was sent after it: nothing more is
     * routed to what is kept of the session.
     *
     * @param changes number of the grant for which it was given last
     * @param whenPassedOn called on any shard when all that came for it was {@linkplain
     *     Homes#forward passed on}, with what the new home is to hear by {@link #over}
     */
    void withdraw(ClientId clientId, long changes, Consumer<Set<IngressId>> whenPassedOn);

    /**
     * The new home has everything: what is kept of the session goes.
     *
     * @param changes number of the grant for which it was given last
     */
    void drop(ClientId clientId, long changes);

    /**
     * Another home has a higher number: the connection ends with 0x8E. What a durable session has
     * is set aside.
     */
    void lose(ClientId clientId);

    /**
     * The new home asks for a page of what it was given.
     *
     * @param to told on a thread of the store, or of a shard; not at all when nothing is kept for
     *     that grant
     */
    void readPage(ClientId clientId, long changes, HybridId above, CopyPage.Reader to);

    // ---------------------------------------------------------------- to a new home

    /**
     * A node that leaves offers a session: it is claimed, unless somebody here has to do with the
     * client id already.
     *
     * @param from server id of that node
     */
    void offered(ClientId clientId, int from);

    /**
     * A page has come.
     *
     * @param changes number of the grant for which the session came
     */
    void page(ClientId clientId, long changes, CopyPage page);

    /**
     * The former home that has the rest of a session's queue is gone for good: the queue goes on
     * with what has come.
     *
     * @param changes number of the grant for which the session came
     */
    void noMorePages(ClientId clientId, long changes);

    /** QoS 2 messages will not come again, as publishers have said at a former home. */
    void over(ClientId clientId, List<IngressId> publishes);

    /** A former home keeps nothing any more. */
    void dropped(ClientId clientId, SessionMoves.Home home);

    /**
     * A message has come for a session that was given to this node, perhaps before the session.
     *
     * @param changes number of the grant for which the session was given
     * @param receipt told when it is taken in, or nobody is to get it any more; null when nobody
     *     waits. Told to await one target
     */
    void forwarded(long changes, Forwarded what, @Nullable Receipt receipt);

    /** The same of one that this node itself has sent after the session, which is here again. */
    void forwardedBack(long changes, Forwarded what, @Nullable Receipt receipt);

    /** There is a link to a node again: what was asked of it may be lost. On each shard. */
    void linked(int server);
}
