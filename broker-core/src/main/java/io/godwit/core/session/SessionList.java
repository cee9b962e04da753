package io.godwit.core.session;

import io.godwit.core.load.ShardLoad;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The sessions that a shard owns; they count in its load while they are here. The list is linked
 * through the sessions themselves, so that none costs an object.
 */
final class SessionList {
    private final SessionShard shard;
    private final List<SessionWalk> walks = new ArrayList<>(0);

    /** By queue id: those with rows that are not in memory. */
    private final Map<Long, Session> withRows = new HashMap<>(0);

    private @Nullable Session first;

    SessionList(SessionShard shard) {
        this.shard = shard;
    }

    /** The one that came last; the others follow by {@link Session#next}. */
    @Nullable Session first() {
        return first;
    }

    void add(Session session) {
        Session head = first;
        session.next = head;
        session.previous = null;
        if (head != null) {
            head.previous = session;
        }
        first = session;
        ShardLoad load = shard.load();
        load.sessions(1);
        load.subscriptions(session.subscriptionCount());
        load.queued(session.idleBytes(), session.idleCount());
        load.kept(session.keptBytes(), session.keptMessages());
        if (session.hasRows()) {
            hasRows(session, true);
        }
        load.inFlight(session.inFlightBytes());
    }

    void remove(Session session) {
        for (SessionWalk walk : walks) {
            walk.onRemoved(session);
        }
        Session previous = session.previous;
        Session next = session.next;
        if (previous == null) {
            first = next;
        } else {
            previous.next = next;
        }
        if (next != null) {
            next.previous = previous;
        }
        session.previous = null;
        session.next = null;
        ShardLoad load = shard.load();
        load.sessions(-1);
        load.subscriptions(-session.subscriptionCount());
        load.queued(-session.idleBytes(), -session.idleCount());
        load.kept(-session.keptBytes(), -session.keptMessages());
        hasRows(session, false);
        load.inFlight(-session.inFlightBytes());
    }

    /** Whether the session has rows that are not in memory. */
    void hasRows(Session session, boolean has) {
        if (has) {
            withRows.put(session.queueId(), session);
        } else {
            withRows.remove(session.queueId());
        }
    }

    /** How many there are of them. */
    int countWithRows() {
        return withRows.size();
    }

    /** The session of this queue, if it is here and has rows that are not in memory. */
    @Nullable Session withRows(long queueId) {
        return withRows.get(queueId);
    }

    /** Those of the sessions that are online. */
    List<ClientConnection> connections() {
        List<ClientConnection> open = new ArrayList<>();
        for (Session s = first; s != null; s = s.next) {
            ClientConnection connection = s.connection();
            if (connection != null) {
                open.add(connection);
            }
        }
        return open;
    }

    /** Shows each session to the visitor, in slices; on the shard's thread. */
    void walk(Consumer<Session> visitor, Runnable whenDone) {
        SessionWalk walk = new SessionWalk(this, visitor, whenDone);
        walks.add(walk);
        shard.slice(walk);
    }

    void ended(SessionWalk walk) {
        walks.remove(walk);
    }
}
