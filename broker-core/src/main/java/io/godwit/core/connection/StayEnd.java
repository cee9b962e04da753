package io.godwit.core.connection;

import io.godwit.core.publish.NodePaths;
import io.godwit.core.publish.Publishing;
import io.godwit.core.session.Session;
import io.godwit.core.shard.Shard;
import io.godwit.core.time.Timer;
import org.jspecify.annotations.Nullable;

/**
 * Tells the placement that a connection's stay has ended. For a transient session that waits until
 * its end is persisted and what its client has published is answered, or for so long as the cluster
 * waits for a node: else what the client publishes next at another node could overtake that.
 */
final class StayEnd extends Timer {
    private final Placement.Stay stay;
    private final Shard shard;
    private final @Nullable Session session;
    private final @Nullable Publishing publishing;
    private final long patienceMs;
    private boolean isOver;

    /**
     * @param session of the connection; null when it has got none
     * @param publishing null when its client has published nothing
     */
    StayEnd(
            Placement.Stay stay,
            Shard shard,
            @Nullable Session session,
            @Nullable Publishing publishing,
            long patienceMs) {
        this.stay = stay;
        this.shard = shard;
        this.session = session;
        this.publishing = publishing;
        this.patienceMs = patienceMs;
    }

    /** Begins to wait; in the next turn, when the session has ended with its connection. */
    void begin() {
        shard.execute(this::awaitCommit);
    }

    private void awaitCommit() {
        Session left = session;
        if (left == null || left.isDurable()) {
            end();
            return;
        }
        long endedIn = left.life().endToldIn();
        if (endedIn == 0) {
            awaitRouted(left);
        } else {
            shard.whenCommitted(endedIn, isKept -> awaitRouted(left));
        }
        if (!isOver) {
            shard.timers().arm(this, shard.nowMs() + patienceMs);
        }
    }

    private void awaitRouted(Session left) {
        if (publishing == null) {
            end();
        } else {
            publishing.whenIdle(() -> awaitAnswers(left));
        }
    }

    private void awaitAnswers(Session left) {
        NodePaths paths = left.nodePaths();
        if (paths == null) {
            end();
        } else {
            paths.whenAllAnswered(this::end);
        }
    }

    @Override
    protected void onTimer(long nowMs) {
        end();
    }

    private void end() {
        if (!isOver) {
            isOver = true;
            shard.timers().cancel(this);
            stay.ended();
        }
    }
}
