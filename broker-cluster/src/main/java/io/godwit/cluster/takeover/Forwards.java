package io.godwit.cluster.takeover;

import io.godwit.cluster.takeover.TakeoverMessages.Forward;
import io.godwit.core.packet.ClientId;
import io.godwit.core.takeover.Forwarded;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Messages on their way to sessions that this node has given: each is kept until the new home has
 * it, sent again in order when a link is new, and goes elsewhere when what was given does. Of one
 * session {@link Forwarded#UNANSWERED_MAX} are under way, the next ones wait here. When much does,
 * whoever publishes to the session waits ({@link ForwardRoom}).
 */
final class Forwards {
    /** The ways to other nodes. */
    interface Ways {
        /**
         * @return false when there is a link, and no room on it
         */
        boolean offer(int server, Forward forward);
    }

    private final Ways out;
    private final ForwardRoom room;

    private final Map<Grant, SessionForwards> sessions = new LinkedHashMap<>(0);

    /** By their numbers: of which session they are. */
    private final Map<Long, SessionForwards> byNumber = new HashMap<>(0);

    /** Server ids of nodes whose links had no room. */
    private final Set<Integer> stalled = new HashSet<>(0);

    private long last;

    /** What a session was given for. */
    record Grant(ClientId clientId, long changes) {}

    Forwards(Ways out, ForwardRoom room) {
        this.out = out;
        this.room = room;
    }

    /**
     * @param server id of the new home
     * @param changes number of the grant for which the session was given
     * @param mayComeAgain the new home is to remember it
     * @param hold what it waits for before it leaves, with what comes behind it; null = nothing
     * @param whenTaken null when nobody waits: without a link, or room on it, it is dropped then
     */
    void send(
            int server,
            long changes,
            boolean mayComeAgain,
            Forwarded what,
            SessionForwards.@Nullable Hold hold,
            @Nullable Consumer<Boolean> whenTaken) {
        if (whenTaken == null) {
            if (!stalled.contains(server)) {
                out.offer(server, new Forward(0, changes, mayComeAgain, what));
            }
            return;
        }
        Forward forward = new Forward(++last, changes, mayComeAgain, what);
        Grant grant = new Grant(what.clientId(), changes);
        SessionForwards to =
                sessions.computeIfAbsent(grant, any -> new SessionForwards(grant, server));
        to.add(forward, hold, whenTaken);
        byNumber.put(forward.number(), to);
        room.add(server, what.clientId(), what.message().accountedBytes());
        offer(to);
    }

    /** What waited for that may leave. */
    void release(SessionForwards.Hold hold) {
        SessionForwards of = hold.end();
        if (of != null && sessions.get(of.grant) == of) {
            offer(of);
        }
    }

    private void offer(SessionForwards of) {
        if (!stalled.contains(of.server) && !of.offer(out)) {
            stalled.add(of.server);
        }
        Runnable task = of.isSent() ? of.whenSent : null;
        if (task != null) {
            of.whenSent = null;
            task.run();
        }
    }

    /**
     * Runs a task when all that went after what it was given has gone to this node itself.
     *
     * @return false when it has
     */
    boolean whenSent(ClientId clientId, long changes, Runnable task) {
        SessionForwards of = sessions.get(new Grant(clientId, changes));
        if (of == null) {
            return false;
        }
        of.whenSent = task;
        offerAll(of);
        return true;
    }

    private void offerAll(SessionForwards of) {
        of.isHere = true;
        offer(of);
    }

    /** There is a new link to a node: what was under way to it may be lost. */
    void linked(int server) {
        sessions.values().stream()
                .filter(each -> each.server == server)
                .forEach(SessionForwards::linked);
        retry(server);
    }

    /** There may be room on links again. */
    void retry() {
        Set.copyOf(stalled).forEach(this::retry);
    }

    private void retry(int server) {
        stalled.remove(server);
        // An offer to this node itself is answered later: nothing comes or goes meanwhile.
        for (SessionForwards each : sessions.values()) {
            if (each.server == server) {
                offer(each);
            }
        }
    }

    /** What was given has gone to another node, or is this one's again. */
    void elsewhere(ClientId clientId, long given, int server, long changes) {
        SessionForwards before = sessions.remove(new Grant(clientId, given));
        if (before == null) {
            return;
        }
        List<SessionForwards.Waiting> all = before.all();
        for (SessionForwards.Waiting each : all) {
            byNumber.remove(each.forward().number());
            room.remove(before.server, each.bytes());
        }
        for (SessionForwards.Waiting each : all) {
            Forward of = each.forward();
            send(server, changes, of.mayComeAgain(), of.what(), each.hold(), each.whenTaken());
        }
    }

    /**
     * What was given went to a node that is forgotten, and is elsewhere by now: what was to follow
     * it there goes to where it is.
     *
     * @param forgotten server ids
     * @param server id of the session's home
     */
    void pastForgotten(ClientId clientId, long changes, Set<Integer> forgotten, int server) {
        SessionForwards to = sessions.get(new Grant(clientId, changes));
        if (to != null && forgotten.contains(to.server)) {
            elsewhere(clientId, changes, server, changes);
        }
    }

    /**
     * Runs a task when the new home has answered for all that went after what it was given.
     *
     * @param asks server id of the node that is told then: once, however often it asks
     * @return false when there is nothing to wait for
     */
    boolean whenDone(ClientId clientId, long changes, int asks, Runnable task) {
        SessionForwards of = sessions.get(new Grant(clientId, changes));
        if (of == null) {
            return false;
        }
        of.whenDone.put(asks, task);
        return true;
    }

    /** A node has one, or nobody is to get it any more. */
    void forwarded(long number, boolean isTaken) {
        SessionForwards of = byNumber.remove(number);
        if (of == null) {
            return;
        }
        SessionForwards.Waiting done = of.remove(number);
        room.remove(of.server, done.bytes());
        if (of.isEmpty()) {
            sessions.remove(of.grant);
        } else {
            offer(of);
        }
        done.whenTaken().accept(isTaken);
        if (of.isEmpty()) {
            of.whenDone.values().forEach(Runnable::run);
        }
    }

    int size() {
        return byNumber.size();
    }
}
