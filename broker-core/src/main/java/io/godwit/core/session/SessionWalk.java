package io.godwit.core.session;

import io.godwit.core.shard.Sliced;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Looks at each session of a shard, some at a time. A session that comes meanwhile is not seen, one
 * that goes may be.
 */
final class SessionWalk implements Sliced {
    private static final int SLICE = 2_000;

    private final SessionList sessions;
    private final Consumer<Session> visitor;
    private final Runnable whenDone;
    private @Nullable Session next;

    /** Begins at the head of the list: new ones are put before it. */
    SessionWalk(SessionList sessions, Consumer<Session> visitor, Runnable whenDone) {
        this.sessions = sessions;
        this.next = sessions.first();
        this.visitor = visitor;
        this.whenDone = whenDone;
    }

    @Override
    public boolean slice() {
        Session session = next;
        for (int i = 0; i < SLICE && session != null; i++) {
            visitor.accept(session);
            session = session.next;
        }
        next = session;
        if (session != null) {
            return false;
        }
        sessions.ended(this);
        whenDone.run();
        return true;
    }

    /** The session leaves the list. */
    void onRemoved(Session session) {
        if (next == session) {
            next = session.next;
        }
    }
}
