package io.godwit.cluster.registration;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.auth.Security.SessionOwner;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Will;
import io.godwit.core.takeover.ClaimingUser;
import io.godwit.core.time.Timer;
import io.godwit.core.time.TimerWheel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One start of a node: its shards, its registrar and its table of leaders. */
final class ModelNode {
    private static final int DISK_MICROS = 5_000;

    /** A leader has been out of reach for so long when another node stands in. */
    private static final int STAND_IN_MICROS = 2_000_000;

    /** A node that has ended is known to have after so long. */
    private static final int ENDED_MICROS = 700_000;

    final RegistrationSimulation simulation;
    final int server;
    final NodeStart self;
    final int shards;
    final NodeRegistration registration;
    final ModelRegistrar registrar = new ModelRegistrar(this);
    final List<ModelConnection> connections = new ArrayList<>();

    /** On disk: connections whose Wills are not known to be published, or not to be. */
    final Set<ModelConnection> keptWills = new LinkedHashSet<>();

    private final List<ModelShard> all = new ArrayList<>();

    /** The table, on disk. */
    final Map<Integer, Leader> table;

    private final Set<Integer> acting = new HashSet<>();

    /** By server id: since when others are out of reach. */
    private final Map<Integer, Long> awaySince = new TreeMap<>();

    /** By slot, as shards were told last. */
    private final Map<Integer, Reach> reaches = new TreeMap<>();

    private final Set<NodeStart> everLinked = new HashSet<>();
    private final long startedAt;
    boolean isUp = true;
    private long endedAt;

    /** Whether clients may connect: it has met all others that are up, or waited for them. */
    boolean isServing;

    ModelNode(
            RegistrationSimulation simulation,
            NodeStart self,
            int shards,
            Map<Integer, Leader> disk) {
        this.simulation = simulation;
        this.server = self.server();
        this.self = self;
        this.shards = shards;
        this.table = new TreeMap<>(disk);
        this.startedAt = simulation.scheduler.micros();
        this.registration =
                new NodeRegistration(
                        self,
                        RegistrationSimulation.TIMES,
                        simulation.hasUsers ? SessionOwner.USER : SessionOwner.ANYONE,
                        new ShardMail() {
                            @Override
                            public int shards() {
                                return shards;
                            }

                            @Override
                            public void execute(int shard, Runnable task) {
                                all.get(shard).mail(task);
                            }
                        });
        for (int i = 0; i < shards; i++) {
            all.add(new ModelShard(i));
        }
    }

    void start() {
        simulation.links.up(this);
        tick();
        BitSet slots = simulation.slots;
        for (ModelShard each : all) {
            each.mail(() -> each.changed(slots));
        }
        for (ModelConnection each : List.copyOf(keptWills)) {
            in(1, () -> each.passEarlierWill(this));
        }
    }

    void kill() {
        endedAt = simulation.scheduler.micros();
        isUp = false;
        List.copyOf(connections).forEach(ModelConnection::kill);
        simulation.links.down(this);
    }

    ModelShard shard(int shard) {
        return all.get(shard);
    }

    /** Returns the time of this node's clock; the clocks of nodes have nothing in common. */
    long localMs(long micros) {
        return micros / 1000 + server * 1_234_567_890L;
    }

    /** Returns the time, to the millisecond, of a time of this node's clock. */
    long microsAt(long localMs) {
        return (localMs - localMs(0)) * 1000;
    }

    ModelConnection connect(
            int shard,
            ClientId clientId,
            boolean isClean,
            boolean isDurable,
            long connectedMicros,
            @Nullable String user) {
        ModelConnection made =
                new ModelConnection(
                        this, shard, clientId, isClean, isDurable, connectedMicros, user);
        connections.add(made);
        all.get(shard)
                .mail(() -> {
                    if (!made.isOver) {
                        made.ask();
                    }
                });
        return made;
    }

    void in(long micros, Runnable task) {
        simulation.scheduler.in(
                micros,
                () -> {
                    if (isUp) {
                        task.run();
                    }
                });
    }

    /** Within milliseconds. */
    void soon(Runnable task) {
        in(1 + simulation.random.nextInt(8_000), task);
    }

    void turn(int shard, Runnable task) {
        all.get(shard).turn(task);
    }

    private void tick() {
        simulation.scheduler.background(
                100_000,
                () -> {
                    if (isUp) {
                        lead();
                        lookAtReach();
                        for (ModelShard each : all) {
                            each.turn(() -> each.wheel.advance(each.nowMs()));
                            each.turn(() -> each.registration.onTick(100, this::knowsEnded));
                        }
                        connections.removeIf(each -> each.isOver);
                        tick();
                    }
                });
    }

    /** Whether the address of another node refuses connections, and that was noticed. */
    private boolean knowsEnded(int other) {
        ModelNode of = simulation.node(other);
        return !of.isUp
                && simulation.knowsEnded
                && simulation.scheduler.micros() - of.endedAt > ENDED_MICROS;
    }

