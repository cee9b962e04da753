package io.godwit.cluster.broker;

import io.godwit.cluster.leadership.SlotLeaders;
import io.godwit.cluster.registration.LocalClaims;
import io.godwit.cluster.registration.NodeRegistration;
import io.godwit.cluster.registration.RegistrationAccount;
import io.godwit.cluster.registration.RemoteOpener;
import io.godwit.cluster.registration.ShardRegistration;
import io.godwit.cluster.registration.ShardTurns;
import io.godwit.cluster.remote.Acceptor;
import io.godwit.cluster.remote.Buffers;
import io.godwit.cluster.remote.ChannelContext;
import io.godwit.cluster.remote.ConnectFormat;
import io.godwit.cluster.remote.Opening;
import io.godwit.cluster.remote.RemoteChannels;
import io.godwit.cluster.remote.RemoteConnections;
import io.godwit.cluster.transport.LinkSettings;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.connection.AuthenticatedConnect;
import io.godwit.core.connection.Placement;
import io.godwit.core.connection.Wire;
import io.godwit.core.connection.WireListener;
import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridId;
import io.godwit.core.load.ShardLoad;
import io.godwit.core.metrics.Metric;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Will;
import io.godwit.core.session.Session;
import io.godwit.core.shard.Sliced;
import io.godwit.core.takeover.Claimant;
import io.godwit.core.takeover.ClaimingUser;
import io.godwit.core.time.Timer;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The clients of one shard in a cluster, wired: which node serves those that connect here, and
 * those of other nodes that this shard serves. On the shard's thread, but for the constructor.
 */
final class ShardClients {
    private static final ConnectFormat FORMAT =
            new ConnectFormat() {
                @Override
                public void write(AuthenticatedConnect connect, ByteWriter to) {
                    connect.write(to);
                }

                @Override
                public AuthenticatedConnect read(ByteReader from) {
                    return AuthenticatedConnect.read(from);
                }
            };

    /** How many sessions without a connection become copies in one slice: 1.5 ms. */
    private static final int YIELDED_AT_ONCE = 100;

    private final BrokerShard shard;
    private final ShardLeaders leaders;
    private final RemoteChannels edge;
    private final RemoteConnections leader;
    private final LongSupplier observedClock;
    private final IntPredicate hasEnded;
    private final ShardRegistration registration;
    private long waitingBytes;

    /** Whether the node leaves: connections of other nodes are not taken any more. */
    private boolean isLeaving;

    /**
     * @param buffers that connections of clients at other nodes encode into
     * @param leaders as this shard knows them
     * @param observedClock the highest hybrid clock that another node has sent
     * @param hasEnded knows which nodes have ended, by server id
     * @param registrations of the node, to which this shard's are added
     */
    ShardClients(
            BrokerShard shard,
            int shards,
            ClusterTimes times,
            Buffers buffers,
            ShardLeaders leaders,
            LongSupplier observedClock,
            IntPredicate hasEnded,
            NodeRegistration registrations) {
        this.shard = shard;
        this.leaders = leaders;
        this.observedClock = observedClock;
        this.hasEnded = hasEnded;
        ChannelContext context =
                ChannelContext.of(shard, shards, FORMAT, buffers, times.peerTimeoutMs());
        edge = new RemoteChannels(context);
        leader = new RemoteConnections(context, new Accepting());
        registration =
                registrations.add(new Turns(), leaders, this::open, new Claims(), new Account());
    }

    RemoteChannels edge() {
        return edge;
    }

    RemoteConnections leader() {
        return leader;
    }

    Placement placement() {
        return registration.placement();
    }

    /** Begins to look at what has to be done in time. */
    void begin() {
        Timer timer =
                new Timer() {
                    @Override
                    protected void onTimer(long nowMs) {
                        edge.tick(nowMs);
                        leader.tick(nowMs);
                        registration.onTick(LinkSettings.TICK_MS, hasEnded);
                        long now = registration.waitingBytes();
                        shard.load().peers(now - waitingBytes);
                        waitingBytes = now;
                        shard.load().lastConnects(registration.connectBytes());
                        shard.timers().arm(this, nowMs + LinkSettings.TICK_MS);
                    }
                };
        shard.timers().arm(timer, shard.nowMs());
    }

