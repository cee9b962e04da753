package io.godwit.cluster.registration;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.connection.AuthenticatedConnect;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Will;
import io.godwit.core.simulation.Scheduler;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that grant client ids, from one seed: clients that connect anywhere, sockets that end at
 * any moment, links that break or stand still, processes that end and come back, leaders that
 * change.
 *
 * <p>A client id has one connection at most, at any moment: strictly while links are back within
 * peer-timeout, else as soon as nodes are. While a leader is down, others stand in for it; a
 * session that it had before a clean start does not come back then. No CONNECT is accepted twice.
 * In the end nothing is left.
 *
 * <p>With users, each CONNECT is that of one of two, or anonymous. No connection and no session of
 * a user ends for a claim of another one, while nodes are in reach of each other; a stand-in does
 * not know the sessions of the leader, which outlive what it grants to others.
 */
final class RegistrationSimulation {
    static final RegistrationTimes TIMES = new RegistrationTimes(5_000, 10_000, 0);

    private static final int ACT_MICROS = 20_000_000;
    private static final int STORY = 4_000;

    private static final List<String> USERS = List.of("ann", "bob", "");

    /** A client id and one of its users. */
    private record Owned(ClientId clientId, @Nullable String user) {}

    /** What goes wrong. */
    enum Trouble {
        NONE,
        /** Links break and are back soon, processes end and come back, leaders change. */
        SHORT,
        /** Links break or stand still for long, too, and leaders are replaced that live. */
        LONG,
        /**
         * Nodes are cut off from all others for long, and end, but keep the slots that they lead.
         */
        CUT_OFF,
        /** Links break or stand still for moments, and hold CONNECTs back. */
        HELD_BACK,
        /** Nodes end and come back late, and clients connect seldom: their Wills are due. */
        EDGES_END
    }

    final Scheduler scheduler = new Scheduler();
    final SplittableRandom random;
    final ModelLinks links;
    final BitSet slots = new BitSet();
    final Map<String, Integer> counts = new TreeMap<>();

    /** Whether leaders compare the stamps of their sessions with those of grants. */
    final boolean comparesStamps;

    /** Whether sessions belong to users. */
    final boolean hasUsers;

    private final SplittableRandom userRandom;

    private final Map<Owned, List<ModelConnection>> connectsOf = new HashMap<>();

    /** Whether nodes learn that another one has ended before it is back. */
    final boolean knowsEnded;

    private final ModelWills wills = new ModelWills(this);
    private final Trouble trouble;
    private final Map<Integer, ModelNode> nodes = new TreeMap<>();
    private final List<ClientId> clients = new ArrayList<>();

    /** Those that have durable sessions, too: their slots are seldom given. */
    private final Set<ClientId> durable = new HashSet<>();

    private final Map<ClientId, List<ModelConnection>> live = new HashMap<>();

    /** When each client has sent its last CONNECT, and the last one of those that were served. */
    private final Map<ClientId, Long> lastConnectAt = new HashMap<>();

    private final Map<ClientId, Long> lastServed = new HashMap<>();

    private final Map<ClientId, ModelConnection> lastLive = new HashMap<>();

    /** CONNECTs that leaders have accepted from other nodes. */
    private final Set<AuthenticatedConnect> accepted =
            Collections.newSetFromMap(new IdentityHashMap<>());

    private final ArrayDeque<String> story = new ArrayDeque<>();

    /** When a transient connection with Clean Start was live: older sessions are over then. */
    private final Map<Owned, Long> cleanAt = new HashMap<>();

    /** Slots taken from a leader that was down: it returns, and does not hear of it in time. */
    private final BitSet contested = new BitSet();

    /** Slots that were taken from leaders, whether these were down or not. */
    private final BitSet takenOver = new BitSet();

    private final Map<Long, Long> healedAt = new HashMap<>();
    private boolean isActing = true;
    private long lastStamp;
    private int unsure;
    private long unsureUntil;

