package io.godwit.core.session;

import io.godwit.core.load.ShardLoad;
import io.godwit.core.queue.ClientQueue;
import io.godwit.core.queue.ShardQueues;
import io.godwit.core.shard.Turns;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The sessions that a shard owns; they count in its load while they are here. The list is linked
 * through the sessions themselves, so that none costs an object.
 */
public final class SessionList {
    private final Turns turns;
    private final ShardLoad load;
    private final ShardQueues queues;
    private final List<SessionWalk<Session>> walks = new ArrayList<>(0);

    /** The session that came last; the others follow by {@link Session#next}. */
    private @Nullable Session first;

    SessionList(Turns turns, ShardLoad load, ShardQueues queues) {
        this.turns = turns;
        this.load = load;
        this.queues = queues;
    }

    @Nullable Session first() {
        return first;
    }

    public void add(Session session) {
        Session head = first;
        session.next = head;
        session.previous = null;
        if (head != null) {
            head.previous = session;
        }
        first = session;
        load.sessions(1);
        load.subscriptions(session.subscriptionCount());
        ClientQueue queue = session.queueIfMade();
        if (queue != null) {
            queue.enter(queues);
        }
        session.enterInbound(load.queues());
    }

    public void remove(Session session) {
        for (SessionWalk<Session> walk : walks) {
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
        session.full(false); // Another shard looks for itself.
        session.behind(false);
        load.sessions(-1);
        load.subscriptions(-session.subscriptionCount());
        ClientQueue queue = session.queueIfMade();
        if (queue != null) {
            queue.leave();
        }
        session.uncountInbound();
    }

    /** Shows each session to the visitor, in slices; on the shard's thread. */
    public void walk(Consumer<Session> visitor, Runnable whenDone) {
        SessionWalk<Session> walk = new SessionWalk<>(first, each -> each.next, visitor);
        walks.add(walk);
        turns.slice(() -> {
            if (!walk.slice()) {
                return false;
            }
            walks.remove(walk);
            whenDone.run();
            return true;
        });
    }

    /** Shows each session to the visitor, one with each step that its caller takes. */
    public Steps steps(Consumer<Session> visitor) {
        return new Steps(visitor);
    }

    /** A walk at its caller's pace; on the shard's thread. */
    public final class Steps {
        private final SessionWalk<Session> walk;

        private Steps(Consumer<Session> visitor) {
            walk = new SessionWalk<>(first, each -> each.next, visitor);
            walks.add(walk);
        }

        /** Shows the next one. True when there are no more; no further step may follow. */
        public boolean next() {
            boolean isOver = walk.slice(1);
            if (isOver) {
                walks.remove(walk);
            }
            return isOver;
        }
    }
}