    // ---------------------------------------------------------------- leadership

    void linked(ModelNode peer) {
        everLinked.add(peer.self);
        awaySince.remove(peer.server); // Also when it is cut off again before the next tick.
        table.forEach((slot, row) -> tell(peer, slot, row));
    }

    private void tell(ModelNode to, int slot, Leader row) {
        in(
                simulation.random.nextInt(60_000),
                () -> {
                    ModelNode now = simulation.node(to.server);
                    if (now.isUp && simulation.links.isLinked(server, now.server)) {
                        now.hear(slot, row);
                    } else if (now.isUp) {
                        tell(to, slot, row);
                    } // else: told when it is linked
                });
    }

    void hear(int slot, Leader row) {
        if (ModelLeadership.isHigher(row, table.get(slot))) {
            table.put(slot, row);
            acting.remove(slot);
            for (int i = 1; i <= simulation.nodeCount(); i++) {
                if (i != server) {
                    tell(simulation.node(i), slot, row);
                }
            }
            changed(slot);
        }
    }

    private void changed(int slot) {
        BitSet slots = new BitSet();
        slots.set(slot);
        Leader row = table.get(slot);
        boolean isActing = acting.contains(slot);
        Reach reach = reach(slot, row);
        reaches.put(slot, reach);
        for (ModelShard each : all) {
            each.mail(() -> each.learn(slot, row, isActing, reach, slots));
        }
    }

    /** Whether a slot's leader is heard, and who stands in for it. */
    private record Reach(boolean isLed, @Nullable NodeStart standIn) {
        static final Reach UNKNOWN = new Reach(false, null);
    }

    private void lookAtReach() {
        for (int i = 1; i <= simulation.nodeCount(); i++) {
            if (i == server || simulation.links.areLive(server, i)) {
                awaySince.remove(i);
            } else {
                awaySince.putIfAbsent(i, simulation.scheduler.micros());
            }
        }
        List.copyOf(table.entrySet())
                .forEach(each -> {
                    if (!reach(each.getKey(), each.getValue()).equals(reaches.get(each.getKey()))) {
                        changed(each.getKey());
                    }
                });
    }

    private Reach reach(int slot, @Nullable Leader row) {
        if (row == null || acting.contains(slot)) {
            return new Reach(row != null, null);
        }
        int by = row.node().server();
        Long since = awaySince.get(by);
        if (by == server || since == null) {
            return new Reach(by != server && row.node().equals(simulation.node(by).self), null);
        }
        boolean isLong = simulation.scheduler.micros() - since >= STAND_IN_MICROS;
        return new Reach(false, isLong ? firstLive(slot) : null);
    }

    private NodeStart firstLive(int slot) {
        for (int i = 0; i < simulation.nodeCount(); i++) {
            int at = 1 + (slot + i) % simulation.nodeCount();
            if (at != server && !awaySince.containsKey(at)) {
                return simulation.node(at).self;
            }
            if (at == server) {
                return self;
            }
        }
        return self;
    }

    /** Acts, or takes the next epoch, for the slots whose row names this server. */
    private void lead() {
        boolean hasHeardAll =
                simulation.scheduler.micros() - startedAt
                        > RegistrationSimulation.TIMES.peerTimeoutMs() * 1000;
        hasHeardAll |=
                simulation.upNodes().stream()
                        .allMatch(each -> each == this || everLinked.contains(each.self));
        isServing |= hasHeardAll;
        for (Map.Entry<Integer, Leader> each : List.copyOf(table.entrySet())) {
            int slot = each.getKey();
            Leader row = each.getValue();
            if (!hasHeardAll || row.node().server() != server || acting.contains(slot)) {
                continue;
            }
            if (!row.node().equals(self)) {
                hear(slot, new Leader(self, row.changes() + 1));
            } else {
                in(
                        DISK_MICROS,
                        () -> {
                            if (row.equals(table.get(slot)) && acting.add(slot)) {
                                changed(slot);
                            }
                        });
            }
        }
    }

    /** Gives a slot to another node, if nothing uses it. */
    void give(int slot, ModelNode to) {
        Leader row = table.get(slot);
        if (row == null || !acting.contains(slot) || registrar.hasDurableIn(slot)) {
            return;
        }
        BitSet slots = new BitSet();
        slots.set(slot);
        turn(
                slot % shards,
                () -> {
                    boolean isFree =
                            !all.get(slot % shards)
                                    .registration()
                                    .registry()
                                    .giveUp(slots)
                                    .isEmpty();
                    if (isFree) {
                        simulation.count("given");
                        in(DISK_MICROS, () -> hear(slot, new Leader(to.self, row.changes() + 1)));
                    }
                });
    }

    // ---------------------------------------------------------------- a shard

