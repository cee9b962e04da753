package io.godwit.cluster.registration;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.Resumed;
import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Security.SessionOwner;
import io.godwit.core.connection.AuthenticatedConnect;
import io.godwit.core.connection.Placement;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Will;
import io.godwit.core.takeover.ClaimingUser;
import io.godwit.core.time.Timer;
import io.godwit.core.time.TimerWheel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The registrations of a node with one shard, node 1 of three, and all that they use. */
final class OneShard
        implements ShardTurns, Leaders, LocalClaims, RemoteOpener, RegistrationAccount {
    static final NodeStart SELF = new NodeStart(1, 1);
    static final NodeStart TWO = new NodeStart(2, 1);
    static final NodeStart THREE = new NodeStart(3, 1);
    static final RegistrationTimes TIMES = new RegistrationTimes(5_000, 10_000, 0);
    static final ClientId ID = ClientId.of("client");

    final ShardRegistration shard;
    final TestPeer two = new TestPeer(TWO, 1);
    final TestPeer three = new TestPeer(THREE, 2);

    /** What has happened here, in words. */
    final List<String> happened = new ArrayList<>();

    private final TimerWheel wheel = new TimerWheel(100, 0);
    private final ArrayDeque<Runnable> turnEnds = new ArrayDeque<>();
    private long nowMs;
    @Nullable Leader leader;
    boolean isActing;

    /** Whether the leader leads all slots, not only that of the one client id. */
    boolean isLeaderOfAll;

    boolean isDurableHere;

    /**
     * Names the user of the session that the client id has here; null: nobody's, or there is none.
     */
    @Nullable String ownerHere;

    /** Who stands in for the leader; null: nobody. */
    @Nullable NodeStart standIn;

    /** Whether the client id has a session here that is not connected. */
    boolean isOfflineHere;

    /** Stamp of the next grant. */
    long grantClock = 700;

    int grantedByStandIn;

    /** Bytes that registrations are charged with, and may be charged with. */
    long charged;

    long chargedMax = Long.MAX_VALUE;
    int refused;
    final ArrayDeque<LocalClaims.Answer> claims = new ArrayDeque<>();
    final ArrayDeque<Runnable> kept = new ArrayDeque<>();

    /** Servers whose addresses refuse connections. */
    final Set<Integer> ended = new HashSet<>();

    final ArrayDeque<Stays> ending = new ArrayDeque<>();
    RemoteOpener.@Nullable Answer opening;

    /** Whether there is no link when a connection is to be opened. */
    boolean isUnreachable;

    OneShard() {
        this(SessionOwner.ANYONE);
    }

    OneShard(SessionOwner sessionOwner) {
        shard =
                new ShardRegistration(
                        SELF,
                        0,
                        1,
                        TIMES,
                        sessionOwner,
                        this,
                        this,
                        this,
                        this,
                        this,
                        (to, all) -> own(all));
    }

    private void own(List<RegistrationMessage> messages) {
        shard.onMessages(SELF, messages);
    }

    /** Links both other nodes. */
    OneShard linked() {
        turn(() -> shard.onUp(two, Resumed.NOTHING));
        turn(() -> shard.onUp(three, Resumed.NOTHING));
        return this;
    }

    void turn(Runnable task) {
        task.run();
        for (Runnable next = turnEnds.poll(); next != null; next = turnEnds.poll()) {
            next.run();
        }
    }

    void from(NodeStart node, RegistrationMessage message) {
        turn(() -> shard.onMessages(node, List.of(message)));
    }

    /** Lets time pass, in steps of a shard's timers. */
    void pass(long ms) {
        for (long end = nowMs + ms; nowMs < end; ) {
            nowMs += 100;
            turn(() -> wheel.advance(nowMs));
            turn(() -> shard.onTick(100, ended::contains));
        }
    }

    void leader(NodeStart node, long changes, boolean acting) {
        leader = new Leader(node, changes);
        isActing = acting;
        turn(() -> shard.onLeadersChanged(slots()));
    }

    /** Another node leads all slots. */
    void leaderOfAll(NodeStart node, long changes) {
        leader = new Leader(node, changes);
        isLeaderOfAll = true;
        BitSet slots = new BitSet();
        slots.set(0, ClientId.SLOTS);
        turn(() -> shard.onLeadersChanged(slots));
    }

    /** This node leads, and the others have told that they have nothing. */
    OneShard leads() {
        leader(SELF, 1, true);
        told(TWO);
        told(THREE);
        return this;
    }

    /** The leader is out of reach, and a node stands in; null: the leader is heard again. */
    void standIn(@Nullable NodeStart node) {
        standIn = node;
        turn(() -> shard.onLeadersChanged(slots()));
    }

    void told(NodeStart node, RegistrationMessage.Registration... all) {
        from(node, telling(all));
    }

    /** A node tells this one as the stand-in. */
    void toldStandIn(NodeStart node, RegistrationMessage.Registration... all) {
        from(node, new RegistrationMessage.OfStandIn(telling(all)));
    }

    private RegistrationMessage telling(RegistrationMessage.Registration... all) {
        long changes = leader == null ? 0 : leader.changes();
        return new RegistrationMessage.Registered(0, 1, changes, List.of(ID.slot()), List.of(all));
    }

    static BitSet slots() {
        BitSet slots = new BitSet();
        slots.set(ID.slot());
        return slots;
    }

    /** A connection of this node asks for its place. */
    Asked ask(boolean isDurable) {
        return ask(ID, isDurable, new Asked());
    }

    Asked ask(ClientId clientId, boolean isDurable, Asked asked) {
        return ask(clientId, isDurable, nowMs, asked);
    }

    /** A connection of this node that has a Will asks for its place. */
    Asked askWith(Will will) {
        return ask(ID, false, nowMs, new Asked(), will, null);
    }

    /** A connection of a user at this node asks for its place; null: anonymous. */
    Asked askBy(@Nullable String user) {
        return ask(ID, false, nowMs, new Asked(), null, user);
    }

    Asked ask(ClientId clientId, boolean isDurable, long connectedMs, Asked asked) {
        return ask(clientId, isDurable, connectedMs, asked, null, null);
    }

    private Asked ask(
            ClientId clientId,
            boolean isDurable,
            long connectedMs,
            Asked asked,
            @Nullable Will will,
            @Nullable String user) {
        AuthenticatedConnect connect =
                new AuthenticatedConnect(
                        new Packet.Connect(
                                ProtocolVersion.MQTT_5,
                                clientId,
                                true,
                                60,
                                will,
                                null,
                                null,
                                false,
                                Properties.NONE),
                        false,
                        isDurable ? 60 : 0,
                        null,
                        new Peer("127.0.0.1:1", true, "tcp"),
                        Identity.ofUser(user),
                        connectedMs);
        turn(() -> asked.question = shard.placement().ask(connect, asked));
        return asked;
    }

    final class Asked implements Placement.Asking {
        Placement.@Nullable Question question;
        Placement.@Nullable Stay stay;
        @Nullable ReasonCode reason;

        @Override
        public void here(Placement.Stay granted) {
            happened.add("here");
            stay = granted;
        }

        @Override
        public void elsewhere(Placement.Pipe pipe) {
            happened.add("elsewhere");
        }

        @Override
        public void refused(ReasonCode why, String text) {
            happened.add("refused: " + text);
            reason = why;
        }

        @Override
        public void endUnanswered(String text) {
            happened.add("ended without an answer");
        }

        @Override
        public void endTakenOver() {
            happened.add("taken over");
        }

        @Override
        public void endElsewhere() {
            happened.add("led elsewhere");
        }
    }

    // ---------------------------------------------------------------- what registrations use

    /** Bytes that are in use once what nobody refers to is gone. */
    static long heap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    @Override
    public long nowMs() {
        return nowMs;
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
        return isLeaderOfAll || slot == ID.slot() ? leader : null;
    }

    @Override
    public boolean isLed(int slot) {
        return leader != null && standIn == null;
    }

    @Override
    public @Nullable Leader standIn(int slot) {
        NodeStart by = standIn;
        Leader of = leader(slot);
        return by == null || of == null ? null : new Leader(by, of.changes(), true);
    }

    @Override
    public boolean isActing(int slot) {
        return isActing;
    }

    @Override
    public byte[] row(int slot) {
        return new byte[] {7};
    }

    @Override
    public void merge(byte[] row) {
        happened.add("merged row " + row[0]);
    }

    @Override
    public void endOrFind(
            ClientId clientId,
            boolean cleanStart,
            @Nullable ClaimingUser by,
            LocalClaims.Answer then) {
        happened.add((cleanStart ? "end at registrar" : "find at registrar") + suffix(by));
        claims.add(then);
    }

    private static String suffix(@Nullable ClaimingUser by) {
        return by == null ? "" : " by " + by.name();
    }

    @Override
    public boolean mayTake(ClientId clientId, ClaimingUser by) {
        return by.mayTake(ownerHere);
    }

    /** The registrar answers the claim under way. */
    void registrarAnswers(boolean hasDurableSession) {
        registrarAnswers(hasDurableSession ? Found.DURABLE_SESSION : Found.NOTHING);
    }

    void registrarAnswers(Found found) {
        turn(() -> claims.remove().found(found));
    }

    @Override
    public boolean isConnected(ClientId clientId) {
        return isDurableHere;
    }

    @Override
    public void endOlder(ClientId clientId, long grantedAt, @Nullable ClaimingUser by, Stays then) {
        happened.add("end if older than " + grantedAt + suffix(by));
        ending.add(then);
    }

    /** The registrar answers whether a session stays that was to end if it is older. */
    void registrarEnds(boolean hasSession) {
        turn(() -> ending.remove().stays(hasSession));
    }

    @Override
    public void publishWill(ClientId clientId, Will will, Runnable whenKept) {
        happened.add("published " + will.topic());
        kept.add(whenKept);
    }

    /** It is kept that a Will is owed here. */
    void willIsKept() {
        turn(() -> kept.remove().run());
    }

    @Override
    public long grantClock() {
        return grantClock;
    }

    @Override
    public boolean hasSession(ClientId clientId) {
        return isDurableHere || isOfflineHere;
    }

    @Override
    public void registered(long change) {
        charged += change;
    }

    @Override
    public boolean mayRegister(long bytes) {
        return charged + bytes <= chargedMax;
    }

    @Override
    public void grantedByStandIn() {
        grantedByStandIn++;
    }

    @Override
    public void refused() {
        refused++;
    }

    @Override
    public Opening open(NodeStart at, AuthenticatedConnect connect, RemoteOpener.Answer answer) {
        happened.add("open at " + at);
        opening = answer;
        if (isUnreachable) {
            answer.unreachable();
        }
        return () -> happened.add("opening withdrawn");
    }
}
