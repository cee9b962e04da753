package io.godwit.cluster.remote;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.Resumed;
import io.godwit.core.connection.AuthenticatedConnect;
import io.godwit.core.connection.Wire;
import io.godwit.core.connection.WireListener;
import io.godwit.core.packet.ClientId;
import io.godwit.core.simulation.Scheduler;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Some nodes with clients of each other's, some seconds of trouble, then calm and the end. */
final class Simulation {
    static final byte[] ROW = {1, 2, 3};
    private static final long PEER_TIMEOUT_MS = 500;
    private static final long TROUBLE_MICROS = 2_000_000;
    private static final long STEPS_MAX = 400_000;

    private final Scheduler scheduler = new Scheduler();
    private final SplittableRandom random;
    private final Map<Met, Long> met = new EnumMap<>(Met.class);
    private final List<SimNode> nodes = new ArrayList<>();
    private final List<SimPair> pairs = new ArrayList<>();
    private final List<SimChannel> channels = new ArrayList<>();
    private final Map<Integer, SimClient> clients = new HashMap<>();
    private final Map<Integer, SimConnection> connections = new HashMap<>();
    private int delayMicros;
    private final long room;
    private final long windowsMax;
    private long links;
    private long starts;
    private boolean trouble = true;

    /** A link between two nodes, or none for some time. */
    private final class SimPair {
        final int one;
        final int two;
        private SimLink a;
        private SimLink b;
        private boolean isUp;
        private boolean isSilent;

        SimPair(int one, int two) {
            this.one = one;
            this.two = two;
            up();
        }

        final void up() {
            SimNode left = nodes.get(one);
            SimNode right = nodes.get(two);
            a = new SimLink(scheduler, random, left, right, ++links, delayMicros, room);
            b = new SimLink(scheduler, random, right, left, ++links, delayMicros, room);
            a.twin(b);
            b.twin(a);
            isUp = true;
            isSilent = false;
            left.remote().onUp(a, right.formers.getOrDefault(left.start, Resumed.NOTHING));
            right.remote().onUp(b, left.formers.getOrDefault(right.start, Resumed.NOTHING));
        }

        void breakOff(long backMicros) {
            if (!isUp) {
                return;
            }
            met(Met.LINK_BROKE);
            isUp = false;
            a.bringSome();
            b.bringSome();
            a.end();
            b.end();
            SimNode left = nodes.get(one);
            SimNode right = nodes.get(two);
            if (backMicros >= (PEER_TIMEOUT_MS - 200) * 1000) {
                met(Met.BACK_TOO_LATE);
                cut(left, right);
            } else {
                met(Met.LINK_RESUMED);
            }
            int late = random.nextInt(2_000);
            scheduler.in(late, () -> tellDown(left, a));
            scheduler.in(random.nextInt(2_000), () -> tellDown(right, b));
            scheduler.in(5_000 + backMicros, this::up);
        }

        private void tellDown(SimNode node, SimLink end) {
            if (!node.isDead) {
                end.tellDown();
            }
        }

        void silent() {
            if (isUp && !isSilent) {
                met(Met.SILENT);
                isSilent = true;
                SimLink now = a;
                a.silent(true);
                b.silent(true);
                scheduler.in(random.nextInt(700_000), () -> heard(now));
            }
        }

        private void heard(SimLink then) {
            if (isUp && a == then) {
                isSilent = false;
                a.silent(false);
                b.silent(false);
            }
        }
    }

    private Simulation(long seed) {
        random = new SplittableRandom(seed);
        delayMicros = pick(50, 500, 5_000, 30_000);
        room = pick(10_000, 40_000, 8_000_000);
        windowsMax = pick(0, 200_000, 4_000_000);
        int count = random.nextInt(2, 4);
        for (int i = 0; i < count; i++) {
            nodes.add(node(i));
        }
        for (int i = 0; i < count; i++) {
            for (int j = i + 1; j < count; j++) {
                pairs.add(new SimPair(i, j));
            }
        }
    }

