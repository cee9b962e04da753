package io.godwit.cluster.takeover;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.ClientId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A node of the model: real {@link Takeovers} over sessions that are sets of numbers, with a
 * registrar for each client id and a disk that takes its time.
 */
final class ModelNode implements SimulatedLinks.End, LocalSessions {
    /** A connection that wants its client id. */
    interface Connect {
        boolean isClean();

        boolean isDurable();

        /** The session is its own; false when the connection has gone meanwhile. */
        boolean accepted(ModelNode at);

        void refused();
    }

    private final TakeoverSimulation run;
    final int server;
    private long starts;
    private NodeStart self;
    private boolean up;

    /** What a restart finds. */
    final Map<Long, ModelSession> disk = new TreeMap<>();

    /** Of sessions that have ended: who still keeps something. */
    final Map<ClientId, List<Former>> ended = new TreeMap<>();

    /** In memory: those of this start that it is the home of. */
    final Map<ClientId, ModelSession> sessions = new HashMap<>();

    /** By generation: given, and not dropped. */
    final Map<Long, ModelSession> given = new TreeMap<>();

    /** Lost to another home; by generation. Kept at once: nobody is promised anything for it. */
    final Map<Long, ModelSession> aside = new TreeMap<>();

    private final Map<ClientId, Turns> registrar = new HashMap<>();
    private final Map<Integer, NodeStart> linked = new TreeMap<>();
    private Takeovers takeovers;
    private long claims;
    private long writtenAt;

    /** Claims of a client id, one after the other. */
    private static final class Turns {
        boolean busy;
        Connect asking;
        ClaimId claim;
        final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    }

    ModelNode(TakeoverSimulation run, int server) {
        this.run = run;
        this.server = server;
    }

    // ---------------------------------------------------------------- start and end

    void start() {
        self = new NodeStart(server, ++starts);
        up = true;
        sessions.clear();
        given.clear();
        registrar.clear();
        linked.clear();
        takeovers =
                new Takeovers(
                        self,
                        this::first,
                        this,
                        (to, message) -> run.links.send(self, to, message),
                        1_000,
                        run.rules);
        ended.forEach((clientId, former) -> takeovers.recoveredFormer(clientId, former, false));
        for (ModelSession kept : disk.values()) {
            ModelSession session = kept.copy();
            if (session.givenTo != null) {
                given.put(session.generation, session);
                takeovers.recoveredGiven(
                        session.clientId, session.changes, session.givenTo, session.header());
            } else {
                sessions.put(session.clientId, session);
                takeovers.recovered(session.clientId, session.changes);
                takeovers.recoveredFormer(session.clientId, session.former, session.from >= 0);
            }
        }
        takeovers.anchorsChanged();
        run.links.up(this);
        NodeStart of = self;
        tick(of);
        turn(of);
    }

    void crash() {
        up = false;
        run.links.down(server);
        for (ModelSession session : sessions.values()) {
            run.ended(session.connection);
        }
        sessions.clear();
        registrar
                .values()
                .forEach(turns -> {
                    if (turns.asking != null) {
                        turns.asking.refused();
                    }
                });
        registrar.clear();
    }

    private void tick(NodeStart of) {
        run.scheduler.background(
                100_000,
                () -> {
                    if (isNow(of)) {
                        takeovers.tick(run.scheduler.monotonicMs());
                        pull();
                        tick(of);
                    }
                });
    }

    private boolean isNow(NodeStart of) {
        return up && self.equals(of);
    }

    /** Slices of what is to be told. */
    private void turn(NodeStart of) {
        run.scheduler.in(
                run.random.nextInt(2_000),
                () -> {
                    if (isNow(of) && takeovers.hasMore()) {
                        takeovers.more();
                        turn(of);
                    }
                });
    }

    /** The first linked node, in an order that all nodes know. */
    private int first(int slot) {
        int best = server;
        for (int other : linked.keySet()) {
            if (weight(other, slot) > weight(best, slot)) {
                best = other;
            }
        }
        return best;
    }

    private static int weight(int server, int slot) {
        int mixed = (server * 0x9E3779B9 ^ slot * 0x85EBCA6B) * 0xC2B2AE35;
        return mixed ^ mixed >>> 15;
    }

    // ---------------------------------------------------------------- links

    @Override
    public NodeStart self() {
        return self;
    }

    @Override
    public boolean isUp() {
        return up;
    }

    @Override
    public void onLinked(NodeStart peer) {
        run.note("%s is linked to %s", self, peer);
        linked.put(peer.server(), peer);
        takeovers.linked(peer);
        turn(self);
    }

    @Override
    public void onUnlinked(NodeStart peer) {
        run.note("%s is not linked to %s", self, peer);
        linked.remove(peer.server());
        takeovers.unlinked(peer);
        turn(self);
    }

    @Override
    public void onMessage(NodeStart from, TakeoverMessage message) {
        switch (message) {
            case TakeoverMessage.Tell tell ->
                    run.note("%s hears from %s of %s", self, from, tell.told());
            case TakeoverMessage.Withdraw withdraw ->
                    run.note("%s hears from %s of another anchor", self, from);
            default -> run.note("%s hears from %s: %s", self, from, message);
        }
        takeovers.onMessage(from, message);
    }

