package io.godwit.cluster.takeover;

import io.godwit.core.packet.ClientId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of a node of the model, which are sets of numbers: what their clients want of them,
 * and what {@link Takeovers} asks.
 *
 * <p>Each of the two changes what the other finds, so they stand in one class: hence its length.
 */
final class ModelSessions implements LocalSessions {
    private final TakeoverSimulation run;
    private final ModelNode node;
    private final ModelDisk disk;
    private final ModelRegistrar registrar = new ModelRegistrar();

    /** In memory: those of this start that the node is the home of. */
    final Map<ClientId, ModelSession> homes = new HashMap<>();

    /** By generation: given, and not dropped. */
    final Map<Long, ModelSession> given = new TreeMap<>();

    /** Lost to another home; by generation. Kept at once: nobody is promised anything for it. */
    final Map<Long, ModelSession> aside = new TreeMap<>();

    @SuppressWarnings("NullAway.Init") // set by recover(...)
    private Takeovers takeovers;

    ModelSessions(TakeoverSimulation run, ModelNode node, ModelDisk disk) {
        this.run = run;
        this.node = node;
        this.disk = disk;
    }

    // ---------------------------------------------------------------- start and end

    /** Forgets what was in memory. */
    void clear() {
        homes.clear();
        given.clear();
        registrar.clear();
    }

    /** Tells of what the disk has. */
    void recover(Takeovers to) {
        takeovers = to;
        for (ModelSession each : disk.ended.values()) {
            takeovers.recoveredLeft(each.clientId, each.former, false);
        }
        for (ModelSession each : aside.values()) {
            takeovers.recoveredLeft(each.clientId, each.former, each.from >= 0);
        }
        for (ModelSession kept : disk.sessions.values()) {
            ModelSession session = kept.copy();
            if (session.givenTo != null) {
                given.put(session.generation, session);
                takeovers.recoveredGiven(
                        session.clientId, session.changes, session.givenTo, session.header());
            } else {
                homes.put(session.clientId, session);
                takeovers.recovered(session.clientId, session.changes);
                takeovers.recoveredFormer(session.clientId, session.former, session.from >= 0);
            }
        }
    }

    /** The node dies, and all connections with it. */
    void crash() {
        for (ModelSession session : homes.values()) {
            run.ended(session.connection);
        }
        homes.clear();
        registrar.refuseAll();
    }

    // ---------------------------------------------------------------- connections

    void connect(ClientId clientId, ModelConnect connect) {
        registrar.turns(clientId, () -> begin(clientId, connect));
    }

    private void begin(ClientId clientId, ModelConnect connect) {
        ModelSession session = homes.get(clientId);
        if (session == null) {
            ClaimId claim = registrar.claim(clientId, node.self(), connect);
            run.note("%s claims %s", node.self(), clientId);
            takeovers.claim(clientId, claim, connect.isClean(), connect.isDurable());
            return;
        }
        run.ended(session.connection);
        session.connection = null;
        if (connect.isClean() || !session.durable) {
            replace(session, connect);
            return;
        }
        attach(session, connect);
        registrar.next(clientId);
    }

    /** The client id stays this node's: another session takes the place of one that ends. */
    private void replace(ModelSession ended, ModelConnect connect) {
        run.over(ended.generation);
        ModelSession session =
                new ModelSession(ended.clientId, run.nextGeneration(), connect.isDurable());
        session.changes = ended.changes;
        session.from = -1;
        homes.put(session.clientId, session);
        takeovers.replaced(session.clientId, session.durable);
        disk.replace(
                ended,
                session,
                () -> {
                    attach(session, connect);
                    registrar.next(session.clientId);
                });
    }

    private void attach(ModelSession session, ModelConnect connect) {
        session.connection = connect;
        if (!connect.accepted(node)) {
            session.connection = null;
        }
    }

    /** The client has gone. */
    void disconnected(ClientId clientId, Object connection) {
        ModelSession session = homes.get(clientId);
        if (session == null || session.connection != connection) {
            return;
        }
        session.connection = null;
        if (!session.durable) {
            end(session, () -> takeovers.ended(clientId));
        }
    }

    private void end(ModelSession session, Runnable then) {
        run.over(session.generation);
        homes.remove(session.clientId, session);
        disk.end(session, then);
    }

