package io.godwit.cluster.broker;

import io.godwit.cluster.membership.Member;
import io.godwit.cluster.membership.Nodes;
import io.godwit.cluster.membership.Slots;
import io.godwit.cluster.publish.LeaderAway;
import io.godwit.cluster.replication.CopySettings;
import io.godwit.cluster.stream.StreamRules;
import io.godwit.cluster.transport.Forgotten;
import io.godwit.cluster.transport.Handlers;
import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.Resumed;
import io.godwit.cluster.transport.TestDelivery;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.message.Digest;
import io.godwit.core.node.Broker;
import io.godwit.core.node.Cluster;
import io.godwit.core.packet.ClientId;
import io.godwit.core.simulation.CountedBuffers;
import io.godwit.core.simulation.Happening;
import io.godwit.core.simulation.Scheduler;
import io.godwit.core.simulation.SimulatedCluster;
import io.godwit.core.store.DigestReader;
import io.godwit.core.store.QueueDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The nodes' parts of the cluster and the links between them: delays, cuts, restarts. Ends of a
 * link hear of its beginning and of its end at different moments.
 */
final class SimulatedLinks implements SimulatedCluster {
    private static final int SILENCE_MICROS = 400_000;

    private static final class Node {
        @Nullable BrokerCluster part;
        @Nullable NodeStart start;
        @Nullable Handlers handlers;
        @Nullable Broker broker;

        /** Digests of queues, by queue id: of those that it leads, and of its copies. */
        final Map<Long, String> led = new TreeMap<>();

        final Map<Long, String> copied = new TreeMap<>();
        final AssignmentsInMemory assignments = new AssignmentsInMemory();
        final CopyRecordsInMemory copyRecords = new CopyRecordsInMemory();
        boolean up;
        long pausedUntil;
    }

    private final Scheduler scheduler;
    private final RandomGenerator random;
    private final int[] servers;
    private final BiConsumer<Integer, String> note;
    private final BiConsumer<Integer, Happening> count;
    private final StreamRules rules;
    private final CopySettings copies;
    private final Node[] nodes;

    /** Ends of links by node and peer; null while there is none. */
    private final @Nullable SimulatedLink[][] ends;

    /** The last link of each node to each peer. */
    private final @Nullable SimulatedLink[][] lastLinks;

    private final boolean[][] calling;
    private final int latencyMicros;
    private final long roomBytes;
    private final int cutEveryMicros;
    private final ClusterTimes times;
    private long numbers;
    private boolean calm = true;

    private SimulatedLinks(
            Scheduler scheduler,
            RandomGenerator random,
            int[] servers,
            BiConsumer<Integer, String> note,
            BiConsumer<Integer, Happening> count,
            StreamRules rules,
            CopySettings copies) {
        this.copies = copies;
        this.scheduler = scheduler;
        this.random = random;
        this.servers = servers;
        this.note = note;
        this.count = count;
        this.rules = rules;
        nodes = new Node[servers.length];
        ends = new SimulatedLink[servers.length][servers.length];
        lastLinks = new SimulatedLink[servers.length][servers.length];
        calling = new boolean[servers.length][servers.length];
        for (int i = 0; i < nodes.length; i++) {
            nodes[i] = new Node();
        }
        latencyMicros = pick(random, 200, 2_000, 30_000);
        roomBytes = pick(random, 300, 5_000, 1 << 20);
        cutEveryMicros = pick(random, 0, 150_000, 600_000);
        // Shorter than a node may be down, longer than links are cut: who is not heard is down.
        times = new ClusterTimes(2_000, 600_000, 3_000, 10_000, 0, 0);
    }

    /** Makes those of a run. */
    static SimulatedCluster.Maker maker(StreamRules rules) {
        return maker(rules, CopySettings.NONE);
    }

    /** Makes those of a run in which nodes may give what they have on their disks. */
    static SimulatedCluster.Maker onDisks(StreamRules rules) {
        return maker(rules, CopySettings.NONE.giving());
    }