    // ---------------------------------------------------------------- connections

    void connect(ClientId clientId, Connect connect) {
        turns(clientId, () -> begin(clientId, connect));
    }

    private void turns(ClientId clientId, Runnable task) {
        Turns turns = registrar.computeIfAbsent(clientId, id -> new Turns());
        if (turns.busy) {
            turns.waiting.add(task);
        } else {
            turns.busy = true;
            task.run();
        }
    }

    private void next(ClientId clientId) {
        Turns turns = registrar.get(clientId);
        turns.asking = null;
        turns.claim = null;
        Runnable task = turns.waiting.poll();
        if (task == null) {
            registrar.remove(clientId);
        } else {
            task.run();
        }
    }

    private void begin(ClientId clientId, Connect connect) {
        ModelSession session = sessions.get(clientId);
        if (session == null) {
            Turns turns = registrar.get(clientId);
            turns.asking = connect;
            turns.claim = new ClaimId(self, 0, ++claims);
            run.note("%s claims %s", self, clientId);
            takeovers.claim(clientId, turns.claim, connect.isClean());
            return;
        }
        run.ended(session.connection);
        session.connection = null;
        if (connect.isClean() || !session.durable) {
            replace(session, connect);
            return;
        }
        attach(session, connect);
        next(clientId);
    }

    /** The client id stays this node's: another session takes the place of one that ends. */
    private void replace(ModelSession ended, Connect connect) {
        run.over(ended.generation);
        ModelSession session =
                new ModelSession(ended.clientId, run.nextGeneration(), connect.isDurable());
        session.changes = ended.changes;
        session.from = -1;
        session.former.addAll(ended.former);
        sessions.put(session.clientId, session);
        takeovers.replaced(session.clientId, session.durable);
        ModelSession kept = session.copy();
        persist(
                () -> {
                    disk.remove(ended.generation);
                    if (kept.durable) {
                        disk.put(kept.generation, kept);
                    }
                },
                () -> {
                    attach(session, connect);
                    next(session.clientId);
                });
    }

    private void attach(ModelSession session, Connect connect) {
        session.connection = connect;
        if (!connect.accepted(this)) {
            session.connection = null;
        }
    }

    /** The client has gone. */
    void disconnected(ClientId clientId, Object connection) {
        ModelSession session = sessions.get(clientId);
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
        sessions.remove(session.clientId, session);
        persist(
                () -> {
                    disk.remove(session.generation);
                    ended.put(session.clientId, new ArrayList<>(session.former));
                },
                then);
    }

    private void persist(Runnable write, Runnable then) {
        NodeStart of = self;
        // In the order in which it was told.
        writtenAt = Math.max(writtenAt, run.scheduler.micros()) + 1 + run.random.nextInt(5_000);
        run.scheduler.in(
                writtenAt - run.scheduler.micros(),
                () -> {
                    if (isNow(of)) {
                        write.run();
                        then.run();
                    }
                });
    }

    private void persist(ModelSession session, Runnable then) {
        ModelSession kept = session.copy();
        persist(() -> disk.put(session.generation, kept), then);
    }

    /** Something is published to the session; acknowledged when it is kept. */
    void publish(ClientId clientId, long number) {
        ModelSession session = sessions.get(clientId);
        Turns turns = registrar.get(clientId);
        boolean isStopping = session == null || turns != null;
        if (!isStopping && session.durable) {
            session.content.add(number);
            persist(session, () -> run.acknowledged(session.generation, number));
        }
    }

    // ---------------------------------------------------------------- what takeovers ask

    @Override
    public void make(ClientId clientId, ClaimId claim, long changes) {
        Connect connect = registrar.get(clientId).asking;
        run.note("%s makes %s, %s, generation %s", self, clientId, changes, run.generations() + 1);
        ModelSession session =
                new ModelSession(clientId, run.nextGeneration(), connect.isDurable());
        session.changes = changes;
        session.from = -1;
        ModelSession former = sessions.put(clientId, session);
        if (former != null) {
            throw new IllegalStateException("made over " + former.generation);
        }
        if (!session.durable) {
            takeovers.settled(clientId, claim, false);
            settled(session, connect);
        } else {
            persist(
                    session,
                    () -> {
                        takeovers.settled(clientId, claim, true);
                        settled(session, connect);
                    });
        }
    }

    private void settled(ModelSession session, Connect connect) {
        if (connect != null) {
            attach(session, connect);
            if (session.connection == null && !session.durable) {
                end(session, () -> takeovers.ended(session.clientId));
            }
        }
        if (registrar.containsKey(session.clientId)) {
            next(session.clientId);
        }
        turn(self);
    }

