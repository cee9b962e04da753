package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.membership.Member;
import io.godwit.cluster.membership.Nodes;
import io.godwit.cluster.membership.Slots;
import io.godwit.cluster.publish.LeaderAway;
import io.godwit.cluster.replication.CopySettings;
import io.godwit.cluster.stream.StreamRules;
import io.godwit.cluster.transport.Forgotten;
import io.godwit.cluster.transport.Handlers;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.Resumed;
import io.godwit.cluster.transport.TestDelivery;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.auth.Security;
import io.godwit.core.node.SettableTime;
import io.godwit.core.node.TestClient;
import io.godwit.core.node.TestNode;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.Rules;
import io.godwit.core.simulation.CountedBuffers;
import io.godwit.core.store.KeptStore;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Brokers of two shards that are one cluster, stepped by a test. */
final class LoopNodes {
    private static final int SHARDS = 2;
    private static final ClusterTimes TIMES = new ClusterTimes(1_000, 5_000, 60_000, 10_000, 0, 0);

    private final RandomGenerator random;
    private final LeaderAway leaderAway;
    final SettableTime time = new SettableTime();
    final List<One> nodes = new ArrayList<>();
    private final Rules rules;
    private final StreamRules streamRules;
    private final LimitSettings limits;
    private final OverloadSettings overload;
    private final Security security;
    private Forgotten forgotten = Forgotten.NOBODY;

    /** The last link from a node to another one, by both. */
    private final Map<List<Integer>, LoopLink> lastLinks = new HashMap<>();

    /** By client, its id: the node where it connects first leads its slot. */
    private final Map<String, String> ids = new HashMap<>();

    private long numbers;

    LoopNodes(int count, RandomGenerator random) {
        this(count, random, LeaderAway.WAIT, Rules.ALL);
    }

    LoopNodes(int count, RandomGenerator random, Security security) {
        this(
                count,
                random,
                LeaderAway.WAIT,
                Rules.ALL,
                LimitSettings.DEFAULTS,
                OverloadSettings.DEFAULTS,
                StreamRules.ALL,
                security);
    }

    LoopNodes(int count, RandomGenerator random, StreamRules streamRules) {
        this(
                count,
                random,
                LeaderAway.WAIT,
                Rules.ALL,
                LimitSettings.DEFAULTS,
                OverloadSettings.DEFAULTS,
                streamRules);
    }

    LoopNodes(int count, RandomGenerator random, LeaderAway leaderAway) {
        this(count, random, leaderAway, Rules.ALL);
    }

    LoopNodes(int count, RandomGenerator random, Rules rules) {
        this(count, random, LeaderAway.WAIT, rules);
    }

    private LoopNodes(int count, RandomGenerator random, LeaderAway leaderAway, Rules rules) {
        this(count, random, leaderAway, rules, LimitSettings.DEFAULTS, OverloadSettings.DEFAULTS);
    }

    LoopNodes(
            int count,
            RandomGenerator random,
            LeaderAway leaderAway,
            Rules rules,
            LimitSettings limits,
            OverloadSettings overload) {
        this(count, random, leaderAway, rules, limits, overload, StreamRules.ALL);
    }

    private LoopNodes(
            int count,
            RandomGenerator random,
            LeaderAway leaderAway,
            Rules rules,
            LimitSettings limits,
            OverloadSettings overload,
            StreamRules streamRules) {
        this(
                count,
                random,
                leaderAway,
                rules,
                limits,
                overload,
                streamRules,
                Security.open(Map.of()));
    }

    private LoopNodes(
            int count,
            RandomGenerator random,
            LeaderAway leaderAway,
            Rules rules,
            LimitSettings limits,
            OverloadSettings overload,
            StreamRules streamRules,
            Security security) {
        this.streamRules = streamRules;
        this.security = security;
        this.random = random;
        this.leaderAway = leaderAway;
        this.rules = rules;
        this.limits = limits;
        this.overload = overload;
        for (int i = 0; i < count; i++) {
            nodes.add(new One(i + 1));
        }
        nodes.forEach(One::begin);
        for (One each : nodes) {
            for (One other : nodes) {
                link(each, other);
            }
        }
        settle();
    }

    One node(int server) {
        return nodes.get(server - 1);
    }

    /** Every node knows that another one never comes back. */
    void forget(int server) {
        Set<Integer> servers = new TreeSet<>(forgotten.servers());
        servers.add(server);
        forgotten(new Forgotten(servers, forgotten.times() + 1));
    }