    /** Makes those of a run in which all nodes have copies of all queues, or none has any. */
    static SimulatedCluster.Maker maker(StreamRules rules, CopySettings copies) {
        return (scheduler, random, servers, note, count) ->
                new SimulatedLinks(scheduler, random, servers, note, count, rules, copies);
    }

    private static int pick(RandomGenerator random, int... choices) {
        return choices[random.nextInt(choices.length)];
    }

    // ---------------------------------------------------------------- nodes

    @Override
    public Cluster begin(int node) {
        BrokerCluster part =
                new BrokerCluster(
                        servers[node],
                        times,
                        LeaderAway.WAIT,
                        copies,
                        nodes[node].copyRecords,
                        rules,
                        new CountedBuffers()::heapBuffer);
        nodes[node].part = part;
        return part;
    }

    @Override
    public void made(int node, Broker broker) {
        nodes[node].broker = broker;
        nodes[node].start = new NodeStart(servers[node], broker.context().startNumber());
        part(node).attach(broker, nodes[node].assignments);
        nodes[node].handlers = part(node).register(new Handlers());
    }

    private BrokerCluster part(int node) {
        BrokerCluster part = nodes[node].part;
        if (part == null) {
            throw new IllegalStateException("node " + node + " has not begun");
        }
        return part;
    }

    @Override
    public void started(int node, Runnable whenReady) {
        Set<Integer> others = new TreeSet<>();
        for (int i = 0; i < servers.length; i++) {
            if (i != node) {
                others.add(servers[i]);
            }
        }
        nodes[node].up = true;
        tellNodes(node);
        part(node)
                .start(
                        others,
                        others,
                        () -> {
                            note.accept(node, "knows the filters of all others");
                            whenReady.run();
                        });
        for (int i = 0; i < servers.length; i++) {
            callSoon(node, i);
        }
    }

    @Override
    public ClientId clientId(int node, String client) {
        Set<Integer> members = new TreeSet<>();
        for (int each : servers) {
            members.add(each);
        }
        Slots slots = new Slots(members);
        int number = 1;
        ClientId id;
        do {
            id = ClientId.of(client + "-" + number++);
        } while (slots.order(Slots.of(id))[0] != servers[node]);
        return id;
    }

    @Override
    public void paused(int node, long untilMicros) {
        nodes[node].pausedUntil = untilMicros;
        long length = untilMicros - scheduler.micros();
        for (int i = 0; i < servers.length; i++) {
            SimulatedLink link = ends[i][node];
            int peer = i;
            if (link != null && length > times.peerTimeoutMs() * 1000) {
                scheduler.background(times.peerTimeoutMs() * 1000, () -> silent(peer, link));
                scheduler.in(length + random.nextInt(200_000), () -> heard(peer, link));
            }
        }
    }

    /** A node has heard nothing by a link for too long; its own pauses do not count. */
    private void silent(int node, SimulatedLink link) {
        if (isUpAt(node, link) && !isPaused(node) && isPaused(nodeOf(link.peer()))) {
            link.silent = true;
            note.accept(node, "link " + link.number() + " is silent");
            count.accept(node, Happening.NODE_SILENT);
            part(node).onSilent(link);
            tellNodes(node);
        }
    }

    private void heard(int node, SimulatedLink link) {
        if (link.silent && isUpAt(node, link)) {
            link.silent = false;
            note.accept(node, "link " + link.number() + " is heard again");
            part(node).onHeard(link);
            tellNodes(node);
        }
    }

