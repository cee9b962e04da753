package io.godwit.cluster.jgroups;

import io.godwit.cluster.ClusterSettings;
import io.godwit.cluster.Discovery;
import io.godwit.cluster.membership.MembersFile;
import io.godwit.cluster.membership.Nodes;
import io.godwit.cluster.membership.NodesListener;
import io.godwit.cluster.membership.Self;
import io.godwit.cluster.node.ClusterNode;
import io.godwit.cluster.node.OwnLinksThread;
import io.godwit.cluster.tls.TlsFiles;
import io.godwit.cluster.transport.Handlers;
import io.godwit.cluster.transport.LinkSettings;
import io.godwit.cluster.transport.LinkState;
import io.godwit.cluster.transport.MessageHandler;
import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.PeerListener;
import io.godwit.cluster.transport.Resumed;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.cluster.transport.TransportFailure;
import io.godwit.cluster.transport.Unconfirmed;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.time.TimeSource;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jgroups.util.Util;
import org.jspecify.annotations.Nullable;

/** A node over real JGroups, with a room that says and hears texts. */
final class TestNode implements AutoCloseable, NodesListener, PeerListener, MessageHandler {
    private static final MessageType TEXT =
            new MessageType(100, TrafficClass.PUBLISHES, "test.text");

    final List<String> heard = new CopyOnWriteArrayList<>();
    final List<String> events = new CopyOnWriteArrayList<>();
    final AtomicLong bytesHeard = new AtomicLong();
    final ClusterNode node;
    final JGroupsTransport transport;
    volatile @Nullable String intruder;

    /** What a test may change of a node. */
    static final class Plan {
        int server;
        long start = 1;
        String cluster = "test";
        int port;
        List<Integer> seeds = new ArrayList<>();
        String address = "127.0.0.1";
        @Nullable TlsFiles tls;
        boolean insecure;
        long clockAheadMs;
        long olderMs;
        long peerTimeoutMs = 2_000;
        long joinMs = 1_500;
        @Nullable List<String> seedTexts;
        Discovery discovery = Discovery.STATIC;

        Plan server(int id) {
            server = id;
            return this;
        }

        Plan start(long number) {
            start = number;
            return this;
        }

        Plan cluster(String name) {
            cluster = name;
            return this;
        }

        Plan tls(TlsFiles files) {
            tls = files;
            return this;
        }

        Plan clockAheadMs(long ms) {
            clockAheadMs = ms;
            return this;
        }

        /** As if its process had begun so much sooner. */
        Plan olderMs(long ms) {
            olderMs = ms;
            return this;
        }

        Plan at(String host) {
            address = host;
            return this;
        }

        /** Waits so long for whoever might let it in. */
        Plan joinMs(long ms) {
            joinMs = ms;
            return this;
        }

        Plan discovery(Discovery by, String seed) {
            discovery = by;
            seedTexts = List.of(seed);
            return this;
        }

        TestNode begin() throws TransportFailure {
            TestNode made = new TestNode(this);
            made.node.start();
            return made;
        }
    }

    /** Of a node at one of these ports, which are those of all nodes. */
    static Plan plan(int server, List<Integer> ports) {
        Plan plan = new Plan();
        plan.server = server;
        plan.port = ports.get(server - 1);
        plan.seeds = ports;
        return plan;
    }

    private TestNode(Plan plan) {
        List<String> seeds =
                plan.seedTexts != null
                        ? plan.seedTexts
                        : plan.seeds.stream().map(port -> plan.address + ":" + port).toList();
        ClusterSettings settings =
                new ClusterSettings(
                        plan.cluster,
                        new InetSocketAddress(plan.address, plan.port),
                        plan.discovery,
                        seeds,
                        2_000,
                        1_000,
                        plan.peerTimeoutMs,
                        5_000,
                        0,
                        plan.tls,
                        plan.insecure);
        transport = new JGroupsTransport(settings, "n" + plan.server, plan.joinMs);
        ShiftedTime time = new ShiftedTime(plan.clockAheadMs, plan.olderMs);
        node =
                new ClusterNode(
                        settings,
                        LinkSettings.DEFAULTS,
                        new Self(
                                new NodeStart(plan.server, plan.start),
                                ThreadLocalRandom.current().nextLong(),
                                "n" + plan.server,
                                "",
                                "test"),
                        time,
                        new OwnLinksThread(time),
                        new InMemory(),
                        transport,
                        new Handlers().with(this, TEXT),
                        List.of(this),
                        this);
        time.isMade = true;
    }

    int live() {
        return node.membership().nodes().live().size();
    }

    boolean say(int server, String text) {
        PeerLink link = node.peers().link(server);
        return link != null && link.offer(new Text(text.getBytes(StandardCharsets.UTF_8)));
    }

    private record Text(byte[] text) implements Outgoing {
        @Override
        public MessageType type() {
            return TEXT;
        }

        @Override
        public int bytes() {
            return text.length;
        }

        @Override
        public void write(ByteWriter to, int protocol) {
            to.raw(text);
        }
    }

    /** Waits, at most for a while. */
    static void await(String what, Duration most, BooleanSupplier until) {
        long end = System.nanoTime() + most.toNanos();
        while (!until.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError(what + " did not come within " + most);
            }
            try {
                Thread.sleep(5);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    @Override
    public boolean onMessage(PeerLink from, MessageType type, ByteReader body, int length) {
        bytesHeard.addAndGet(length);
        if (length < 1_000) {
            heard.add(new String(body.raw(length), StandardCharsets.UTF_8));
        }
        return true;
    }

    @Override
    public void onUp(PeerLink link, Resumed resumed) {
        events.add("up " + link.peer());
    }

    @Override
    public void onSilent(PeerLink link) {
        events.add("silent " + link.peer());
    }

    @Override
    public void onHeard(PeerLink link) {
        events.add("heard " + link.peer());
    }

    @Override
    public void onDown(PeerLink link, List<Unconfirmed> unconfirmed) {
        events.add("down " + link.peer());
        if (link.state() != LinkState.DOWN) {
            throw new AssertionError(link + " is told to be down and is " + link.state());
        }
    }

    @Override
    public void onRoom(PeerLink link, TrafficClass traffic) {
        events.add("room " + traffic);
    }

    @Override
    public void onNodes(Nodes nodes) {
        // Asked for when needed.
    }

    @Override
    public void onIntruder(String line) {
        intruder = line;
    }

    /** As if the process had been killed: connections close, nobody is told. */
    void kill() throws Exception {
        Util.shutdown(transport.channel());
        node.close();
    }

    @Override
    public void close() {
        node.close();
    }

    private static final class ShiftedTime implements TimeSource {
        private final long aheadMs;
        private final long olderMs;
        private volatile boolean isMade;

        ShiftedTime(long aheadMs, long olderMs) {
            this.aheadMs = aheadMs;
            this.olderMs = olderMs;
        }

        /** While the node is made the time of its start is taken. */
        @Override
        public long monotonicMs() {
            return System.nanoTime() / 1_000_000 - (isMade ? 0 : olderMs);
        }

        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public long wallMs() {
            return System.currentTimeMillis() + aheadMs;
        }
    }

    private static final class InMemory implements MembersFile {
        private volatile byte[] kept = {};

        @Override
        public byte[] load() {
            return kept;
        }

        @Override
        public void save(byte[] members) {
            kept = members;
        }
    }
}
