package io.godwit.cluster.registration;

import io.godwit.core.packet.ClientId;
import io.godwit.core.takeover.ClaimingUser;
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

        /** The user who made it; null: nobody's. */
        @Nullable String owner;

        /** Stamp of the last CONNECT; after a start that of the record on disk. */
        long connectedAt;

        /** Stamp of the record on disk: of the last CONNECT or its end. */
        long recordedAt;

        /** When the last CONNECT was served. */
        long servedAt;

        /** Whether it was connected when its leader was told a grant. */
        boolean hasStayedConnected;

        @Nullable ModelConnection connection;

        Session(boolean isDurable, long connectedAt) {
            this.isDurable = isDurable;
            connected(connectedAt);
        }

        private void connected(long stamp) {
            connectedAt = stamp;
            recordedAt = stamp;
            servedAt = stamp;
            hasStayedConnected = false;
        }

        /** Returns what a start of the node finds on disk. */
        Session fromDisk() {
            Session found = new Session(true, recordedAt);
            found.owner = owner;
            found.servedAt = servedAt;
            found.hasStayedConnected = hasStayedConnected;
            return found;
        }

        private boolean isAnothers(@Nullable ClaimingUser by) {
            return by != null && !by.mayTake(owner);
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
                    if (session != null && session.isAnothers(connection.by())) {
                        connection.kept();
                        connection.claimed();
                        done(clientId);
                        return;
                    }
                    if (session != null && session.connection != null) {
                        session.connection.takenOver();
                    }
                    session = sessions.get(clientId);
                    if (session != null && connection.isClean) {
                        sessions.remove(clientId);
                        session = null;
                    }
                    if (!connection.isOver) {
                        long now = node.simulation.stamp();
                        if (session == null) {
                            session = new Session(connection.isDurable, now);
                            sessions.put(clientId, session);
                        } else {
                            node.simulation.resumed(connection, session);
                            session.connected(now);
                        }
                        session.connection = connection;
                        if (session.owner == null) {
                            session.owner = connection.user;
                        }
                        connection.live();
                    }
                    connection.claimed();
                    done(clientId);
                });
    }

    void endOrFind(
            ClientId clientId,
            boolean isClean,
            @Nullable ClaimingUser by,
            LocalClaims.Answer then) {
        enqueue(
                clientId,
                () -> {
                    Session session = sessions.get(clientId);
                    boolean isAnothers = session != null && session.isAnothers(by);
                    boolean isFound = session != null && session.isDurable && !isClean;
                    if (session != null && !isFound && !isAnothers) {
                        if (session.connection != null) {
                            session.connection.takenOver();
                        }
                        sessions.remove(clientId);
                        if (session.isDurable) {
                            node.simulation.endedForClaim(clientId);
                        }
                    }
                    LocalClaims.Found found =
                            isAnothers
                                    ? LocalClaims.Found.OF_ANOTHER_USER
                                    : isFound
                                            ? LocalClaims.Found.DURABLE_SESSION
                                            : LocalClaims.Found.NOTHING;
                    node.soon(() -> {
                        node.turn(clientId.slot() % node.shards, () -> then.found(found));
                        done(clientId);
                    });
                });
    }

    void endOlder(
            ClientId clientId, long grantedAt, @Nullable ClaimingUser by, LocalClaims.Stays then) {
        enqueue(
                clientId,
                () -> {
                    Session session = sessions.get(clientId);
                    boolean stays =
                            session != null
                                    && (!isOlder(session, grantedAt) || session.isAnothers(by));
                    if (session != null && !stays) {
                        sessions.remove(clientId);
                    }
                    if (session != null) {
                        node.simulation.told(clientId, session, grantedAt, stays);
                    }
                    node.soon(() -> {
                        node.turn(clientId.slot() % node.shards, () -> then.stays(stays));
                        done(clientId);
                    });
                });
    }

    private boolean isOlder(Session session, long grantedAt) {
        boolean isBefore = session.connectedAt < grantedAt || !node.simulation.comparesStamps;
        return session.connection == null && isBefore;
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
            session.recordedAt = node.simulation.stamp();
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
