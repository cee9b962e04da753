package io.godwit.core.node;

import io.godwit.core.packet.ReasonCode;
import io.godwit.core.session.ClientLink;
import io.godwit.core.session.Goodbye;
import io.godwit.core.session.Session;
import io.godwit.core.session.SessionContext;
import io.godwit.core.session.SessionList;
import io.godwit.core.shard.Shard;
import java.util.BitSet;

/**
 * How the clients of one shard learn that the node stops, leaves its cluster, or was taken over
 * from, in steps that the {@link Broker} takes on all shards. On the shard's thread.
 */
final class Farewell {
    private final Shard shard;
    private final SessionContext sessions;

    Farewell(Shard shard, SessionContext sessions) {
        this.shard = shard;
        this.sessions = sessions;
    }

    /**
     * The first step of stopping: publishes the wills of connected clients, but for those that wait
     * for the restart.
     */
    void publishWills(Runnable whenDone) {
        shard.enter();
        sessions.sessions().walk(Farewell::publishWill, () -> awaitWills(whenDone));
    }

    /** Runs the task when every target has the wills that were published, and that is kept. */
    void awaitWills(Runnable whenDone) {
        shard.enter();
        sessions.owedWills().whenNone(() -> shard.afterCommit(isKept -> whenDone.run()));
    }

    /**
     * The last step of stopping: the same, and no will is published any more that its session keeps
     * for the next start. Nobody would wait for those who are to have it.
     */
    void awaitLastWills(Runnable whenDone) {
        shard.enter();
        sessions.owedWills()
                .whenNone(() -> {
                    sessions.keepsWills();
                    shard.afterCommit(isKept -> whenDone.run());
                });
    }

    /** The second step of stopping: tells every client, and closes its connection. */
    void disconnectAll(Runnable whenDone) {
        shard.enter();
        sessions.sessions().walk(Farewell::disconnect, whenDone);
    }

    /**
     * The node leaves its cluster: tells every client so. Transient sessions end at once, since
     * their wills are published; durable ones wait here for the next start.
     *
     * @param mostMs the last client is told within so long, about
     */
    void sendElsewhere(Goodbye goodbye, long mostMs, Runnable whenDone) {
        shard.enter();
        sessions.nodeLeaves();
        SessionList all = sessions.sessions();
        long clients = sessions.load().onlineSessions();
        all.walk(
                session -> {
                    if (session.life().expirySeconds() == 0) {
                        session.life().sendElsewhere(goodbye);
                    }
                },
                () -> new SendingAway(shard, all, goodbye, clients, mostMs, whenDone).begin());
    }

    /**
     * Closes the connection of every client, some at a time; sessions stay. The node has lost slots
     * to another one: what clients have published may never be answered here, or be answered though
     * the new leader does not have it. So all that is not answered has to come again, and Wills
     * that not every target has are published again. What was not routed yet is dropped: it comes
     * again behind what was published before it.
     *
     * @param yielded slots whose durable sessions lose their connections with this node
     */
    void closeAll(BitSet yielded, Runnable whenDone) {
        shard.enter();
        sessions.takenOver(yielded);
        Runnable willsOfEnded = sessions.owedWills().again(shard);
        sessions.sessions()
                .walk(
                        session -> {
                            session.giveUpUntaken();
                            if (sessions.hasKept(session)) {
                                // It may go to another shard with each of these.
                                session.giveUpUnrouted();
                                close(session);
                            }
                        },
                        () -> {
                            willsOfEnded.run();
                            whenDone.run();
                        });
    }

    private static void close(Session session) {
        ClientLink link = session.connection();
        if (link != null) {
            ReasonCode reason =
                    link.isConnected()
                            ? ReasonCode.SERVER_SHUTTING_DOWN
                            : ReasonCode.SERVER_UNAVAILABLE; // CONNACK has no other.
            link.fail(reason, "another node has taken over from this one");
        }
    }

    private static void publishWill(Session session) {
        ClientLink link = session.connection();
        if (link != null && link.isConnected()) {
            session.life().onShutdown();
        }
    }

    private static void disconnect(Session session) {
        ClientLink link = session.connection();
        if (link != null) {
            link.onShutdown(Goodbye.SHUTTING_DOWN);
            session.life().disconnectedAtShutdown();
        }
    }
}
