package io.godwit.core.connection;

import io.godwit.core.publish.Publishing;
import io.godwit.core.shard.Turns;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The connections of a shard that wait for a node or a shard that is overloaded: not read, or with
 * PUBLISHes parked. Looked at again, some at a time, when something has eased.
 */
public final class PausedConnections {
    /** Held bytes that one slice takes up again. */
    private static final int SLICE_BYTES = 256 << 10;

    /** What looking at a connection costs, in bytes. */
    private static final int CONNECTION_BYTES = 1 << 10;

    private final Turns turns;
    private final Set<ClientConnection> connections = new LinkedHashSet<>();
    private final ArrayDeque<ClientConnection> round = new ArrayDeque<>(0);

    public PausedConnections(Turns turns) {
        this.turns = turns;
    }

    public boolean isEmpty() {
        return connections.isEmpty();
    }

    void add(ClientConnection connection) {
        connections.add(connection);
    }

    void remove(ClientConnection connection) {
        connections.remove(connection);
    }

    /**
     * Lets go on whoever may. A round that runs goes on to its end, so a change that comes behind
     * it is seen by the next, a tick later at the latest.
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
            ClientConnection connection = round.poll();
            if (connection == null) {
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
            if (!connection.isWaiting()) {
                connections.remove(connection);
            }
        }
        return round.isEmpty();
    }
}