    /** Tells a node which ones belong to the cluster, and which of them are heard. */
    private void tellNodes(int node) {
        NodeStart self = Objects.requireNonNull(nodes[node].start);
        List<Member> members = new ArrayList<>();
        Map<Integer, NodeStart> live = new TreeMap<>(Map.of(self.server(), self));
        for (int i = 0; i < servers.length; i++) {
            NodeStart last = new NodeStart(servers[i], 1);
            members.add(new Member(last, servers[i], "n" + i, ""));
            SimulatedLink link = ends[node][i];
            if (link != null && link.open && !link.silent) {
                live.put(servers[i], link.peer());
            }
        }
        Slots slots = new Slots(members.stream().map(Member::server).toList());
        part(node).slots().onNodes(new Nodes(self, members, Forgotten.NOBODY, live, slots));
    }

    private boolean isUpAt(int node, SimulatedLink link) {
        return nodes[node].up && link.open && link.self().equals(nodes[node].start);
    }

    private boolean isPaused(int node) {
        return scheduler.micros() < nodes[node].pausedUntil;
    }

    @Override
    public void gone(int node) {
        nodes[node].pausedUntil = 0;
        nodes[node].up = false;
        for (int i = 0; i < servers.length; i++) {
            cut(node, i);
            ends[node][i] = null;
        }
    }

    // ---------------------------------------------------------------- links

    private void callSoon(int a, int b) {
        int first = Math.min(a, b);
        int second = Math.max(a, b);
        if (first == second || calling[first][second] || !nodes[a].up || !nodes[b].up) {
            return;
        }
        calling[first][second] = true;
        scheduler.in(
                1_000 + random.nextInt(calm ? 20_000 : SILENCE_MICROS),
                () -> {
                    calling[first][second] = false;
                    call(first, second);
                });
    }

    private void call(int a, int b) {
        if (!nodes[a].up || !nodes[b].up) {
            return;
        }
        if (isPaused(a) || isPaused(b)) {
            callSoon(a, b);
            return;
        }
        SimulatedLink there = ends[a][b];
        SimulatedLink here = ends[b][a];
        if (there != null && here != null && !there.cut && !here.cut) {
            return;
        }
        if (there != null || here != null) {
            callSoon(a, b); // One of them has not heard of the end of the last.
            return;
        }
        NodeStart first = nodes[a].start;
        NodeStart second = nodes[b].start;
        if (first == null || second == null) {
            throw new IllegalStateException("up and not begun");
        }
        long number = ++numbers;
        SimulatedLink forth = new SimulatedLink(this, first, second, number);
        SimulatedLink back = new SimulatedLink(this, second, first, number);
        forth.connect(back);
        back.connect(forth);
        ends[a][b] = forth;
        ends[b][a] = back;
        note.accept(a, "link " + number + " to node " + b);
        open(a, forth);
        open(b, back);
        if (!calm && cutEveryMicros > 0) {
            scheduler.background(
                    random.nextInt(cutEveryMicros),
                    () -> {
                        if (!calm && ends[a][b] == forth) {
                            count.accept(a, Happening.NODE_LINK_CUT);
                            cut(a, b);
                        }
                    });
        }
    }

    private void open(int node, SimulatedLink link) {
        NodeStart start = nodes[node].start;
        scheduler.in(
                random.nextInt(latencyMicros),
                () -> {
                    if (nodes[node].up && link.self().equals(start) && !link.cut) {
                        link.open = true;
                        SimulatedLink last = lastLinks[node][nodeOf(link.peer())];
                        lastLinks[node][nodeOf(link.peer())] = link;
                        boolean isResumed =
                                last != null
                                        && last.self().equals(link.self())
                                        && last.peer().equals(link.peer());
                        part(node).onUp(link, isResumed ? last.resumed() : Resumed.NOTHING);
                        tellNodes(node);
                    } else {
                        forget(node, link);
                    }
                });
    }

    private void cut(int a, int b) {
        cutEnd(a, b);
        cutEnd(b, a);
    }

