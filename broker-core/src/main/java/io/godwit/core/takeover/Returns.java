package io.godwit.core.takeover;

import io.godwit.core.id.IngressId;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.session.Session;
import io.godwit.core.session.Stay;
import io.godwit.core.session.StillWaiting;
import io.godwit.core.settings.Rule;
import io.godwit.core.shard.Shard;
import io.godwit.core.store.SessionMoves;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Sessions that are back at a node which still keeps an earlier copy of them, or that never left
 * it: what came for them meanwhile is on its way to where they were, and would be overtaken by what
 * comes to them directly. So that is held back, the former is given to the session itself in order,
 * and then what was held back.
 *
 * <p>Where the session was for a moment only, what came directly may have waited to come round, for
 * what is older and had passed this node before. It goes on waiting in the session, in front of
 * what comes directly now, with what the copy has passed on of it. What it waits for comes round by
 * the former homes that are in order ({@link SessionMoves#behind}): the first of them has got
 * everything, and the others pass that on in its order. What comes by any other former home waits
 * for that, too.
 *
 * <p>Why this is in order: as long as it lasts, what is delivered comes by those in order alone. It
 * is over when nothing is on its way to the first of them any more that was sent before every node
 * knew that the session is back. Whatever was has been answered by that node, which it is when the
 * session has taken it. What was sent later goes to each node that has the session or a copy of it,
 * and comes to each in order: whichever is first, nothing older is missing. What waits is what was
 * sent later, then, or never went to the first home.
 *
 * <p>Why it ends: those in order pass on at once what comes by each other, and the session takes
 * that at once; so the first one answers, unless another session there waits for what this one
 * holds. So it does not wait for the answer without end ({@link Homes#whenComeRound}). It is asked
 * when the session is here, again when a home lets go or is forgotten, and at a start; when none in
 * order is left, nothing waits. Whatever waits has its receipt, so that its sender keeps it: a
 * start of any node hears of it again.
 *
 * <p>What one session waits for before it is served has an end on this node alone: the way of each
 * shard to the copy, and the commits of what it was sent. What the last home passes on may come too
 * early, when this node is slow to hear of it: that waits in the session ({@link
 * Session#comesDirectly}).
 */
final class Returns {
    private final Shard shard;
    private final Errands<?> errands;
    private final SessionsByGrant copies;
    private final Consumer<Session> whenOver;
    private final Map<Grant, Waiting> waiting = new HashMap<>(0);

    private record Grant(ClientId clientId, long changes) {}

    private static final class Waiting {
        final Grant grant;
        final Session session;

        /** What waits for what comes round waits for these. */
        final List<SessionMoves.Home> inOrder;

        /** Copies that it has not got everything of. */
        int missing = 1;

        Waiting(Grant grant, Session session, List<SessionMoves.Home> inOrder) {
            this.grant = grant;
            this.session = session;
            this.inOrder = inOrder;
        }
    }

    /**
     * @param copies of client ids whose registrar is here
     * @param whenOver called on the owner's thread when a session has what it has waited for
     */
    Returns(Shard shard, Errands<?> errands, SessionsByGrant copies, Consumer<Session> whenOver) {
        this.shard = shard;
        this.errands = errands;
        this.copies = copies;
        this.whenOver = whenOver;
    }

    private boolean isOff() {
        return !shard.rules().holds(Rule.RETURN_ORDER);
    }

    /**
     * How the session was here before.
     *
     * @param here as what this node has had the session before that comes now
     */
    Stay stayed(ClientId clientId, List<SessionMoves.Home> here) {
        Stay stay = copies.stay(clientId, here.isEmpty() ? 0 : here.getLast().changes());
        return isOff() ? new Stay(stay.given(), 0) : stay;
    }

    /**
     * A session has come, and nothing has reached it yet.
     *
     * @param here as what this node has had it before
     * @param changes number of the grant for which it has come
     */
    void arrives(Session session, List<SessionMoves.Home> here, long changes) {
        boolean isKept = false;
        for (SessionMoves.Home each : here) {
            isKept |= copies.find(session.clientId(), each.changes()) != null;
        }
        if (isKept && !isOff()) {
            waits(session, changes, session.waitsFor());
            session.returns();
        }
    }

    private void waits(Session session, long changes, List<SessionMoves.Home> inOrder) {
        shard.counters().increment(Metric.SESSIONS_RETURNED);
        Grant grant = new Grant(session.clientId(), changes);
        waiting.put(grant, new Waiting(grant, session, inOrder));
    }

    /**
     * What of a session waits for what comes round.
     *
     * @param inOrder see {@link SessionMoves#inOrder}; there are some
     */
    static void waitsFor(List<SessionMoves.Home> inOrder, Session session, Errands<?> errands) {
        errands.homes()
                .whenComeRound(
                        inOrder,
                        isKnown ->
                                errands.atOwnerInTurn(session, to -> to.roundIsComplete(isKnown)));
    }

    /**
     * Every shard knows that a session is here, and so does a restart: earlier copies of it go.
     *
     * @param here as what this node has had it before
     * @param changes number of the grant for which it has come
     */
    void arrived(ClientId clientId, List<SessionMoves.Home> here, long changes) {
        Map<Long, Session> kept = new LinkedHashMap<>();
        for (SessionMoves.Home each : here) {
            Session copy = copies.remove(clientId, each.changes());
            if (copy != null) {
                kept.put(each.changes(), copy);
            }
        }
        Waiting of = waiting.get(new Grant(clientId, changes));
        if (of == null) {
            kept.values().forEach(each -> errands.atOwner(each, Session::dropCopy));
            return;
        }
        of.missing = kept.size();
        errands.homes()
                .whenNothingComes(
                        of.grant,
                        () -> errands.atOwnerInTurnAfterAll(of.session, Session::directIsComplete));
        if (!of.inOrder.isEmpty()) {
            waitsFor(of.inOrder, of.session, errands);
        }
        if (kept.isEmpty()) {
            over(of); // It went meanwhile, when all that it had passed on was answered.
        }
        // Whatever a shard has sent to a copy alone is there before it is asked for the rest.
        kept.forEach((given, copy) ->
                errands.atOwnerAfterAll(
                        copy,
                        session -> {
                            if (shard.rules().holds(Rule.RETURN_WAITS)) {
                                goesOnWaiting(session, given, of);
                            } else {
                                session.followsNoMore();
                                Homes homes = errands.ofOwner(session).homes();
                                homes.forwardHere(clientId, given, changes, false);
                            }
                            forgets(session, of);
                            session.dropCopy();
                        }));
    }

    /** At the owner of a copy: what waits there waits in the session from now on. */
    private void goesOnWaiting(Session copy, long given, Waiting of) {
        StillWaiting what = copy.stillWaiting(!of.inOrder.isEmpty());
        copy.followsNoMore();
        errands.ofOwner(copy)
                .atOwner(
                        of.session,
                        session -> {
                            if (what != null) {
                                session.goesOnWaiting(what);
                            }
                            forwardHere(session, given, of.grant);
                        });
    }

    /** At the owner of a copy: what will not come again is said to the session. */
    private void forgets(Session copy, Waiting of) {
        Set<IngressId> over = copy.over();
        if (!over.isEmpty()) {
            errands.ofOwner(copy).atOwnerInTurn(of.session, session -> session.forgetIngress(over));
        }
    }

    private void forwardHere(Session session, long given, Grant grant) {
        errands.ofOwner(session)
                .homes()
                .forwardHere(grant.clientId, given, grant.changes, session.waitsWithCopy());
    }

    /** What was given is to be taken back: {@link #takeBack} follows. */
    void takesBack(Session copy, long changes) {
        if (!isOff()) {
            waits(copy, changes, List.of());
        }
    }

    /** At its owner: it was taken back. */
    void takeBack(Session session, long given, SessionMoves.Given claim) {
        Homes homes = errands.ofOwner(session).homes();
        if (isOff()) {
            homes.forwardElsewhere(session.clientId(), given, claim);
        } else {
            session.returns();
            homes.forwardHere(session.clientId(), given, claim.changes(), false);
        }
    }

    /** A session has everything that went after one of its copies. */
    void caughtUp(ClientId clientId, long changes) {
        Waiting of = waiting.get(new Grant(clientId, changes));
        if (of != null && --of.missing == 0) {
            over(of);
        }
    }

    private void over(Waiting of) {
        waiting.remove(of.grant);
        errands.atOwner(of.session, whenOver);
    }
}
