package io.godwit.cluster.takeover;

import io.godwit.cluster.membership.Slots;
import io.godwit.cluster.transport.Forgotten;
import io.godwit.cluster.transport.NodeStart;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/** A node of the model: real {@link Takeovers} over {@link ModelSessions}; it starts and dies. */
final class ModelNode implements SimulatedLinks.End {
    private final TakeoverSimulation run;
    final int server;
    final ModelDisk disk;
    final ModelSessions sessions;
    private final Map<Integer, NodeStart> linked = new TreeMap<>();

    /** By slot: the linked nodes in its order; null = not asked for since one came or went. */
    private final int[][] orders = new int[Slots.COUNT][];

    /** By server id, on its disk: how often a node was forgotten, and has come back. */
    private final Map<Integer, Long> turns = new TreeMap<>();

    private long starts;

    @SuppressWarnings("NullAway.Init") // set by start()
    private NodeStart self;

    private boolean up;
    private long changedAt;

    @SuppressWarnings("NullAway.Init") // set by start()
    private Takeovers takeovers;

    ModelNode(TakeoverSimulation run, int server) {
        this.run = run;
        this.server = server;
        disk = new ModelDisk(run, this);
        sessions = new ModelSessions(run, this, disk);
    }

    // ---------------------------------------------------------------- start and end

    void start() {
        self = new NodeStart(server, ++starts);
        up = true;
        changedAt = run.scheduler.micros();
        sessions.clear();
        linked.clear();
        Arrays.fill(orders, null);
        takeovers =
                new Takeovers(
                        self,
                        this::anchor,
                        sessions,
                        (to, message) -> run.links.send(self, to, message),
                        () -> 1L << 30,
                        change -> {},
                        1_000,
                        run.rules);
        sessions.recover(takeovers);
        turn(server, false);
        takeovers.forgotten(forgotten());
        takeovers.anchorsChanged();
        run.links.up(this);
        tick();
        turn();
    }

    // ---------------------------------------------------------------- who is forgotten

    /** Somebody tells it that a node never comes back. */
    void forget(int other) {
        if (turn(other, true)) {
            onTurned();
        }
    }

    private boolean turn(int other, boolean isForgotten) {
        long known = turns.getOrDefault(other, 0L);
        if (known % 2 == 1 == isForgotten) {
            return false;
        }
        turns.put(other, known + 1);
        return true;
    }

    private Forgotten forgotten() {
        Set<Integer> servers = new TreeSet<>();
        long times = 0;
        for (Map.Entry<Integer, Long> each : turns.entrySet()) {
            times += (each.getValue() + 1) / 2;
            if (each.getValue() % 2 == 1) {
                servers.add(each.getKey());
            }
        }
        return new Forgotten(servers, times);
    }

    private void onTurned() {
        run.note("%s has forgotten %s", self, forgotten());
        takeovers.forgotten(forgotten());
        linked.keySet().forEach(this::tellTurns);
        turn();
    }

    private void tellTurns(int to) {
        Map<Integer, Long> told = Map.copyOf(turns);
        ModelNode other = run.node(to);
        run.scheduler.in(
                1 + run.random.nextInt(SimulatedLinks.DELAY_MAX_MICROS),
                other.inThisStart(() -> other.hearTurns(told)));
    }

    private void hearTurns(Map<Integer, Long> told) {
        boolean isNews = false;
        for (Map.Entry<Integer, Long> each : told.entrySet()) {
            isNews |= each.getValue() > turns.getOrDefault(each.getKey(), 0L);
            turns.merge(each.getKey(), each.getValue(), Math::max);
        }
        if (isNews) {
            turn(server, false);
            linked.keySet().forEach(each -> turn(each, false));
            onTurned();
        }
    }

    /** Hands its sessions over; it may be asked once in a start. */
    void leave(Consumer<Drained> whenOver) {
        takeovers.leave(whenOver);
    }

    void crash() {
        up = false;
        changedAt = run.scheduler.micros();
        run.links.down(server);
        sessions.crash();
    }

    /** Makes a task one that does nothing when the node has died meanwhile. */
    Runnable inThisStart(Runnable task) {
        NodeStart of = self;
        return () -> {
            if (up && self.equals(of)) {
                task.run();
            }
        };
    }

    private void tick() {
        run.scheduler.background(
                100_000,
                inThisStart(() -> {
                    takeovers.tick(run.scheduler.monotonicMs());
                    sessions.pull();
                    tick();
                }));
    }

    /** Slices of what is to be told. */
    void turn() {
        run.scheduler.in(
                run.random.nextInt(2_000),
                inThisStart(() -> {
                    if (takeovers.hasMore()) {
                        takeovers.more();
                        turn();
                    }
                }));
    }

    /** One of the linked nodes, in an order that all nodes know. */
    private int anchor(int slot, int rank) {
        int[] order = orders[slot];
        if (order == null) {
            List<Integer> all = new ArrayList<>(linked.keySet());
            all.add(server);
            all.sort((a, b) -> Integer.compare(weight(b, slot), weight(a, slot)));
            order = all.stream().mapToInt(Integer::intValue).toArray();
            orders[slot] = order;
        }
        return rank < order.length ? order[rank] : Anchors.NOBODY;
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

    boolean hasBeenUp(long micros) {
        return up && run.scheduler.micros() - changedAt >= micros;
    }

    /** Whether the anchors have heard how it stands with what it keeps, dead or not. */
    boolean hasTold(ModelSession kept) {
        return up || changedAt - disk.stoodAt(kept) > SimulatedLinks.DELAY_MAX_MICROS;
    }

    boolean isLinked(int peer) {
        return linked.containsKey(peer);
    }

    @Override
    public void onLinked(NodeStart peer) {
        run.note("%s is linked to %s", self, peer);
        linked.put(peer.server(), peer);
        Arrays.fill(orders, null);
        if (turn(peer.server(), false)) {
            onTurned();
        } else if (!turns.isEmpty()) {
            tellTurns(peer.server());
        }
        takeovers.linked(peer);
        turn();
    }

    @Override
    public void onUnlinked(NodeStart peer) {
        run.note("%s is not linked to %s", self, peer);
        linked.remove(peer.server());
        Arrays.fill(orders, null);
        takeovers.unlinked(peer);
        turn();
    }

    @Override
    public void onMessage(NodeStart from, TakeoverMessage message) {
        switch (message) {
            case TakeoverMessage.Tell tell ->
                    run.note("%s hears from %s of %s", self, from, tell.told());
            case TakeoverMessage.Keep keep ->
                    run.note("%s keeps what %s says of %s", self, from, keep.told());
            case TakeoverMessage.Withdraw withdraw ->
                    run.note("%s hears from %s of another anchor", self, from);
            default -> run.note("%s hears from %s: %s", self, from, message);
        }
        takeovers.onMessage(from, message);
        if (takeovers.hasMore()) {
            turn();
        }
    }
}