    private void remember(int server) {
        if (forgotten.servers().contains(server)) {
            Set<Integer> servers = new TreeSet<>(forgotten.servers());
            servers.remove(server);
            forgotten(new Forgotten(servers, forgotten.times()));
        }
    }

    private void forgotten(Forgotten now) {
        forgotten = now;
        nodes.stream().filter(each -> each.isUp).forEach(each -> each.part().forgotten().now(now));
        nodes.forEach(One::tellNodes);
    }

    private void up(One at, LoopLink link) {
        LoopLink last = lastLinks.put(List.of(at.server, link.peer().server()), link);
        boolean isResumed =
                last != null && last.self().equals(link.self()) && last.peer().equals(link.peer());
        at.links.put(link.peer().server(), link);
        at.part().onUp(link, isResumed ? last.resumed() : Resumed.NOTHING);
    }

    /** Links two nodes that are up and not linked. */
    void link(One a, One b) {
        if (a.server >= b.server || !a.isUp || !b.isUp || a.links.containsKey(b.server)) {
            return;
        }
        remember(a.server);
        remember(b.server);
        long number = ++numbers;
        up(a, new LoopLink(a.start(), b.start(), number));
        up(b, new LoopLink(b.start(), a.start(), number));
        a.tellNodes();
        b.tellNodes();
    }

    void cut(One a, One b) {
        LoopLink there = a.links.remove(b.server);
        LoopLink back = b.links.remove(a.server);
        if (there != null && back != null) {
            there.isDown = true;
            back.isDown = true;
            a.part().onDown(there, there.unconfirmed());
            b.part().onDown(back, back.unconfirmed());
            a.tellNodes();
            b.tellNodes();
        }
    }

    /** Everything that can be done without time is done. */
    void settle() {
        boolean more;
        do {
            nodes.forEach(One::settle);
            more = false;
            for (One each : nodes) {
                more |= each.deliver(Integer.MAX_VALUE);
            }
        } while (more);
    }

    /** Time goes on, and everything with it. */
    void pass(long ms) {
        for (long gone = 0; gone < ms; gone += 100) {
            time.advance(100);
            nodes.forEach(One::tick);
            settle();
        }
    }

    /** One broker with its store. */
    final class One {
        final int server;
        final KeptStore store;
        final Map<Integer, LoopLink> links = new HashMap<>();
        private @Nullable TestNode node;
        private @Nullable BrokerCluster part;
        private @Nullable Handlers handlers;
        private final AssignmentsInMemory assignments = new AssignmentsInMemory();
        private final CopyRecordsInMemory copyRecords = new CopyRecordsInMemory();
        private final Set<Integer> silent = new HashSet<>();
        private CountedBuffers buffers = new CountedBuffers();
        private long starts;
        boolean isUp;

        /** Its process is stopped: what comes waits. */
        boolean isPaused;

        /** What comes from this node is still on its way; 0 = none. */
        int slowFrom;

        One(int server) {
            this.server = server;
            store = new KeptStore(server);
        }

        LoopLink linkTo(int to) {
            return Objects.requireNonNull(links.get(to));
        }

        NodeStart start() {
            return new NodeStart(server, starts);
        }

        /** Starts from what the store has, and finds nobody. */
        void begin() {
            recover();
            serve();
        }

        /** Makes the broker from what the store has. */
        private void recover() {
            buffers = new CountedBuffers(); // What the last process held has ended with it.
            BrokerCluster made =
                    new BrokerCluster(
                            server,
                            TIMES,
                            leaderAway,
                            CopySettings.NONE,
                            copyRecords,
                            streamRules,
                            buffers::heapBuffer);
            part = made;
            TestNode of =
                    TestNode.of(
                            made, server, SHARDS, store, time, rules, limits, overload, security);
            node = of;
            starts = of.broker().context().startNumber();
            made.attach(of.broker(), assignments);
            handlers = made.register(new Handlers());
            of.recover();
            isUp = true;
            made.forgotten().now(forgotten);
            silent.clear();
            tellNodes();
        }

        /** Lets clients in, once it has found the others. */
        private void serve() {
            Set<Integer> others = new TreeSet<>();
            nodes.forEach(each -> others.add(each.server));
            others.remove(server);
            others.removeAll(forgotten.servers());
            part().start(others, others, () -> {});
            node().settle();
        }

