package io.godwit.core.node;

import io.godwit.core.session.ClientLink;
import io.godwit.core.session.Session;
import io.godwit.core.shard.Sliced;
import java.util.List;
import java.util.function.Consumer;

/**
 * Ends a shard's connections when the broker stops, some at a time: first the wills, while whoever
 * is to get them is still there, then the good-byes.
 */
final class ShutDown implements Sliced {
    private static final int SLICE = 500;

    private final int shard;
    private final List<Session> connected;
    private final Consumer<Session> step;
    private final Runnable whenDone;
    private int next;

    /**
     * @param shard that owns the sessions; those that leave it meanwhile are left out
     */
    ShutDown(int shard, List<Session> connected, Consumer<Session> step, Runnable whenDone) {
        this.shard = shard;
        this.connected = connected;
        this.step = step;
        this.whenDone = whenDone;
    }

    /** Publishes the will of a session's connection, unless it goes on after a restart. */
    static void publishWill(Session session) {
        ClientLink link = session.connection();
        if (link != null && link.isConnected()) {
            session.life().onShutdown();
        }
    }

    /** Says good-bye to a session's client, and closes. */
    static void disconnect(Session session) {
        ClientLink link = session.connection();
        if (link != null) {
            link.onShutdown();
        }
    }

    @Override
    public boolean slice() {
        int end = Math.min(connected.size(), next + SLICE);
        while (next < end) {
            Session session = connected.get(next++);
            if (session.owner() == shard) {
                step.accept(session);
            }
        }
        if (next < connected.size()) {
            return false;
        }
        whenDone.run();
        return true;
    }
}