    /** Takes no connections of other nodes any more: this node leaves. */
    void leave() {
        isLeaving = true;
    }

    // ---------------------------------------------------------------- slots

    /** Takes over who leads which slot now. */
    void onLeaders(SlotLeaders now) {
        BitSet before = leaders.acting();
        BitSet takenOver = new BitSet();
        Map<Integer, Integer> moved = leaders.moved(now, takenOver);
        BitSet changed = leaders.update(now);
        if (changed.isEmpty()) {
            return;
        }
        before.andNot(leaders.acting());
        if (!before.isEmpty()) {
            leader.closeSlots(before);
        }
        if (!moved.isEmpty()) {
            edge.onOtherLeaders(moved, takenOver);
        }
        registration.onLeadersChanged(changed);
    }

    /**
     * Returns the other node where a client of a slot that is led here is connected, with a
     * transient session; null: none is known.
     */
    @Nullable NodeStart edge(ClientId clientId) {
        return registration.registry().edge(clientId);
    }

    /** Adds the slots that have durable sessions, or claims under way. */
    void addSlotsInUse(BitSet to) {
        shard.takeover().registrar().addSlotsInUse(to);
    }

    /** Stops leading slots that nothing uses. Returns which ones of this shard that were. */
    BitSet giveUp(BitSet wanted) {
        BitSet inUse = new BitSet();
        addSlotsInUse(inUse);
        BitSet unused = (BitSet) wanted.clone();
        unused.andNot(inUse);
        return registration.registry().giveUp(unused);
    }

    /** Sets the durable sessions of slots aside. Returns how many of this shard's that were. */
    int setAside(BitSet slots) {
        List<Session> sessions = shard.takeover().registrar().sessionsIn(slots);
        sessions.forEach(shard.takeover()::setAside);
        return sessions.size();
    }

    /**
     * Makes the durable sessions of slots copies of another node's: at once those that have a
     * connection, which ends soon, and slice by slice the others.
     *
     * @param leader server id of that node
     * @param changes of their highest epoch
     * @param then told how many of this shard's there were, when all have been asked to
     */
    void yieldTo(BitSet slots, int leader, long changes, IntConsumer then) {
        Epoch epoch = new Epoch(changes, leader);
        List<Session> sessions = shard.takeover().registrar().sessionsIn(slots);
        ArrayDeque<Session> offline = new ArrayDeque<>();
        for (Session each : sessions) {
            if (each.isOnline()) {
                shard.takeover().yieldTo(each, epoch);
            } else {
                offline.add(each);
            }
        }
        Sliced rest =
                () -> {
                    for (int left = YIELDED_AT_ONCE; left > 0 && !offline.isEmpty(); left--) {
                        shard.takeover().yieldTo(offline.remove(), epoch);
                    }
                    if (offline.isEmpty()) {
                        then.accept(sessions.size());
                    }
                    return offline.isEmpty();
                };
        if (!rest.slice()) {
            shard.slice(rest);
        }
    }

    // ---------------------------------------------------------------- ways from room to room

    private RemoteOpener.Opening open(
            NodeStart to, AuthenticatedConnect connect, RemoteOpener.Answer answer) {
        Placement.Question channel =
                edge.open(
                        to,
                        connect,
                        new Opening() {
                            @Override
                            public void opened(Placement.Pipe pipe) {
                                answer.opened(pipe);
                            }

                            @Override
                            public void notLeader(byte[] row) {
                                answer.notLeader(row);
                            }

                            @Override
                            public void closed() {
                                answer.lost();
                            }

                            @Override
                            public void unreachable() {
                                answer.unreachable();
                            }

                            @Override
                            public void lost() {
                                answer.lost();
                            }
                        });
        return channel::withdraw;
    }

    private final class Accepting implements Acceptor {
        @Override
        public boolean leads(int slot) {
            return !isLeaving && registration.registry().leads(slot);
        }

