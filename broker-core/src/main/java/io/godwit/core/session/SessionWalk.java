package io.godwit.core.session;

import io.godwit.core.shard.Sliced;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Looks at each session of a shard, some at a time. A session that comes meanwhile is not seen, one
 * that goes may be.
 */
final class SessionWalk implements Sliced {
    private static final int SLICE = 500;

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
        for (int i = 0; i < SLICE; i++) {
            Session session = next;
            if (session == null) {
                break;
            }
            next = session.next; // The visitor may take this one out of the list.
            visitor.accept(session);
        }
        if (next != null) {
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