    /** Something is published to the session; acknowledged when it is kept. */
    void publish(ClientId clientId, long number) {
        ModelSession session = homes.get(clientId);
        if (session != null && session.durable && !registrar.isBusy(clientId)) {
            session.content.add(number);
            disk.keep(session, () -> run.acknowledged(session.generation, number));
        }
    }

    // ---------------------------------------------------------------- what takeovers ask

    @Override
    public void make(ClientId clientId, ClaimId claim, long changes) {
        ModelConnect connect = Objects.requireNonNull(registrar.asking(clientId));
        run.note(
                "%s makes %s, %s, generation %s",
                node.self(), clientId, changes, run.generations() + 1);
        run.made(node, clientId);
        ModelSession session =
                new ModelSession(clientId, run.nextGeneration(), connect.isDurable());
        session.changes = changes;
        session.from = -1;
        ModelSession former = homes.put(clientId, session);
        if (former != null) {
            throw new IllegalStateException("made over " + former.generation);
        }
        if (!session.durable) {
            takeovers.settled(clientId, claim, false);
            settled(session, connect);
        } else {
            disk.keep(
                    session,
                    () -> {
                        takeovers.settled(clientId, claim, true);
                        settled(session, connect);
                    });
        }
    }

    private void settled(ModelSession session, @Nullable ModelConnect connect) {
        if (connect != null) {
            attach(session, connect);
            if (session.connection == null && !session.durable) {
                end(session, () -> takeovers.ended(session.clientId));
            }
        }
        if (registrar.isBusy(session.clientId)) {
            registrar.next(session.clientId);
        }
        node.turn();
    }

    @Override
    public void arrive(ClientId clientId, ClaimId claim, long changes, int from, byte[] header) {
        ModelSession session = ModelSession.of(clientId, header);
        run.note("%s arrives at %s, %s", clientId, node.self(), changes);
        session.changes = changes;
        session.from = from;
        session.former.add(new Former(from, changes));
        List<Former> former = List.copyOf(session.former);
        session.former.removeIf(each -> each.server() == node.server);
        ModelConnect connect = registrar.asking(clientId);
        disk.keep(
                session,
                () -> {
                    given.remove(session.generation);
                    homes.put(clientId, session);
                    takeovers.arrived(clientId, claim, former);
                    run.moved();
                    settled(session, connect);
                });
    }

    @Override
    public void takeBack(ClientId clientId, ClaimId claim, long number, long changes) {
        for (ModelSession each : List.copyOf(given.values())) {
            if (each.clientId.equals(clientId) && each.changes == number) {
                takeBack(each.copy(), claim, changes);
            }
        }
    }

    private void takeBack(ModelSession session, ClaimId claim, long changes) {
        ClientId clientId = session.clientId;
        run.note("%s takes %s back, %s", node.self(), clientId, changes);
        session.givenTo = null;
        session.changes = changes;
        ModelRegistrar.Turns turns = registrar.find(clientId);
        boolean isItsOwn = turns != null && claim.equals(turns.claim);
        disk.keep(
                session,
                () -> {
                    given.remove(session.generation);
                    homes.put(clientId, session);
                    takeovers.tookBack(clientId, claim, session.former);
                    run.tookBack(session);
                    if (isItsOwn) {
                        settled(session, Objects.requireNonNull(turns).asking);
                    }
                    node.turn();
                });
    }

    @Override
    public void outOfReach(ClientId clientId, ClaimId claim) {
        run.note("%s refuses %s", node.self(), clientId);
        Objects.requireNonNull(registrar.asking(clientId)).refused();
        registrar.next(clientId);
    }

    @Override
    public void offered(ClientId clientId, int from) {
        if (homes.containsKey(clientId) || registrar.isBusy(clientId)) {
            return;
        }
        registrar.turns(
                clientId,
                () -> {
                    run.count("offered");
                    run.note("%s claims %s, offered by %s", node.self(), clientId, from);
                    ClaimId claim = registrar.claim(clientId, node.self(), ModelConnect.NOBODY);
                    takeovers.claim(clientId, claim, false, from, true);
                });
    }

    @Override
    public void giveUp(
            ClientId clientId,
            ClaimId claim,
            long changes,
            boolean cleanStart,
            List<Former> former) {
        registrar.turns(clientId, () -> release(clientId, claim, changes, cleanStart));
    }

