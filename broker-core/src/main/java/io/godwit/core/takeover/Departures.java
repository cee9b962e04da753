package io.godwit.core.takeover;

import io.godwit.core.session.Session;
import io.godwit.core.shard.Shard;
import io.godwit.core.time.Timer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Sessions of one shard that another node has claimed and that can't go yet: not all of their queue
 * has come from a former home, or groups have not said what their clients have of them.
 */
final class Departures {
    /** So often it is tried again: what was to be read was unreadable, or the session has ended. */
    private static final long AGAIN_MS = 1_000;

    private final Shard shard;
    private final BiConsumer<Claim, Session> whenFree;
    private final Map<Session, Claim> waiting = new HashMap<>(0);
    private boolean isArmed;

    /**
     * @param whenFree gives a session up for its claim
     */
    Departures(Shard shard, BiConsumer<Claim, Session> whenFree) {
        this.shard = shard;
        this.whenFree = whenFree;
    }

    /**
     * Lets a claim wait until the session can go.
     *
     * @return false when it can go at once
     */
    boolean holdsBack(Session session, Claim claim) {
        if (!session.isFilling() && !session.awaitsGroups()) {
            return false;
        }
        waiting.put(session, claim);
        if (!isArmed) {
            isArmed = true;
            shard.timers().arm(new Again(), shard.nowMs() + AGAIN_MS);
        }
        return true;
    }

    /** What a session has waited for may be over. */
    void mayGo(Session session) {
        if (waiting.containsKey(session)) {
            // Its queue says so, and may not have finished what it was doing.
            shard.execute(() -> go(session));
        }
    }

    private void go(Session session) {
        Claim claim = waiting.remove(session);
        if (claim != null) {
            whenFree.accept(claim, session);
        }
    }

    private final class Again extends Timer {
        @Override
        protected void onTimer(long nowMs) {
            isArmed = false;
            List.copyOf(waiting.keySet()).forEach(Departures.this::go);
        }
    }
}