        @Override
        public byte[] leaderRow(int slot) {
            return leaders.row(slot);
        }

        @Override
        public WireListener accept(AuthenticatedConnect connect, Wire wire) {
            return shard.accept(connect, wire);
        }

        @Override
        public void onFault() {
            shard.counters().increment(Metric.FAULTS);
        }
    }

    /** Claims client ids for connections at other nodes. */
    private final class Claims implements LocalClaims {
        @Override
        public void endOrFind(
                ClientId clientId, boolean cleanStart, @Nullable ClaimingUser by, Answer then) {
            shard.takeover().claim(clientId, cleanStart, by, new Claim(then));
        }

        @Override
        public boolean mayTake(ClientId clientId, ClaimingUser by) {
            Session session = shard.takeover().registrar().find(clientId);
            return session == null || session.isEnded() || by.mayTake(session.life().ownerName());
        }

        @Override
        public boolean isConnected(ClientId clientId) {
            Session session = shard.takeover().registrar().find(clientId);
            return session != null && session.isOnline();
        }

        @Override
        public boolean hasSession(ClientId clientId) {
            return shard.takeover().registrar().find(clientId) != null;
        }

        @Override
        public void endOlder(
                ClientId clientId, long grantedAt, @Nullable ClaimingUser by, Stays then) {
            // Lifts the clock: every later CONNECT here gets a higher stamp than the grant.
            shard.ids().observe(new HybridId(grantedAt, 0));
            shard.takeover().endOlderThan(clientId, grantedAt, by, new EndOlder(then));
        }

        @Override
        public void publishWill(ClientId clientId, Will will, Runnable whenKept) {
            shard.publishWillOf(clientId, will, whenKept);
        }

        @Override
        public long grantClock() {
            shard.ids().observe(new HybridId(observedClock.getAsLong(), 0));
            return shard.ids().stamp().clock();
        }
    }

    /** Charges registrations as what is known of other nodes' sessions. */
    private final class Account implements RegistrationAccount {
        private final ShardLoad load = shard.load();

        @Override
        public void registered(long change) {
            load.sessionBytes(change);
        }

        @Override
        public boolean mayRegister(long bytes) {
            return load.mayRegister(bytes);
        }

        @Override
        public void refused() {
            shard.counters().increment(Metric.REFUSED_SESSIONS);
        }

        @Override
        public void grantedByStandIn() {
            shard.counters().increment(Metric.GRANTED_BY_STAND_IN);
        }
    }

    /** Takes a client id, and leaves what outlives its connection where it is. */
    private static final class Claim implements Claimant {
        private final LocalClaims.Answer then;

        Claim(LocalClaims.Answer then) {
            this.then = then;
        }

        @Override
        public @Nullable Session granted(@Nullable Session existing) {
            // A transient one has ended with its connection.
            then.found(
                    existing == null
                            ? LocalClaims.Found.NOTHING
                            : LocalClaims.Found.DURABLE_SESSION);
            return existing;
        }

        @Override
        public void kept() {
            then.found(LocalClaims.Found.OF_ANOTHER_USER);
        }
    }

    /** Ends what is older, and leaves all else where it is. */
    private static final class EndOlder implements Claimant {
        private final LocalClaims.Stays then;

        EndOlder(LocalClaims.Stays then) {
            this.then = then;
        }

        @Override
        public @Nullable Session granted(@Nullable Session existing) {
            then.stays(false);
            return existing;
        }

        @Override
        public void kept() {
            then.stays(true);
        }
    }

    private final class Turns implements ShardTurns {
        @Override
        public long nowMs() {
            return shard.nowMs();
        }

        @Override
        public void arm(Timer timer, long deadlineMs) {
            shard.timers().arm(timer, deadlineMs);
        }

        @Override
        public void cancel(Timer timer) {
            shard.timers().cancel(timer);
        }

        @Override
        public void atTurnEnd(Runnable task) {
            shard.atTurnEnd(task::run);
        }
    }
}
