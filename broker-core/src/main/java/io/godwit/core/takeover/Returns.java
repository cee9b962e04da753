package io.godwit.core.takeover;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.session.Session;
import io.godwit.core.settings.Rule;
import io.godwit.core.shard.Shard;
import io.godwit.core.store.SessionMoves;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Sessions that are back at a node which still keeps an earlier copy of them, or that never left
 * it: what came for them meanwhile is on its way to where they were, and would be overtaken by what
 * comes to them directly. So that is held back, the former is given to the session itself in order,
 * and then what was held back.
 *
 * <p>What one session waits for has an end on this node alone: the way of each shard to the copy,
 * and the commits of what it was sent. What the last home passes on may come too early, when this
 * node is slow to hear of it: that waits in the session ({@link Session#comesDirectly}).
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

        /** Copies that it has not got everything of. */
        int missing = 1;

        Waiting(Grant grant, Session session) {
            this.grant = grant;
            this.session = session;
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
     * See {@link SessionMoves#stayed}.
     *
     * @param here as what this node has had the session before that comes now
     */
    long stayed(ClientId clientId, List<SessionMoves.Home> here) {
        long given = here.isEmpty() ? 0 : here.getLast().changes();
        return copies.filters(clientId, given).isEmpty() ? 0 : given;
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
            waits(session, changes);
            session.returns();
        }
    }

    private void waits(Session session, long changes) {
        shard.counters().increment(Metric.SESSIONS_RETURNED);
        Grant grant = new Grant(session.clientId(), changes);
        waiting.put(grant, new Waiting(grant, session));
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
        if (kept.isEmpty()) {
            over(of); // It went meanwhile, when all that it had passed on was answered.
        }
        // Whatever a shard has sent to a copy alone is there before it is asked for the rest.
        kept.forEach((given, copy) ->
                errands.atOwnerAfterAll(
                        copy,
                        session -> {
                            session.followsNoMore();
                            Homes homes = errands.ofOwner(session).homes();
                            homes.forwardHere(clientId, given, changes);
                            session.dropCopy();
                        }));
    }

    /** What was given is to be taken back: {@link #takeBack} follows. */
    void takesBack(Session copy, long changes) {
        if (!isOff()) {
            waits(copy, changes);
        }
    }

    /** At its owner: it was taken back. */
    void takeBack(Session session, long given, SessionMoves.Given claim) {
        Homes homes = errands.ofOwner(session).homes();
        if (isOff()) {
            homes.forwardElsewhere(session.clientId(), given, claim);
        } else {
            session.returns();
            homes.forwardHere(session.clientId(), given, claim.changes());
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