        /** Tells the node which ones belong to the cluster, and which of them are heard. */
        void tellNodes() {
            if (!isUp) {
                return;
            }
            List<Member> members = new ArrayList<>();
            Map<Integer, NodeStart> live = new TreeMap<>(Map.of(server, start()));
            for (One each : nodes) {
                if (!forgotten.servers().contains(each.server)) {
                    NodeStart last = new NodeStart(each.server, Math.max(1, each.starts));
                    members.add(new Member(last, each.server, "n" + each.server, ""));
                }
                LoopLink link = links.get(each.server);
                if (link != null && !silent.contains(each.server)) {
                    live.put(each.server, link.peer());
                }
            }
            Slots slots = new Slots(members.stream().map(Member::server).toList());
            part().slots().onNodes(new Nodes(start(), members, forgotten, live, slots));
        }

        /** Nothing was heard of another node for too long. */
        void silent(One other) {
            silent.add(other.server);
            part().onSilent(linkTo(other.server));
            tellNodes();
        }

        /** It is heard again. */
        void heard(One other) {
            silent.remove(other.server);
            part().onHeard(linkTo(other.server));
            tellNodes();
        }

        void crash() {
            isUp = false;
            nodes.forEach(other -> cutHere(other));
        }

        private void cutHere(One other) {
            LoopLink back = other.links.remove(server);
            links.remove(other.server);
            if (back != null) {
                back.isDown = true;
                other.part().onDown(back, back.unconfirmed());
                other.tellNodes();
            }
        }

        void restart() {
            recover();
            nodes.forEach(other -> {
                link(this, other);
                link(other, this);
            });
            serve();
        }

        BrokerCluster part() {
            return Objects.requireNonNull(part);
        }

        private Handlers handlers() {
            return Objects.requireNonNull(handlers);
        }

        /** Returns the buffers that connections of clients at other nodes have encoded into. */
        CountedBuffers buffers() {
            return buffers;
        }

        TestNode node() {
            return Objects.requireNonNull(node);
        }

        void settle() {
            if (isUp && !isPaused) {
                node().settle();
            }
        }

        void tick() {
            if (isUp && !isPaused) {
                node().tick(0);
            }
        }

        /** At most so many messages from each peer and class arrive. */
        boolean deliver(int most) {
            boolean some = false;
            for (One from : nodes) {
                LoopLink link = from.links.get(server);
                LoopLink here = links.get(from.server);
                if (link == null || here == null || !isUp || isPaused || from.server == slowFrom) {
                    continue;
                }
                for (TrafficClass each : TrafficClass.values()) {
                    if (link.isSlow && each == TrafficClass.PUBLISHES
                            || link.isSharedSlow && each == TrafficClass.APPENDS) {
                        continue;
                    }
                    Deque<LoopLink.Sent> sent = link.sent(each);
                    for (int i = 0; i < most && !sent.isEmpty(); i++) {
                        LoopLink.Sent next = link.deliver(each);
                        TestDelivery.deliver(handlers(), here, next.type(), next.bytes());
                        some = true;
                    }
                }
                TestDelivery.delivered(handlers(), here);
            }
            return some;
        }

        /** Returns the id of a client; this node leads its slot if it has no id yet. */
        String id(String client) {
            return ids.computeIfAbsent(client, this::newId);
        }

        private String newId(String client) {
            Slots slots = new Slots(nodes.stream().map(each -> each.server).toList());
            int number = 1;
            while (slots.order(Slots.of(ClientId.of(client + "-" + number)))[0] != server) {
                number++;
            }
            return client + "-" + number;
        }

        /** A client that is connected, and gets its session. */
        TestClient client(String name, long expirySeconds) {
            TestClient client = connect(name, false, expirySeconds);
            LoopNodes.this.settle();
            return client;
        }

        /** The same with a subscription of QoS 1 that the broker has granted. */
        TestClient subscriber(String name, String filter) {
            TestClient client = client(name, 1_000);
            client.subscribe(1, 1, filter);
            LoopNodes.this.settle();
            assertThat(client.packets()).anyMatch(Packet.SubAck.class::isInstance);
            return client;
        }

        TestClient open() {
            return node().open(random.nextInt(SHARDS), ProtocolVersion.MQTT_5);
        }

        TestClient connect(String name, boolean clean, long expirySeconds) {
            return connectAs(id(name), clean, expirySeconds);
        }

        /** Connects with a client id, whichever node leads its slot. */
        TestClient connectAs(String clientId, boolean clean, long expirySeconds) {
            TestClient client = open();
            client.connect(clientId, clean, expirySeconds, 0);
            return client;
        }
    }
}