    /** A shard with its mailbox, its timers and its view of the leaders. */
    final class ModelShard implements ShardTurns, Leaders, LocalClaims, RegistrationAccount {
        final int index;
        final TimerWheel wheel = new TimerWheel(100, nowMs());
        private final ArrayDeque<Runnable> turnEnds = new ArrayDeque<>();
        private final Map<Integer, Leader> view = new TreeMap<>();
        private final Set<Integer> viewActing = new HashSet<>();
        private final Map<Integer, Reach> viewReach = new TreeMap<>();
        private final ShardRegistration registration;
        private boolean isInTurn;
        private long lastAt;

        /** Bytes that registrations are charged with. */
        private long charged;

        ModelShard(int index) {
            this.index = index;
            view.putAll(table);
            registration =
                    ModelNode.this.registration.add(
                            this, this, new ModelOpener(ModelNode.this, index), this, this);
        }

        ShardRegistration registration() {
            return registration;
        }

        void mail(Runnable task) {
            long at = simulation.scheduler.micros() + 1 + simulation.random.nextInt(300);
            lastAt = Math.max(at, lastAt);
            in(lastAt - simulation.scheduler.micros(), () -> turn(task));
        }

        void turn(Runnable task) {
            if (!isUp) {
                return;
            }
            if (isInTurn) {
                task.run();
                return;
            }
            isInTurn = true;
            task.run();
            for (Runnable next = turnEnds.poll(); next != null; next = turnEnds.poll()) {
                next.run();
            }
            isInTurn = false;
        }

        void learn(int slot, @Nullable Leader row, boolean isActing, Reach reach, BitSet slots) {
            viewReach.put(slot, reach);
            if (row != null) {
                view.put(slot, row);
                if (!row.node().equals(self)) {
                    registrar.setAside(slot); // Before others are told what is registered here.
                }
            }
            if (isActing) {
                viewActing.add(slot);
            } else {
                viewActing.remove(slot);
            }
            changed(slots);
        }

        void changed(BitSet slots) {
            registration.onLeadersChanged(slots);
        }

        @Override
        public long nowMs() {
            return localMs(simulation.scheduler.micros());
        }

        @Override
        public void arm(Timer timer, long deadlineMs) {
            wheel.arm(timer, deadlineMs);
        }

        @Override
        public void cancel(Timer timer) {
            wheel.cancel(timer);
        }

        @Override
        public void atTurnEnd(Runnable task) {
            turnEnds.add(task);
        }

        @Override
        public @Nullable Leader leader(int slot) {
            return view.get(slot);
        }

        @Override
        public boolean isLed(int slot) {
            return viewReach.getOrDefault(slot, Reach.UNKNOWN).isLed();
        }

        @Override
        public @Nullable Leader standIn(int slot) {
            NodeStart by = viewReach.getOrDefault(slot, Reach.UNKNOWN).standIn();
            Leader of = view.get(slot);
            return by == null || of == null ? null : new Leader(by, of.changes(), true);
        }

        @Override
        public boolean isActing(int slot) {
            return viewActing.contains(slot);
        }

        @Override
        public byte[] row(int slot) {
            return ModelLeadership.write(slot, view.get(slot));
        }

        @Override
        public void merge(byte[] row) {
            Leader leader = ModelLeadership.read(row);
            if (leader != null) {
                soon(() -> hear(ModelLeadership.slot(row), leader));
            }
        }

        @Override
        public void endOrFind(
                ClientId clientId, boolean cleanStart, @Nullable ClaimingUser by, Answer then) {
            registrar.endOrFind(clientId, cleanStart, by, then);
        }

        @Override
        public boolean mayTake(ClientId clientId, ClaimingUser by) {
            ModelRegistrar.Session session = registrar.sessions.get(clientId);
            return session == null || by.mayTake(session.owner);
        }

        @Override
        public boolean isConnected(ClientId clientId) {
            return registrar.isConnected(clientId);
        }

        @Override
        public void endOlder(
                ClientId clientId, long grantedAt, @Nullable ClaimingUser by, Stays then) {
            registrar.endOlder(clientId, grantedAt, by, then);
        }

        @Override
        public void publishWill(ClientId clientId, Will will, Runnable whenKept) {
            simulation.published(ModelNode.this, will);
            soon(() -> turn(whenKept));
        }

        @Override
        public long grantClock() {
            return simulation.stamp();
        }

        @Override
        public boolean hasSession(ClientId clientId) {
            return registrar.sessions.containsKey(clientId);
        }

        @Override
        public void registered(long change) {
            charged += change;
        }

        @Override
        public boolean mayRegister(long bytes) {
            return true;
        }

        @Override
        public void refused() {}

        @Override
        public void grantedByStandIn() {
            simulation.count("granted by a stand-in");
        }
    }

    /** Bytes that the registrations of all shards are charged with. */
    long charged() {
        return all.stream().mapToLong(each -> each.charged).sum();
    }

    void onEachShard(Consumer<ShardRegistration> task) {
        all.forEach(each -> task.accept(each.registration()));
    }
}