    private RegistrationSimulation(
            long seed, Trouble trouble, boolean comparesStamps, boolean hasUsers) {
        this.trouble = trouble;
        this.comparesStamps = comparesStamps;
        this.hasUsers = hasUsers;
        userRandom = new SplittableRandom(~seed);
        this.knowsEnded = trouble == Trouble.EDGES_END || seed % 2 == 0;
        random = new SplittableRandom(seed * 0x9E37_79B9_7F4A_7C15L);
        links = new ModelLinks(scheduler, random.split(), TIMES.peerTimeoutMs());
        for (int i = 0; i < 1 + random.nextInt(5); i++) {
            ClientId id = ClientId.of("c" + i + "x" + random.nextInt(1000));
            clients.add(id);
            slots.set(id.slot());
            if (random.nextBoolean()) {
                durable.add(id);
            }
        }
        int count = 2 + random.nextInt(3);
        Map<Integer, Leader> founded = new TreeMap<>();
        slots.stream()
                .forEach(slot ->
                        founded.put(
                                slot, new Leader(new NodeStart(1 + random.nextInt(count), 1), 1)));
        for (int i = 1; i <= count; i++) {
            nodes.put(i, new ModelNode(this, new NodeStart(i, 1), 1 + random.nextInt(3), founded));
        }
    }

    /** Runs it; throws with its story when something is wrong. */
    static Map<String, Integer> run(long seed, Trouble trouble) {
        return new RegistrationSimulation(seed, trouble, true, false).counted(seed);
    }

    static Map<String, Integer> runWithoutStamps(long seed, Trouble trouble) {
        return new RegistrationSimulation(seed, trouble, false, false).counted(seed);
    }

    static Map<String, Integer> runWithUsers(long seed, Trouble trouble) {
        return new RegistrationSimulation(seed, trouble, true, true).counted(seed);
    }

    private Map<String, Integer> counted(long seed) {
        try {
            run();
            return counts;
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(
                    trouble + " seed " + seed + ": " + e + "\n" + String.join("\n", story), e);
        }
    }

    private void run() {
        List.copyOf(nodes.values()).forEach(ModelNode::start);
        until(1_000_000);
        clients.forEach(this::act);
        if (trouble != Trouble.CUT_OFF && trouble != Trouble.HELD_BACK) {
            change();
        }
        if (trouble != Trouble.NONE && trouble != Trouble.EDGES_END) {
            breakLinks();
        }
        if (trouble != Trouble.NONE && trouble != Trouble.HELD_BACK) {
            endProcesses();
        }
        until(ACT_MICROS);
        isActing = false;
        note("---- at rest");
        links.healAll();
        until(1_000_000);
        List.copyOf(nodes.values()).stream().filter(each -> !each.isUp).forEach(this::restart);
        until(25_000_000);
        check(unsure == 0, "something is broken still");
        live.values().forEach(each -> check(each.size() <= 1, "two connections at rest: " + each));
        onlyWhatIsLiveIsRegistered();
        wills.checkAllSettled();
        clients.forEach(this::twoAtOnce);
        until(6_000_000);
        clients.forEach(each ->
                check(connectionsOf(each) == 1, "not one connection of " + each + " at rest"));
        nodes.values()
                .forEach(node ->
                        List.copyOf(node.connections)
                                .forEach(each -> {
                                    note("close %s", each);
                                    each.close();
                                }));
        until(32_000_000);
        nodes.values().forEach(this::nothingIsLeft);
    }

    private void onlyWhatIsLiveIsRegistered() {
        int entries = 0;
        for (ModelNode node : nodes.values()) {
            for (int i = 0; i < node.shards; i++) {
                ShardRegistration of = node.shard(i).registration();
                check(of.placement().questions() == 0, "unanswered at rest at " + node.self);
                check(of.registry().claimed() == 0, "claims at rest at " + node.self);
                check(of.standIn().slots() == 0, "a stand-in at rest at " + node.self);
                check(of.standIn().size() == 0, "registered at a stand-in at " + node.self);
                entries += of.registry().size();
            }
        }
        long registered = 0;
        for (ClientId each : clients) {
            registered +=
                    live.getOrDefault(each, List.of()).stream()
                            .filter(ModelConnection::isRegisteredElsewhere)
                            .count();
        }
        check(entries == registered, entries + " entries for " + registered + " registered");
    }

