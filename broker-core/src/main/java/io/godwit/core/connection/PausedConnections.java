package io.godwit.core.connection;

import io.godwit.core.publish.Publishing;
import io.godwit.core.shard.Turns;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a shard that wait for a node or a shard that is overloaded: not read, or with
 * PUBLISHes parked. Looked at again, some at a time, when something has eased.
 */
public final class PausedConnections {
    /** Held bytes that one slice takes up again. */
    private static final int SLICE_BYTES = 256 << 10;

    /** What looking at a connection costs, in bytes. */
    private static final int CONNECTION_BYTES = 1 << 10;

    /** A connection as it is seen here. */
    interface Paused {
        /** Bytes of the client that were read and not decoded, or decoded and not routed. */
        long heldBytes();

        /** The publishing side of the connection; null while the client has published nothing. */
        @Nullable Publishing publishing();

        /** Goes on decoding, unless something still pauses it. */
        void resumeDecoding();

        /** Whether something has to end before all that its client sends is read and routed. */
        boolean isWaiting();

        /** Begins to end the connection if its peer has closed it and the broker will not read. */
        void endIfPeerIsGone();
    }

    /** How often paused connections are asked whether their peer is still there. */
    private static final int PEERS_MS = 1_000;

    private final Turns turns;
    private final Set<Paused> connections = new LinkedHashSet<>();
    private final ArrayDeque<Paused> round = new ArrayDeque<>(0);
    private long peersAskedMs;

    /** Whether this round, or the next, asks for the peers. */
    private boolean asksForPeers;

    public PausedConnections(Turns turns) {
        this.turns = turns;
    }

    void add(Paused connection) {
        connections.add(connection);
    }

    void remove(Paused connection) {
        connections.remove(connection);
    }

    /** Rechecks, and ends connections whose peer has closed them: a socket not read hides it. */
    public void onTick(long nowMs) {
        if (nowMs - peersAskedMs >= PEERS_MS && round.isEmpty()) {
            peersAskedMs = nowMs;
            asksForPeers = true;
        }
        recheck();
    }

    /**
     * Lets those connections go on that may. A round that runs goes on to its end, so a change that
     * comes behind it is seen by the next, a tick later at the latest.
     */
    public void recheck() {
        if (!round.isEmpty() || connections.isEmpty()) {
            return;
        }
        round.addAll(connections);
        if (!slice()) {
            turns.slice(this::slice);
        }
    }

    private boolean slice() {
        long left = SLICE_BYTES;
        while (left > 0) {
            Paused connection = round.poll();
            if (connection == null) {
                asksForPeers = false;
                return true;
            }
            if (!connections.contains(connection)) {
                continue;
            }
            left -= CONNECTION_BYTES + connection.heldBytes();
            Publishing publishing = connection.publishing();
            if (publishing != null) {
                publishing.drainHeld();
            }
            connection.resumeDecoding();
            if (asksForPeers) {
                connection.endIfPeerIsGone();
            }
            if (!connection.isWaiting()) {
                connections.remove(connection);
            }
        }
        return false;
    }
}
