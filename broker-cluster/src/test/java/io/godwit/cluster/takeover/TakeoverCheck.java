package io.godwit.cluster.takeover;

import io.godwit.cluster.takeover.TakeoverSimulation.Trouble;
import io.godwit.core.packet.ClientId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** What must hold in a {@link TakeoverSimulation}: after every step, and at its end. */
final class TakeoverCheck {
    private final List<ModelNode> nodes;
    private final Trouble trouble;
    private final Consumer<String> count;

    /** By generation of a session. */
    private final Map<Long, Set<Long>> acknowledged = new HashMap<>();

    /** Sessions that have ended, or lost to another one of their client id. */
    private final Set<Long> over = new HashSet<>();

    /** By generation: sessions that a node had something of when it was forgotten. */
    private final Set<Long> forgotten = new HashSet<>();

    /** By generation: sessions that were given and have come back to their former home. */
    private final Set<Long> takenBack = new HashSet<>();

    /**
     * @param nodes all of them, before anything happens
     * @param trouble what goes wrong
     */
    TakeoverCheck(List<ModelNode> nodes, Trouble trouble, Consumer<String> count) {
        this.nodes = nodes;
        this.trouble = trouble;
        this.count = count;
    }

    void acknowledged(long generation, long number) {
        acknowledged.computeIfAbsent(generation, any -> new TreeSet<>()).add(number);
    }

    void over(long generation) {
        over.add(generation);
    }

    /** A node is forgotten, and with it whatever it has. */
    void forgotten(ModelNode node) {
        forgotten.addAll(node.disk.sessions.keySet());
        forgotten.addAll(node.disk.ended.keySet());
        forgotten.addAll(node.sessions.aside.keySet());
    }

    /** When a node is back that was forgotten, the session that was made since stays. */
    void lost(ModelNode at, ModelSession session) {
        ModelSession other = null;
        for (ModelNode node : nodes) {
            ModelSession home = node.sessions.homes.get(session.clientId);
            if (node != at && home != null && (other == null || home.changes > other.changes)) {
                other = home;
            }
        }
        // What its former home had kept takes the place of what a forgotten node made of it.
        if (other != null
                && other.generation < session.generation
                && !takenBack.contains(other.generation)) {
            throw new IllegalStateException(
                    "%s loses the generation %s of %s to the older one %s"
                            .formatted(
                                    at.server,
                                    session.generation,
                                    session.clientId,
                                    other.generation));
        }
        if (forgotten.isEmpty()) {
            throw new IllegalStateException("two homes of one client id");
        }
    }

    void tookBack(ModelSession session) {
        takenBack.add(session.generation);
    }

    boolean isForgotten(ModelSession session) {
        return forgotten.contains(session.generation);
    }

    /** After every step. */
    void step() {
        Map<Long, Integer> homes = new HashMap<>();
        Map<ClientId, Integer> connections = new HashMap<>();
        for (ModelNode node : nodes) {
            for (ModelSession session :
                    (node.isUp() ? node.sessions.homes : node.disk.sessions).values()) {
                if (session.givenTo == null) {
                    Integer other = homes.put(session.generation, node.server);
                    if (other != null && !forgotten.contains(session.generation)) {
                        throw new IllegalStateException(
                                session.clientId
                                        + " has two homes: "
                                        + other
                                        + " and "
                                        + node.server);
                    }
                }
                if (node.isUp() && session.connection != null) {
                    Integer other = connections.put(session.clientId, node.server);
                    if (other != null && trouble != Trouble.ANY && forgotten.isEmpty()) {
                        throw new IllegalStateException(
                                session.clientId
                                        + " is connected to "
                                        + other
                                        + " and "
                                        + node.server);
                    }
                }
            }
        }
    }

    /**
     * A client id was granted anew: when nodes die one after the other, nobody keeps a session of
     * it, alive or dead. Left out is what a node had told nobody yet when it died.
     */
    void made(ModelNode at, ClientId clientId) {
        if (trouble != Trouble.DEATHS) {
            return;
        }
        for (ModelNode node : nodes) {
            for (ModelSession kept : node.disk.sessions.values()) {
                boolean isMeant = kept.clientId.equals(clientId) && !over.contains(kept.generation);
                if (isMeant && node.hasTold(kept)) {
                    throw new IllegalStateException(
                            "%s is made anew at %s, and %s keeps the generation %s of it"
                                    .formatted(clientId, at.server, node.server, kept.generation));
                }
            }
        }
    }

    private void checkContent(ModelSession session) {
        Set<Long> missing = new TreeSet<>(acknowledged.getOrDefault(session.generation, Set.of()));
        missing.removeAll(session.content);
        if (!missing.isEmpty() && !forgotten.contains(session.generation)) {
            throw new IllegalStateException(session.clientId + " lacks " + missing);
        }
        over.add(session.generation);
    }

    /**
     * Whoever has it has all of it by now; but of one whose client id has another session since a
     * partition it is all that there is.
     */
    private void checkGiven(ModelNode at, ModelSession given) {
        for (ModelNode node : nodes) {
            ModelSession session = node.sessions.homes.get(given.clientId);
            boolean isHome = session != null && session.generation == given.generation;
            boolean isAside = node.sessions.aside.containsKey(given.generation);
            if ((isHome || isAside) && !forgotten.contains(given.generation)) {
                throw new IllegalStateException(
                        at.server + " still keeps " + given.clientId + " of " + node.server);
            }
        }
        count.accept("given and superseded");
        checkContent(given);
    }

    /** When everything has come to rest. */
    void atEnd(List<ClientId> clients) {
        for (ClientId client : clients) {
            List<ModelSession> homes = new ArrayList<>();
            for (ModelNode node : nodes) {
                ModelSession session = node.sessions.homes.get(client);
                if (session != null) {
                    homes.add(session);
                }
            }
            if (homes.size() != 1 || homes.getFirst().connection == null) {
                throw new IllegalStateException(client + " has homes: " + homes.size());
            }
            if (homes.getFirst().from >= 0) {
                throw new IllegalStateException(client + " waits for the rest of its content");
            }
            checkContent(homes.getFirst());
        }
        nodes.forEach(node -> node.sessions.aside.values().forEach(this::checkContent));
        nodes.forEach(
                node -> node.sessions.given.values().forEach(given -> checkGiven(node, given)));
        for (long generation : acknowledged.keySet()) {
            if (!over.contains(generation) && !forgotten.contains(generation)) {
                throw new IllegalStateException("the session " + generation + " is nowhere");
            }
        }
    }
}