    private void nothingIsLeft(ModelNode node) {
        node.onEachShard(each -> {
            check(each.placement().questions() == 0, "questions at " + node.self);
            check(each.placement().stays() == 0, "stays at " + node.self);
            check(each.placement().dueWills() == 0, "Wills wait at " + node.self);
            check(each.registry().size() == 0, "entries at " + node.self);
            check(each.registry().claimed() == 0, "claims at " + node.self);
            check(each.waitingBytes() == 0, "unsent bytes at " + node.self);
            check(each.connectBytes() == 0, "CONNECTs are remembered at " + node.self);
        });
        check(node.charged() == 0, "bytes are charged at " + node.self);
    }

    private void until(long micros) {
        long end = scheduler.micros() + micros;
        scheduler.in(micros, () -> {});
        while (scheduler.micros() < end && scheduler.step()) {}
    }

    /** Returns how long the answer of a leader that accepts a CONNECT takes; some are slow. */
    long openingMicros() {
        boolean isSlow = isActing && trouble != Trouble.NONE && random.nextInt(30) == 0;
        return 1L + random.nextInt(isSlow ? 6_000_000 : 8_000);
    }

    /** A leader accepts a CONNECT from another node. */
    void accepted(AuthenticatedConnect connect) {
        check(accepted.add(connect), "accepted twice: one CONNECT of " + connect.clientId());
    }

