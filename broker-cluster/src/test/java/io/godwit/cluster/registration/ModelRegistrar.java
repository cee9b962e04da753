package io.godwit.cluster.registration;

import io.godwit.core.packet.ClientId;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a node's registrar does: the claims of a client id one after the other. */
final class ModelRegistrar {
    private final ModelNode node;
    private final Map<ClientId, ArrayDeque<Runnable>> queues = new HashMap<>();
    final Map<ClientId, Session> sessions = new TreeMap<>();

    static final class Session {
        final boolean isDurable;
        final long bornAt;
        @Nullable ModelConnection connection;

        Session(boolean isDurable, long bornAt) {
            this.isDurable = isDurable;
            this.bornAt = bornAt;
        }
    }

    ModelRegistrar(ModelNode node) {
        this.node = node;
    }

    private void enqueue(ClientId clientId, Runnable claim) {
        ArrayDeque<Runnable> queue = queues.computeIfAbsent(clientId, any -> new ArrayDeque<>());
        queue.add(claim);
        if (queue.size() == 1) {
            node.soon(claim);
        }
    }

    private void done(ClientId clientId) {
        ArrayDeque<Runnable> queue = queues.computeIfAbsent(clientId, any -> new ArrayDeque<>());
        queue.remove();
        Runnable next = queue.peek();
        if (next != null) {
            node.soon(next);
        }
    }

    /** A connection of this node claims its client id. */
    void claim(ModelConnection connection) {
        ClientId clientId = connection.clientId;
        enqueue(
                clientId,
                () -> {
                    Session session = sessions.get(clientId);
                    if (session != null && session.connection != null) {
                        session.connection.takenOver();
                    }
                    session = sessions.get(clientId);
                    if (session != null && connection.isClean) {
                        sessions.remove(clientId);
                        session = null;
                    }
                    if (!connection.isOver) {
                        if (session == null) {
                            long now = node.simulation.scheduler.micros();
                            session = new Session(connection.isDurable, now);
                            sessions.put(clientId, session);
                        } else {
                            node.simulation.resumed(connection, session.bornAt);
                        }
                        session.connection = connection;
                        connection.live();
                    }
                    connection.claimed();
                    done(clientId);
                });
    }

    void endOrFind(ClientId clientId, boolean isClean, LocalClaims.Found then) {
        enqueue(
                clientId,
                () -> {
                    Session session = sessions.get(clientId);
                    boolean isFound = session != null && session.isDurable && !isClean;
                    if (session != null && !isFound) {
                        if (session.connection != null) {
                            session.connection.takenOver();
                        }
                        sessions.remove(clientId);
                        if (session.isDurable) {
                            node.simulation.endedClean(clientId, session.bornAt);
                        }
                    }
                    node.soon(() -> {
                        node.turn(clientId.slot() % node.shards, () -> then.found(isFound));
                        done(clientId);
                    });
                });
    }

    boolean isConnected(ClientId clientId) {
        Session session = sessions.get(clientId);
        return session != null && session.connection != null;
    }

    /** The connection has ended; a durable session stays. */
    void ended(ModelConnection connection) {
        Session session = sessions.get(connection.clientId);
        if (session != null && session.connection == connection) {
            session.connection = null;
            if (!session.isDurable) {
                sessions.remove(connection.clientId);
            }
        }
    }

    boolean hasDurableIn(int slot) {
        return sessions.entrySet().stream()
                .anyMatch(each -> each.getKey().slot() == slot && each.getValue().isDurable);
    }

    /** The node does not lead the slot any more. */
    void setAside(int slot) {
        for (ClientId each : sessions.keySet().toArray(ClientId[]::new)) {
            Session session = sessions.get(each);
            if (each.slot() == slot && session != null && session.isDurable) {
                if (session.connection != null) {
                    session.connection.takenOver();
                }
                sessions.remove(each);
            }
        }
    }
}