    private void release(ClientId clientId, ClaimId claim, long changes, boolean cleanStart) {
        ModelSession session = homes.get(clientId);
        if (session == null) {
            takeovers.gaveUp(clientId, null);
            registrar.next(clientId);
            return;
        }
        run.ended(session.connection);
        session.connection = null;
        if (cleanStart || !session.durable) {
            end(
                    session,
                    () -> {
                        takeovers.gaveUp(clientId, null);
                        registrar.next(clientId);
                    });
            return;
        }
        if (session.from >= 0) {
            run.scheduler.in(
                    10_000, node.inThisStart(() -> release(clientId, claim, changes, cleanStart)));
            return;
        }
        session.givenTo = claim;
        session.changes = changes;
        homes.remove(clientId);
        run.note("%s gives %s, whose former homes are %s", node.self(), clientId, session.former);
        given.put(session.generation, session);
        disk.keep(
                session,
                () -> {
                    takeovers.gaveUp(clientId, session.header());
                    registrar.next(clientId);
                });
    }

    @Override
    public void giveAgain(ClientId clientId, long changes, ClaimId claim, long next) {
        for (ModelSession session : given.values()) {
            if (session.clientId.equals(clientId) && session.changes == changes) {
                session.changes = next;
                session.givenTo = claim;
                disk.keep(session, () -> takeovers.gaveAgain(clientId));
            }
        }
    }

    @Override
    public void drop(ClientId clientId, long changes) {
        given.values()
                .removeIf(session -> {
                    boolean goes = session.clientId.equals(clientId) && session.changes == changes;
                    if (goes) {
                        disk.sessions.remove(session.generation);
                    }
                    return goes;
                });
    }

    @Override
    public void dropped(ClientId clientId, Former former) {
        disk.dropped(clientId, former);
        ModelSession session = homes.get(clientId);
        if (session != null) {
            session.former.remove(former);
        }
        for (ModelSession each : aside.values()) {
            if (each.clientId.equals(clientId)) {
                each.former.remove(former);
            }
        }
    }

    @Override
    public void noMorePages(ClientId clientId, long changes) {
        List<ModelSession> all = new ArrayList<>(homes.values());
        all.addAll(aside.values());
        for (ModelSession session : all) {
            if (session.clientId.equals(clientId)
                    && session.changes == changes
                    && session.from >= 0) {
                session.from = -1;
                run.count("rest lost");
                disk.keep(session, () -> takeovers.whole(clientId, changes));
            }
        }
    }

    @Override
    public void lose(ClientId clientId) {
        ModelSession session = homes.remove(clientId);
        if (session != null) {
            run.note("%s loses %s", node.self(), clientId);
            run.ended(session.connection);
            run.lost(node, session);
            if (session.durable) {
                disk.write(
                        () -> {
                            disk.sessions.remove(session.generation);
                            aside.put(session.generation, session);
                        },
                        () -> {});
            }
        }
    }

    // ---------------------------------------------------------------- pages

    /** The rest of what has come. */
    void pull() {
        List<ModelSession> all = new ArrayList<>(homes.values());
        all.addAll(aside.values());
        for (ModelSession session : all) {
            if (session.from >= 0 && node.isLinked(session.from)) {
                run.scheduler.in(
                        1 + run.random.nextInt(200_000), node.inThisStart(() -> pulled(session)));
            }
        }
    }

    private void pulled(ModelSession session) {
        boolean isAside = aside.get(session.generation) == session;
        if (session.from < 0
                || !isAside && homes.get(session.clientId) != session
                || !run.links.isLinked(node.server, session.from)) {
            return;
        }
        ModelSession kept = run.node(session.from).disk.sessions.get(session.generation);
        boolean isKept = kept != null && kept.givenTo != null;
        if (!isKept && run.isForgotten(session)) {
            return; // What was given has gone back, since this node was forgotten.
        }
        if (kept == null || !isKept) {
            throw new IllegalStateException(
                    session.from + " has not kept " + session.clientId + " for " + node.self());
        }
        session.content.addAll(kept.content);
        session.from = -1;
        long changes = session.changes;
        if (isAside) {
            takeovers.whole(session.clientId, changes);
        } else {
            disk.keep(session, () -> takeovers.whole(session.clientId, changes));
        }
    }
}