    static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }

    // ---------------------------------------------------------------- clients

    private void act(ClientId id) {
        scheduler.in(
                random.nextInt(trouble == Trouble.EDGES_END ? 8_000_000 : 600_000),
                () -> {
                    if (!isActing) {
                        return;
                    }
                    switch (random.nextInt(6)) {
                        case 0, 1 -> connect(id);
                        case 2 -> {
                            connect(id);
                            connect(id);
                        }
                        case 3 -> {
                            for (int i = 0; i < random.nextInt(14); i++) {
                                connect(id);
                            }
                        }
                        default -> closeSome(id);
                    }
                    act(id);
                });
    }

    private void connect(ClientId id) {
        List<ModelNode> serving = upNodes().stream().filter(each -> each.isServing).toList();
        if (serving.isEmpty()) {
            return;
        }
        ModelNode node = serving.get(random.nextInt(serving.size()));
        boolean isDurable = random.nextInt(3) == 0 && durable.contains(id);
        boolean isClean = random.nextBoolean();
        ModelConnection made = connect(node, id, isClean, isDurable, anyUser());
        note("%s connects%s", made, isClean ? " clean" : "");
        count("connects");
        if (random.nextInt(4) == 0) {
            node.in(random.nextInt(200_000), made::close);
        }
    }

    private ModelConnection connect(
            ModelNode node,
            ClientId id,
            boolean isClean,
            boolean isDurable,
            @Nullable String user) {
        return connect(node, random.nextInt(node.shards), id, isClean, isDurable, user);
    }

    private ModelConnection connect(
            ModelNode node,
            int shard,
            ClientId id,
            boolean isClean,
            boolean isDurable,
            @Nullable String user) {
        long now = scheduler.micros();
        lastConnectAt.put(id, now);
        ModelConnection made = node.connect(shard, id, isClean, isDurable, now, user);
        connectsOf.computeIfAbsent(new Owned(id, user), any -> new ArrayList<>()).add(made);
        return made;
    }

    private @Nullable String anyUser() {
        if (!hasUsers) {
            return null;
        }
        String name = USERS.get(userRandom.nextInt(USERS.size()));
        return name.isEmpty() ? null : name;
    }

    private void closeSome(ClientId id) {
        for (ModelNode node : nodes.values()) {
            for (ModelConnection each : List.copyOf(node.connections)) {
                if (each.clientId.equals(id) && random.nextInt(3) == 0) {
                    note("%s closes", each);
                    each.close();
                }
            }
        }
    }

    private void twoAtOnce(ClientId id) {
        String user = ownerOf(id);
        connectAtRest(id, user);
        connectAtRest(id, user);
    }

    /** Returns whose session a client id has somewhere; anyone's, if it has none. */
    private @Nullable String ownerOf(ClientId id) {
        for (ModelNode each : nodes.values()) {
            ModelRegistrar.Session session = each.registrar.sessions.get(id);
            if (session != null && session.owner != null) {
                return session.owner;
            }
        }
        return anyUser();
    }

    private void connectAtRest(ClientId id, @Nullable String user) {
        List<ModelNode> up = upNodes();
        ModelNode node = up.get(random.nextInt(up.size()));
        note("%s connects at rest to %s", id, node.self);
        int shard = random.nextInt(node.shards);
        connect(node, shard, id, random.nextBoolean(), random.nextBoolean(), user);
    }

    private long connectionsOf(ClientId id) {
        return live.getOrDefault(id, List.of()).size();
    }

    // ---------------------------------------------------------------- what happens

    /** Leaders change: given, or replaced because they are forgotten. */
    private void change() {
        scheduler.in(
                random.nextInt(500_000),
                () -> {
                    if (!isActing) {
                        return;
                    }
                    List<Integer> all = slots.stream().boxed().toList();
                    int slot = all.get(random.nextInt(all.size()));
                    List<ModelNode> up = upNodes();
                    ModelNode to = up.get(random.nextInt(up.size()));
                    for (ClientId each : clients) {
                        if (each.slot() == slot && random.nextBoolean()) {
                            scheduler.in(random.nextInt(30_000), () -> connect(each));
                        }
                    }
                    if (random.nextInt(5) > 0 || trouble == Trouble.EDGES_END) {
                        up.forEach(each -> {
                            if (each != to) {
                                each.give(slot, to);
                            }
                        });
                    } else {
                        takeOver(slot, to);
                    }
                    change();
                });
    }

    /** A node takes a slot whose leader is forgotten, or lives and hears of it later. */
    private void takeOver(int slot, ModelNode by) {
        Leader row = by.table.get(slot);
        if (row == null || row.node().equals(by.self)) {
            return;
        }
        note("---- %s takes slot %s of %s", by.self, slot, row);
        count("taken over");
        takenOver.set(slot);
        if (!node(row.node().server()).isUp) {
            contested.set(slot);
            cleanAt.keySet().removeIf(each -> each.clientId.slot() == slot);
        }
        // As far as Leadership does, which may not know what the leader gives away meanwhile.
        by.hear(slot, new Leader(by.self, row.changes() + (1 << 20)));
    }

    private void breakLinks() {
        scheduler.in(
                random.nextInt(2_000_000),
                () -> {
                    if (!isActing) {
                        return;
                    }
                    int a = 1 + random.nextInt(nodes.size());
                    int b = 1 + random.nextInt(nodes.size());
                    if (trouble == Trouble.CUT_OFF) {
                        cutOff(a);
                    } else if (a != b) {
                        breakLink(Math.min(a, b), Math.max(a, b));
                    }
                    breakLinks();
                });
    }

    /** Cuts a node off from all others, which may stand in for it then. */
    private void cutOff(int node) {
        if (unsure > 0) {
            return;
        }
        long micros = 1_000_000L + random.nextInt(8_000_000);
        note("---- cut off %s for %s", node, micros / 1000);
        count("cut off");
        unsureFor(micros);
        for (int i = 1; i <= nodes.size(); i++) {
            int other = i;
            if (other != node) {
                links.cut(node, other);
                scheduler.in(micros, () -> links.heal(node, other));
            }
        }
    }

    private void breakLink(int a, int b) {
        long pair = (long) a << 32 | b;
        if (healedAt.getOrDefault(pair, 0L) > scheduler.micros() - 1_500_000) {
            return;
        }
        boolean isLong = trouble == Trouble.LONG && random.nextInt(3) == 0;
        long micros = random.nextInt(isLong ? 9_000_000 : 1_500_000);
        healedAt.put(pair, scheduler.micros() + micros);
        if (isLong) {
            unsureFor(micros);
        }
        if (random.nextInt(3) == 0) {
            note("---- %s and %s stand still for %s", a, b, micros / 1000);
            count("stalls");
            links.stall(a, b, micros);
        } else {
            note("---- cut %s and %s for %s", a, b, micros / 1000);
            count("cuts");
            links.cut(a, b);
            scheduler.in(micros, () -> links.heal(a, b));
        }
    }

    private void endProcesses() {
        scheduler.in(
                random.nextInt(6_000_000),
                () -> {
                    List<ModelNode> up = upNodes();
                    if (!isActing) {
                        return;
                    }
                    if (up.size() > 1) {
                        ModelNode node = up.get(random.nextInt(up.size()));
                        note("---- %s ends", node.self);
                        count("ended processes");
                        node.kill();
                        forgetGranted(node);
                        scheduler.in(
                                200_000 + random.nextInt(6_000_000),
                                () -> {
                                    if (!node(node.server).isUp) {
                                        restart(node);
                                    }
                                });
                    }
                    endProcesses();
                });
    }

    private void restart(ModelNode before) {
        NodeStart start = new NodeStart(before.server, before.self.start() + 1);
        note("---- %s starts", start);
        ModelNode node = new ModelNode(this, start, 1 + random.nextInt(3), before.table);
        before.registrar.sessions.forEach((id, session) -> {
            if (session.isDurable) {
                node.registrar.sessions.put(id, session.fromDisk());
            }
        });
        nodes.put(before.server, node);
        node.keptWills.addAll(before.keptWills);
        node.start();
    }

    /** What a node has granted as a stand-in ends with it; only those that lead keep sessions. */
    private void forgetGranted(ModelNode node) {
        cleanAt.keySet()
                .removeIf(each -> {
                    Leader leader = node.table.get(each.clientId.slot());
                    return leader == null || leader.node().server() != node.server;
                });
    }

    /** Nodes may be out of each other's reach for so long, and some time after. */
    private void unsureFor(long micros) {
        unsure++;
        scheduler.in(
                micros,
                () -> {
                    unsure--;
                    unsureUntil = scheduler.micros() + TIMES.peerTimeoutMs() * 1000 + 1_000_000;
                });
    }

    // ---------------------------------------------------------------- what nodes tell

    private boolean isLong() {
        return trouble == Trouble.LONG || trouble == Trouble.CUT_OFF;
    }

    /** Whether all nodes are in reach of one another, but for moments. */
    private boolean isSure() {
        return unsure == 0 && scheduler.micros() >= unsureUntil;
    }

    /** Returns the next value of a clock that all nodes share. */
    long stamp() {
        lastStamp = Math.max(lastStamp + 1, scheduler.micros() << 10);
        return lastStamp;
    }

    /** A connection goes on with a session. */
    void resumed(ModelConnection connection, ModelRegistrar.Session session) {
        long clean = cleanAt(connection.clientId, session.owner);
        boolean isBack = session.connectedAt < clean && !session.hasStayedConnected;
        count(isBack ? "sessions back" : "sessions resumed");
        check(!isBack || !isSure(), connection + " has a session from before a clean start");
    }

    /** A leader was told a grant, and had a session. */
    void told(ClientId id, ModelRegistrar.Session session, long grantedAt, boolean stays) {
        boolean isNewer = session.servedAt > grantedAt;
        String which =
                (session.connection == null ? "offline " : "connected ")
                        + (isNewer ? "newer" : "older");
        note("session of %s %s: %s than a grant", id, stays ? "stays" : "ends", which);
        count("told of a grant: " + which + " session");
        session.hasStayedConnected |= stays && session.connection != null;
        check(stays || !isNewer, "a session of " + id + " has ended that was newer");
    }

    /** Returns when a Clean Start has ended the sessions of an owner. */
    private long cleanAt(ClientId id, @Nullable String owner) {
        long last = 0;
        for (Map.Entry<Owned, Long> each : cleanAt.entrySet()) {
            Owned by = each.getKey();
            if (by.clientId.equals(id) && (owner == null || owner.equals(by.user))) {
                last = Math.max(last, each.getValue());
            }
        }
        return last;
    }

    /** A connection ends since a leader has asked for that. */
    void endedForClaim(ModelConnection connection) {
        String user = connection.user;
        ClientId id = connection.clientId;
        boolean isAgain =
                connectsOf.getOrDefault(new Owned(id, user), List.of()).stream()
                        .anyMatch(each -> each != connection && mayHaveEnded(connection, each));
        if (connection.isOver || user == null || isAgain) {
            return; // Anyone may take it, or its own user has connected again.
        }
        count("ended though its user has not come again");
        boolean isApart = isLong() && !isSure() || contested.get(id.slot());
        check(
                isApart || connection.isGrantedByStandIn(),
                connection + " has ended for another user");
    }

    /** Whether a connection may have ended for another CONNECT: one that is later or waits. */
    private static boolean mayHaveEnded(ModelConnection connection, ModelConnection by) {
        long byMicros = by.connectedMicros - connection.connectedMicros;
        return !by.isOver || byMicros >= -(LastConnects.TOGETHER_MS + 1) * 1000;
    }

    void endedForClaim(ClientId id) {
        note("durable session of %s ended", id);
        count("sessions ended for another node");
    }

    void live(ModelConnection connection) {
        List<ModelConnection> all =
                live.computeIfAbsent(connection.clientId, any -> new ArrayList<>(1));
        all.add(connection);
        lastLive.put(connection.clientId, connection);
        note("%s is live", connection);
        count("live");
        theLaterOneWins(connection);
        boolean isOfOneLeader = !contested.get(connection.clientId.slot());
        if (connection.isClean && !connection.isDurable && isOfOneLeader) {
            cleanAt.put(new Owned(connection.clientId, connection.user), connection.grantedAt());
        }
        if (all.size() > 1) {
            check(isLong(), "two connections: " + all);
            check(unsure > 0 || scheduler.micros() < unsureUntil, "two connections: " + all);
            count("two connections");
        }
    }

    /** No CONNECT is served after one that its client has sent later. */
    private void theLaterOneWins(ModelConnection connection) {
        long last = lastServed.getOrDefault(connection.clientId, 0L);
        lastServed.put(connection.clientId, Math.max(last, connection.connectedMicros));
        long byMs = (last - connection.connectedMicros) / 1000;
        if (byMs > LastConnects.TOGETHER_MS + 1) {
            count("served after a later one");
            check(trouble != Trouble.HELD_BACK, connection + " is " + byMs + " ms older");
        }
    }

    /** A CONNECT was refused. */
    void refused(ModelConnection connection) {
        if (connection.refusal.equals(ClientIdClaims.OLDER)) {
            count("refused for a later one");
            long last = lastConnectAt.getOrDefault(connection.clientId, 0L);
            check(connection.connectedMicros < last, connection + " was the last CONNECT");
        }
    }

    void over(ModelConnection connection) {
        if (live.getOrDefault(connection.clientId, new ArrayList<>()).remove(connection)) {
            note("%s is over", connection);
        }
    }

    // ---------------------------------------------------------------- Wills

    /** Returns the Will of a connection that is made now; null: it has none. */
    @Nullable Will will(ModelConnection of) {
        return wills.of(of);
    }

    /** Whether a connection that ends has lost its client, which sends no DISCONNECT. */
    boolean isLost(ModelConnection connection) {
        return connection.connectedMicros % 3 > 0;
    }

    /** A connection has ended, or its node has, and its client has sent no DISCONNECT. */
    void willIsDue(ModelConnection of) {
        wills.due(of);
    }

    /** A node publishes a Will. */
    void published(ModelNode by, Will will) {
        wills.published(by, will);
    }

    /** Whether a client has sent a CONNECT, or was served, after a connection's. */
    boolean hasConnectedAfter(ModelConnection connection) {
        ClientId id = connection.clientId;
        return lastConnectAt.getOrDefault(id, 0L) > connection.connectedMicros
                || lastLive.get(id) != connection;
    }

    /** Returns the connection of a client that is live; null: none. */
    @Nullable ModelConnection liveOf(ClientId id) {
        List<ModelConnection> all = live.getOrDefault(id, List.of());
        return all.isEmpty() ? null : all.getLast();
    }

    /** Whether nodes were out of reach of each other for long, or two may lead a client's slot. */
    boolean isApart(ClientId id) {
        return isLong() || contested.get(id.slot());
    }

    boolean isTakenOver(ClientId id) {
        return takenOver.get(id.slot());
    }

    long publishesMicros() {
        boolean isSlow = isActing && random.nextInt(10) == 0;
        return random.nextInt(isSlow ? 8_000_000 : 40_000);
    }

    ModelNode node(int server) {
        ModelNode node = nodes.get(server);
        if (node == null) {
            throw new IllegalStateException("no node " + server);
        }
        return node;
    }

    int nodeCount() {
        return nodes.size();
    }

    List<ModelNode> upNodes() {
        return nodes.values().stream().filter(each -> each.isUp).toList();
    }

    void count(String what) {
        counts.merge(what, 1, Integer::sum);
    }

    void note(String format, Object... values) {
        story.add(scheduler.micros() / 1000 + " " + String.format(format, values));
        if (story.size() > STORY) {
            story.remove();
        }
    }
}