    private void cutEnd(int node, int peer) {
        SimulatedLink link = ends[node][peer];
        if (link == null || link.cut) {
            return;
        }
        link.cut = true;
        note.accept(node, "link " + link.number() + " to node " + peer + " is cut");
        scheduler.in(
                random.nextInt(SILENCE_MICROS),
                () -> {
                    if (link.open && nodes[node].up && link.self().equals(nodes[node].start)) {
                        link.open = false;
                        part(node).onDown(link, link.unconfirmed());
                        tellNodes(node);
                    }
                    link.open = false;
                    forget(node, link);
                    callSoon(node, peer);
                });
    }

    private void forget(int node, SimulatedLink link) {
        for (int i = 0; i < servers.length; i++) {
            if (ends[node][i] == link) {
                ends[node][i] = null;
            }
        }
    }

    @Override
    public void trouble() {
        calm = false;
        List<int[]> pairs = new ArrayList<>();
        for (int a = 0; a < servers.length; a++) {
            for (int b = a + 1; b < servers.length; b++) {
                pairs.add(new int[] {a, b});
            }
        }
        if (cutEveryMicros > 0) {
            for (int[] pair : pairs) {
                scheduler.background(random.nextInt(cutEveryMicros), () -> cut(pair[0], pair[1]));
            }
        }
    }

    @Override
    public void calm() {
        calm = true;
    }

    // ---------------------------------------------------------------- copies

    @Override
    public boolean isSettled() {
        boolean isSettled = true;
        for (Node each : nodes) {
            isSettled &= !copies.hasCopies() || each.up && part(each).copies().isWhole();
        }
        return isSettled;
    }

    private static BrokerCluster part(Node node) {
        return Objects.requireNonNull(node.part);
    }

    @Override
    public void describe() {
        for (Node each : nodes) {
            if (copies.hasCopies()) {
                Objects.requireNonNull(each.broker)
                        .context()
                        .store()
                        .describeAll(new Digests(each));
            }
        }
    }

    private record Digests(Node node) implements DigestReader {
        @Override
        public void onQueue(QueueDigest queue) {
            Digest digest = queue.digest();
            (queue.leader() == QueueDigest.THIS_NODE ? node.led : node.copied)
                    .put(
                            queue.queueId(),
                            queue.clientId() + " " + digest.high() + ":" + digest.low());
        }

        @Override
        public void onEnd() {}

        @Override
        public void onFailed(Throwable cause) {
            throw new IllegalStateException(cause);
        }
    }

    /** Each node has copies of what all others lead, and of nothing else. */
    @Override
    public void check() {
        for (Node each : nodes) {
            Map<Long, String> wanted = new TreeMap<>();
            for (Node other : nodes) {
                if (other != each && copies.hasCopies()) {
                    wanted.putAll(other.led);
                }
            }
            if (!wanted.equals(each.copied)) {
                throw new IllegalStateException(
                        "%s has copies %s of %s".formatted(each.start, each.copied, wanted));
            }
        }
    }

    // ---------------------------------------------------------------- what links ask

    void later(Runnable task) {
        scheduler.in(random.nextInt(calm ? 200 : latencyMicros), task);
    }

    /** The node at this end does not run. */
    boolean isPaused(SimulatedLink at) {
        return isPaused(nodeOf(at.self()));
    }

    int burst() {
        return 1 + random.nextInt(4);
    }

    long roomBytes() {
        return roomBytes;
    }

    private int nodeOf(NodeStart start) {
        for (int i = 0; i < servers.length; i++) {
            if (servers[i] == start.server()) {
                return i;
            }
        }
        throw new IllegalStateException("no node " + start);
    }

    boolean arrived(SimulatedLink at, MessageType type, byte[] bytes) {
        return TestDelivery.deliver(handlers(at), at, type, bytes);
    }

    void handled(SimulatedLink at) {
        TestDelivery.delivered(handlers(at), at);
    }

    private Handlers handlers(SimulatedLink at) {
        return Objects.requireNonNull(nodes[nodeOf(at.self())].handlers);
    }

    void room(SimulatedLink of, TrafficClass traffic) {
        if (of.open) {
            part(nodeOf(of.self())).onRoom(of, traffic);
        }
    }
}