    @Override
    public void arrive(ClientId clientId, ClaimId claim, long changes, int from, byte[] header) {
        ModelSession session = ModelSession.of(clientId, header);
        run.note("%s arrives at %s, %s", clientId, self, changes);
        session.changes = changes;
        session.from = from;
        session.former.add(new Former(from, changes));
        List<Former> former = List.copyOf(session.former);
        session.former.removeIf(each -> each.server() == server);
        Connect connect = registrar.get(clientId).asking;
        persist(
                session,
                () -> {
                    given.remove(session.generation);
                    sessions.put(clientId, session);
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
        run.note("%s takes %s back, %s", self, clientId, changes);
        session.givenTo = null;
        session.changes = changes;
        Turns turns = registrar.get(clientId);
        boolean isItsOwn = turns != null && claim.equals(turns.claim);
        persist(
                session,
                () -> {
                    given.remove(session.generation);
                    sessions.put(clientId, session);
                    takeovers.tookBack(clientId, claim, session.former);
                    run.tookBack();
                    if (isItsOwn) {
                        settled(session, turns.asking);
                    }
                    turn(self);
                });
    }

    @Override
    public void outOfReach(ClientId clientId, ClaimId claim) {
        run.note("%s refuses %s", self, clientId);
        Turns turns = registrar.get(clientId);
        turns.asking.refused();
        next(clientId);
    }

    @Override
    public void giveUp(
            ClientId clientId,
            ClaimId claim,
            long changes,
            boolean cleanStart,
            List<Former> former) {
        turns(clientId, () -> release(clientId, claim, changes, cleanStart));
    }

    private void release(ClientId clientId, ClaimId claim, long changes, boolean cleanStart) {
        ModelSession session = sessions.get(clientId);
        if (session == null) {
            takeovers.gaveUp(clientId, null);
            next(clientId);
            return;
        }
        run.ended(session.connection);
        session.connection = null;
        if (cleanStart || !session.durable) {
            end(
                    session,
                    () -> {
                        takeovers.gaveUp(clientId, null);
                        next(clientId);
                    });
            return;
        }
        if (session.from >= 0) {
            NodeStart of = self;
            run.scheduler.in(
                    10_000,
                    () -> {
                        if (isNow(of)) {
                            release(clientId, claim, changes, cleanStart);
                        }
                    });
            return;
        }
        session.givenTo = claim;
        session.changes = changes;
        sessions.remove(clientId);
        run.note("%s gives %s, whose former homes are %s", self, clientId, session.former);
        given.put(session.generation, session);
        persist(
                session,
                () -> {
                    takeovers.gaveUp(clientId, session.header());
                    next(clientId);
                });
    }

    @Override
    public void giveAgain(ClientId clientId, long changes, ClaimId claim, long next) {
        for (ModelSession session : given.values()) {
            if (session.clientId.equals(clientId) && session.changes == changes) {
                session.changes = next;
                session.givenTo = claim;
                persist(session, () -> takeovers.gaveAgain(clientId));
            }
        }
    }

    @Override
    public void drop(ClientId clientId, long changes) {
        given.values()
                .removeIf(session -> {
                    boolean goes = session.clientId.equals(clientId) && session.changes == changes;
                    if (goes) {
                        disk.remove(session.generation);
                    }
                    return goes;
                });
    }

    @Override
    public void dropped(ClientId clientId, Former former) {
        for (ModelSession kept : disk.values()) {
            if (kept.clientId.equals(clientId) && kept.givenTo == null) {
                kept.former.remove(former);
            }
        }
        ModelSession session = sessions.get(clientId);
        if (session != null) {
            session.former.remove(former);
        }
        ended.values().forEach(all -> all.remove(former));
    }

    @Override
    public void lose(ClientId clientId) {
        ModelSession session = sessions.remove(clientId);
        if (session != null) {
            run.note("%s loses %s", self, clientId);
            run.ended(session.connection);
            run.lost(session);
            if (session.durable) {
                persist(
                        () -> {
                            disk.remove(session.generation);
                            aside.put(session.generation, session);
                        },
                        () -> {});
            }
        }
    }

    // ---------------------------------------------------------------- pages

    /** The rest of what has come. */
    private void pull() {
        List<ModelSession> all = new ArrayList<>(sessions.values());
        all.addAll(aside.values());
        for (ModelSession session : all) {
            if (session.from >= 0 && linked.containsKey(session.from)) {
                NodeStart of = self;
                run.scheduler.in(
                        1 + run.random.nextInt(200_000),
                        () -> {
                            if (isNow(of)) {
                                pulled(session);
                            }
                        });
            }
        }
    }

    private void pulled(ModelSession session) {
        boolean isAside = aside.get(session.generation) == session;
        if (session.from < 0
                || !isAside && sessions.get(session.clientId) != session
                || !run.links.isLinked(server, session.from)) {
            return;
        }
        ModelSession kept = run.node(session.from).disk.get(session.generation);
        if (kept == null || kept.givenTo == null) {
            throw new IllegalStateException(
                    session.from + " has not kept " + session.clientId + " for " + self);
        }
        session.content.addAll(kept.content);
        session.from = -1;
        long changes = session.changes;
        if (isAside) {
            takeovers.whole(session.clientId, changes);
        } else {
            persist(session, () -> takeovers.whole(session.clientId, changes));
        }
    }
}
