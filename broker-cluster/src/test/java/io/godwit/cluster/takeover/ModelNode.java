package io.godwit.cluster.takeover;

import io.godwit.cluster.transport.NodeStart;
import java.util.Map;
import java.util.function.Consumer;
import java.util.TreeMap;

/** A node of the model: real {@link Takeovers} over {@link ModelSessions}; it starts and dies. */
final class ModelNode implements SimulatedLinks.End {
    private final TakeoverSimulation run;
    final int server;
    final ModelDisk disk;
    final ModelSessions sessions;
    private final Map<Integer, NodeStart> linked = new TreeMap<>();
    private long starts;
    private NodeStart self;
    private boolean up;
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
        sessions.clear();
        linked.clear();
        takeovers =
                new Takeovers(
                        self,
                        this::first,
                        sessions,
                        (to, message) -> run.links.send(self, to, message),
                        () -> 1L << 30,
                        1_000,
                        run.rules);
        sessions.recover(takeovers);
        takeovers.anchorsChanged();
        run.links.up(this);
        tick();
        turn();
    }

    /** Hands its sessions over; it may be asked once in a start. */
    void leave(Consumer<Drained> whenOver) {
        takeovers.leave(whenOver);
    }

    void crash() {
        up = false;
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

    boolean isLinked(int peer) {
        return linked.containsKey(peer);
    }

    @Override
    public void onLinked(NodeStart peer) {
        run.note("%s is linked to %s", self, peer);
        linked.put(peer.server(), peer);
        takeovers.linked(peer);
        turn();
    }

    @Override
    public void onUnlinked(NodeStart peer) {
        run.note("%s is not linked to %s", self, peer);
        linked.remove(peer.server());
        takeovers.unlinked(peer);
        turn();
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
}