    private int pick(int... values) {
        return values[random.nextInt(values.length)];
    }

    private SimNode node(int server) {
        SimNode node =
                new SimNode(
                        scheduler,
                        new NodeStart(server, ++starts),
                        random.nextInt(1, 4),
                        PEER_TIMEOUT_MS,
                        this::accept,
                        this::met);
        node.shards.forEach(each -> each.windowsMax = windowsMax);
        return node;
    }

    /** Runs a seed; what it met, counted. */
    static Map<Met, Long> run(long seed) {
        Simulation simulation = new Simulation(seed);
        try {
            simulation.run();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(
                    "seed "
                            + seed
                            + " at "
                            + simulation.scheduler.monotonicMs()
                            + " ms: "
                            + e.getMessage()
                            + "; replay with -Dsimulation.seed="
                            + seed,
                    e);
        }
        return simulation.met;
    }

    private void run() {
        scheduler.background(100_000, this::tick);
        int clientMicros = pick(8_000, 20_000, 80_000);
        scheduler.background(1_000, () -> act(clientMicros));
        scheduler.background(100_000, this::fault);
        long end = scheduler.micros() + TROUBLE_MICROS;
        runUntil(end);
        trouble = false;
        calm();
        runUntil(scheduler.micros() + 2_500_000);
        for (SimChannel each : channels) {
            SimClient client = clients.get(each.id);
            boolean isWhole = !each.isCut && !each.leaderEnded && !each.clientEnded;
            if (isWhole && client != null && client.isOpen()) {
                require(each.toLeader.isComplete(), "%s: not complete", each);
                require(each.toClient.isComplete(), "%s: not complete", each);
                met(Met.COMPLETE);
            }
        }
        endAll();
        runUntil(scheduler.micros() + 2_000_000);
        judgeEnd();
    }

    private void runUntil(long micros) {
        while (scheduler.micros() < micros) {
            require(scheduler.step(), "nothing is to happen");
            require(scheduler.steps() < STEPS_MAX, "too many steps");
        }
    }

    boolean isCalm() {
        return !trouble;
    }

    void met(Met what) {
        met.merge(what, 1L, Long::sum);
    }

    void require(boolean holds, String text, Object... values) {
        if (!holds) {
            throw new AssertionError(String.format(text, values));
        }
    }

    /** Does something later on the shard of a channel at one of its nodes. */
    void in(SimNode node, int id, long micros, Runnable task) {
        SimShard shard = node.shardOf(slot(id));
        scheduler.in(micros, () -> shard.turn(task));
    }

    private int slot(int id) {
        return channels.get(id).slot;
    }

    // ---------------------------------------------------------------- what happens

    private void tick() {
        nodes.forEach(SimNode::tick);
        judge();
        scheduler.background(100_000, this::tick);
    }

    private void act(int micros) {
        if (!trouble) {
            return;
        }
        if (random.nextInt(12) == 0 && channels.size() < 40) {
            connect();
        }
        for (SimClient each : List.copyOf(clients.values())) {
            if (random.nextInt(4) == 0) {
                in(each.channel.edge, each.channel.id, 0, each::send);
            }
            if (random.nextInt(300) == 0) {
                in(each.channel.edge, each.channel.id, 0, () -> each.stall(!each.isStalled));
            }
            if (random.nextInt(600) == 0) {
                in(each.channel.edge, each.channel.id, 0, each::leave);
            }
            if (random.nextInt(2_000) == 0) {
                in(each.channel.edge, each.channel.id, 0, each::overdraw);
            }
        }
        for (SimConnection each : List.copyOf(connections.values())) {
            if (random.nextInt(4) == 0) {
                in(each.channel.leader, each.channel.id, 0, each::write);
            }
            if (random.nextInt(800) == 0) {
                in(each.channel.leader, each.channel.id, 0, each::close);
            }
        }
        if (random.nextInt(4) == 0) {
            judge();
        }
        scheduler.background(1 + random.nextInt(micros), () -> act(micros));
    }

