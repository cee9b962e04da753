package io.godwit.core.session;

import io.godwit.core.load.ShardLoad;
import io.godwit.core.queue.ClientQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The sessions that a shard owns; they count in its load while they are here. The list is linked
 * through the sessions themselves, so that none costs an object.
 */
final class SessionList {
    private final SessionShard shard;
    private final List<SessionWalk> walks = new ArrayList<>(0);

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
        ClientQueue queue = session.queueIfMade();
        if (queue != null) {
            queue.enter(shard.queues());
        }
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
        ClientQueue queue = session.queueIfMade();
        if (queue != null) {
            queue.leave();
        }
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
