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

    private final SessionShard shard;
    private final Consumer<Session> visitor;
    private final Runnable whenDone;
    private @Nullable Session next;

    /**
     * @param first head of the shard's list: new ones are put before it
     */
    SessionWalk(
            SessionShard shard,
            @Nullable Session first,
            Consumer<Session> visitor,
            Runnable whenDone) {
        this.shard = shard;
        this.next = first;
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
        shard.ended(this);
        whenDone.run();
        return true;
    }

    /** The session leaves the list. */
    void onDetach(Session session) {
        if (next == session) {
            next = session.next;
        }
    }
}