    private void connect() {
        SimNode edge = nodes.get(random.nextInt(nodes.size()));
        SimNode leader = nodes.get(random.nextInt(nodes.size()));
        if (edge == leader) {
            return;
        }
        int id = channels.size();
        SimChannel channel = new SimChannel(id, edge, leader, random.nextBoolean());
        channels.add(channel);
        SimClient client = new SimClient(this, channel, random.split());
        in(
                edge,
                id,
                0,
                () -> {
                    AuthenticatedConnect connect =
                            SimNode.connect(ClientId.of("c" + id), channel.isV5);
                    RemoteChannels at =
                            edge.remote().edge(edge.shards.indexOf(edge.shardOf(slot(id))));
                    client.question = at.open(leader.start, connect, client);
                });
        if (random.nextInt(10) == 0) {
            in(edge, id, random.nextInt(2 * delayMicros), client::withdraw);
        }
    }

    void opened(SimClient client) {
        clients.put(client.channel.id, client);
    }

    private WireListener accept(SimNode node, AuthenticatedConnect connect, Wire wire) {
        int id = Integer.parseInt(connect.clientId().toString().substring(1));
        SimChannel channel = channels.get(id);
        require(node == channel.leader && !channel.isAccepted, "%s: accepted twice", channel);
        channel.isAccepted = true;
        SimConnection connection = new SimConnection(this, channel, wire, random.split());
        connections.put(id, connection);
        return connection;
    }

    private void fault() {
        if (!trouble) {
            return;
        }
        SimPair pair = pairs.get(random.nextInt(pairs.size()));
        switch (random.nextInt(9)) {
            case 0, 1, 2 -> pair.breakOff(random.nextInt(300_000));
            case 3 -> pair.breakOff(700_000 + random.nextInt(500_000));
            case 4, 5 -> pair.silent();
            case 6 -> alarm();
            case 7 -> closeSlots(nodes.get(random.nextInt(nodes.size())));
            default -> {
                if (random.nextInt(3) == 0) {
                    endNode(random.nextInt(nodes.size()));
                }
            }
        }
        scheduler.background(30_000 + random.nextInt(300_000), this::fault);
    }

    private void alarm() {
        met(Met.ALARM);
        SimNode node = nodes.get(random.nextInt(nodes.size()));
        node.shards.forEach(each -> each.isAlarm = !each.isAlarm);
    }

    private void closeSlots(SimNode node) {
        met(Met.SLOTS_CLOSED);
        BitSet slots = new BitSet();
        for (int id = 0; id < channels.size() + 10; id++) {
            if (random.nextInt(4) == 0) {
                slots.set(ClientId.of("c" + id).slot());
            }
        }
        for (SimChannel each : channels) {
            each.isCut |= each.leader == node && slots.get(slot(each.id));
        }
        node.notLed.or(slots);
        for (int i = 0; i < node.shards.size(); i++) {
            RemoteConnections leader = node.remote().leader(i);
            node.shards.get(i).turn(() -> leader.closeSlots(slots));
        }
    }

    private void cut(SimNode one, SimNode two) {
        for (SimChannel each : channels) {
            each.isCut |= each.edge == one && each.leader == two;
            each.isCut |= each.edge == two && each.leader == one;
        }
    }

    private void endNode(int server) {
        met(Met.NODE_ENDED);
        SimNode before = nodes.get(server);
        before.die();
        for (SimChannel each : channels) {
            each.isCut |= each.edge == before || each.leader == before;
            if (each.edge == before) {
                clients.remove(each.id);
            }
            if (each.leader == before) {
                connections.remove(each.id);
            }
        }
        List<SimPair> broken = new ArrayList<>();
        for (SimPair each : pairs) {
            if (each.one == server || each.two == server) {
                broken.add(each);
            }
        }
        broken.forEach(each -> each.breakOff(random.nextInt(300_000)));
        nodes.set(server, node(server));
    }

