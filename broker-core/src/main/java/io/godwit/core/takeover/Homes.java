package io.godwit.core.takeover;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.HybridId;
import io.godwit.core.packet.ClientId;
import io.godwit.core.store.SessionMoves;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The other nodes, as takeovers on one shard see them: who has a client id, and the way there. What
 * it is told and asked for is answered by the methods of {@link Answers}, on the shard of the
 * client id's registrar.
 */
public interface Homes {
    /** Makes a shard's. */
    interface Maker {
        /**
         * @param answers what is answered; used by the shard's thread only
         */
        Homes of(int shard, Answers answers);
    }

    /**
     * A connection claims a client id that this node does not have: {@link Answers#nobody}, {@link
     * Answers#arrive}, {@link Answers#takeBack} or {@link Answers#outOfReach} follows.
     */
    void claim(Claim claim);

    /** A claim that nobody else had the client id of has led to a session, or to none. */
    void settled(ClientId clientId, Token token, boolean hasSession, boolean isDurable);

    /**
     * A claim has led to a session that came from another node, durably.
     *
     * @param former whom it was to tell when all of it is here, and last the node that it came from
     */
    void arrived(ClientId clientId, Token token, List<SessionMoves.Home> former);

    /** What was given has come back, durably. */
    void tookBack(ClientId clientId, SessionMoves.Given claim, List<SessionMoves.Home> former);

    /** A session of this node has ended. */
    void ended(ClientId clientId);

    /** Another session of this node has taken the place of one that has ended here. */
    void replaced(ClientId clientId, boolean isDurable);

    /**
     * The session was given up for the claim that asked for it, durably.
     *
     * @param header null when there is none to continue
     */
    void gaveUp(ClientId clientId, byte @Nullable [] header);

    /** The session can't go to the claim that asked for it now: that is refused. */
    void stays(ClientId clientId);

    /** What was given is another claim's now, durably. */
    void gaveAgain(ClientId clientId);

    /**
     * All of a session that came from another node is here, durably.
     *
     * @param changes number of the grant for which it came
     */
    void whole(ClientId clientId, long changes);

    /**
     * Asks a former home for a page of what it keeps: {@link Answers#page} follows, unless the link
     * to it breaks.
     *
     * @param changes number of the grant for which that home gave the session
     * @param above where the page begins
     */
    void askForPage(int server, ClientId clientId, long changes, HybridId above);

    /**
     * A message came for a session that was given.
     *
     * @param to the claim for which it was
     * @param receipt told when the new home has taken it in; null when nobody waits
     */
    void forward(SessionMoves.Given to, Forwarded what, @Nullable Receipt receipt);

    /**
     * What was given goes to another claim, or is here again: so does what is on its way after it.
     *
     * @param given number of the grant for which it was given
     */
    void forwardElsewhere(ClientId clientId, long given, SessionMoves.Given to);

    /**
     * What was given is here again, and so is the session: what is on its way after it goes to that
     * one, here. {@link Answers#caughtUp} follows when it has all of it.
     *
     * @param given number of the grant for which it was given
     * @param changes of the one for which the session is here
     * @param mayWait it has it when it was told of it, also what it has not answered
     */
    void forwardHere(ClientId clientId, long given, long changes, boolean mayWait);

    /**
     * Runs a task, on this shard, when nothing is on its way here any more that was sent before:
     * all of it is routed, and what a shard has mailed of it goes before whatever it mails from now
     * on. It may be unanswered, and come again after a start of this node.
     */
    void whenNothingComes(Object what, Runnable task);

    /** The same, when nothing of that can come again either. */
    void whenNothingComesAgain(Object what, Runnable task);

    /**
     * Runs a task, on this shard, when whatever was sent before now to the first of some former
     * homes has come round to the session, or is not waited for any longer.
     *
     * @param inOrder the former homes that pass it on, the first one first
     * @param task told whether it has come round
     */
    void whenComeRound(List<SessionMoves.Home> inOrder, Consumer<Boolean> task);

    // ---------------------------------------------------------------- at start

    /** A session of this node was kept. */
    void recovered(ClientId clientId, long changes);

    /**
     * Former homes may keep something of the session of this node.
     *
     * @param isFilling whether not everything of it is here
     */
    void recoveredFormer(ClientId clientId, List<SessionMoves.Home> former, boolean isFilling);

    /**
     * The same, of one that has ended here, or was set aside.
     *
     * @param isFilling what the last of them has never came here, and is to stay there
     */
    void recoveredLeft(ClientId clientId, List<SessionMoves.Home> former, boolean isFilling);

    /** A session was given to a claim, and is kept for it. */
    void recoveredGiven(ClientId clientId, SessionMoves.Given to, byte[] header);
}