    private void calm() {
        delayMicros = Math.min(delayMicros, 1_000);
        for (SimPair each : pairs) {
            each.a.delayMicros = delayMicros;
            each.b.delayMicros = delayMicros;
        }
        for (SimNode node : nodes) {
            node.shards.forEach(each -> each.isAlarm = false);
        }
        for (SimClient each : clients.values()) {
            each.isSlow = false;
            in(each.channel.edge, each.channel.id, 0, () -> each.stall(false));
        }
        for (SimConnection each : connections.values()) {
            in(each.channel.leader, each.channel.id, 0, each::goOn);
        }
    }

    private void endAll() {
        for (SimClient each : clients.values()) {
            in(each.channel.edge, each.channel.id, 0, each::leave);
        }
    }

    // ---------------------------------------------------------------- the judge

    /** The bounds that hold at any time. */
    private void judge() {
        for (SimNode node : nodes) {
            for (int i = 0; i < node.shards.size(); i++) {
                judge(node.remote().edge(i).budget(), node.shards.get(i));
                judge(node.remote().leader(i).budget(), node.shards.get(i));
            }
        }
        for (SimClient client : clients.values()) {
            SimConnection connection = connections.get(client.channel.id);
            ChannelEnd edge = client.end();
            ChannelEnd leader = connection == null ? null : connection.end();
            if (edge != null && leader != null) {
                judge(client.channel, client.channel.toLeader, leader);
                judge(client.channel, client.channel.toClient, edge);
            }
        }
    }

    private void judge(SimChannel channel, SimChannel.Stream stream, ChannelEnd receiver) {
        require(
                stream.underWay() <= receiver.in.reserved() + stream.largest + stream.forced,
                "%s: %s bytes under way, window %s, largest write %s",
                channel,
                stream.underWay(),
                receiver.in.reserved(),
                stream.largest);
    }

    private void judge(WindowBudget budget, SimShard shard) {
        long first = (long) budget.marks().first() * budget.channels();
        require(
                budget.reserved() <= Math.max(first, shard.windowsMax + first),
                "%s bytes of windows",
                budget.reserved());
        if (budget.reserved() > first) {
            met(Met.WINDOW_GREW);
        }
    }

    private void judgeEnd() {
        for (SimChannel each : channels) {
            if (each.edge.isDead) {
                continue;
            }
            require(each.openingCalls == 1, "%s: %s answers", each, each.openingCalls);
            SimClient client = clients.get(each.id);
            require(client == null || client.isClosed, "%s: its socket is open", each);
        }
        for (SimConnection each : connections.values()) {
            require(each.isClosed, "%s: its connection is open", each.channel);
        }
        for (SimNode node : nodes) {
            for (int i = 0; i < node.shards.size(); i++) {
                SimShard shard = node.shards.get(i);
                RemoteChannels edge = node.remote().edge(i);
                require(shard.waiting == 0, "%s bytes wait", shard.waiting);
                require(shard.held == 0, "%s bytes are held", shard.held);
                require(edge.budget().reserved() == 0, "windows are left at an edge");
                require(node.remote().leader(i).budget().reserved() == 0, "windows are left");
            }
            require(node.remote().sum(ChannelCounters::edgeChannels) == 0, "channels are left");
            require(node.buffers.unreleased().isEmpty(), "buffers are not released");
            require(node.remote().sum(ChannelCounters::leaderChannels) == 0, "channels are left");
            require(node.remote().sum(ChannelCounters::bytesUnderWay) == 0, "bytes are left");
        }
        for (SimPair each : pairs) {
            require(!each.a.isUnreadable && !each.b.isUnreadable, "a record could not be read");
            require(each.a.untaken() == 0 && each.b.untaken() == 0, "credit was not given back");
        }
    }
}
