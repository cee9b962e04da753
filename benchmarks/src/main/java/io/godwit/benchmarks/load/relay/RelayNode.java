package io.godwit.benchmarks.load.relay;

import io.godwit.cluster.ClusterSettings;
import io.godwit.cluster.Discovery;
import io.godwit.cluster.jgroups.JGroupsTransport;
import io.godwit.cluster.membership.MembersFile;
import io.godwit.cluster.membership.Nodes;
import io.godwit.cluster.membership.NodesListener;
import io.godwit.cluster.membership.Self;
import io.godwit.cluster.node.ClusterNode;
import io.godwit.cluster.transport.Handlers;
import io.godwit.cluster.transport.LinkMetric;
import io.godwit.cluster.transport.LinkSettings;
import io.godwit.cluster.transport.MessageHandler;
import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.PeerListener;
import io.godwit.cluster.transport.Resumed;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.cluster.transport.TransportFailure;
import io.godwit.cluster.transport.Unconfirmed;
import io.godwit.core.operation.ByteReader;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * One end of the relay: a node of a cluster of two, with the links of production, and nothing above
 * them. The windows of its channels bound what waits for the other node. A link that ends makes the
 * measurement void, so it ends the process.
 */
final class RelayNode implements RelayPeer, NodesListener, PeerListener, MessageHandler {
    private final ClusterNode node;
    private final List<RelayLoop> loops = new ArrayList<>();
    private volatile boolean isUp;
    private final int peer;

    RelayNode(int server, int peer, InetSocketAddress bind, InetSocketAddress other) {
        this.peer = peer;
        ClusterSettings settings =
                new ClusterSettings(
                        "relay",
                        bind,
                        Discovery.STATIC,
                        List.of(text(bind), text(other)),
                        ClusterSettings.FAILURE_TIMEOUT_MS,
                        ClusterSettings.MERGE_INTERVAL_MS,
                        ClusterSettings.PEER_TIMEOUT_MS,
                        ClusterSettings.CLOCK_OFFSET_MAX_MS,
                        0,
                        null,
                        false);
        MachineTime time = new MachineTime();
        node =
                new ClusterNode(
                        settings,
                        LinkSettings.DEFAULTS,
                        new Self(new NodeStart(server, 1), server, "n" + server, "", "relay"),
                        time,
                        new TimerLinksThread(time),
                        new NoFile(),
                        new JGroupsTransport(settings, "n" + server),
                        new Handlers().with(this, RelayBatch.TYPE),
                        List.of(this),
                        this);
    }

    private static String text(InetSocketAddress address) {
        return address.getHostString() + ":" + address.getPort();
    }

    /**
     * Finds the other node, and begins to call.
     *
     * @param giveBackBytes that a socket takes before the sender is told
     */
    List<RelayLoop> start(List<EventLoop> eventLoops, FlowControl flow, int giveBackBytes)
            throws TransportFailure {
        for (EventLoop each : eventLoops) {
            loops.add(
                    new RelayLoop(
                            this, each, loops.size(), eventLoops.size(), flow, giveBackBytes));
        }
        Runtime.getRuntime().addShutdownHook(new Thread(this::printCounters));
        node.start();
        return loops;
    }

    @Override
    public boolean isUp() {
        return isUp;
    }

    @Override
    public void send(RelayBatch batch) {
        PeerLink link = node.peers().link(peer);
        if (link == null || !link.offer(batch)) {
            fail("the link takes nothing");
        }
    }

    @Override
    public boolean onMessage(PeerLink from, MessageType type, ByteReader body, int length) {
        loops.get(body.smallInt()).arrived(body.rest());
        return true;
    }

    @Override
    public void onHandled(PeerLink from) {
        loops.forEach(RelayLoop::wake);
    }

    @Override
    public void onUp(PeerLink link, Resumed resumed) {
        isUp = true;
    }

    @Override
    public void onSilent(PeerLink link) {
        System.err.println("silent: " + link);
    }

    @Override
    public void onHeard(PeerLink link) {
        System.err.println("heard: " + link);
    }

    @Override
    public void onDown(PeerLink link, List<Unconfirmed> unconfirmed) {
        fail("the link has ended");
    }

    @Override
    public void onRoom(PeerLink link, TrafficClass traffic) {
        // Nobody asks for room: windows are smaller.
    }

    @Override
    public void onNodes(Nodes nodes) {
        // Two of them.
    }

    @Override
    public void onIntruder(String line) {
        fail(line);
    }

    private void printCounters() {
        for (LinkMetric each : LinkMetric.values()) {
            System.err.println(each.metricName() + " " + node.counters().get(each));
        }
    }

    static void fail(String why) {
        System.err.println(why);
        Runtime.getRuntime().halt(1);
    }

    private record NoFile() implements MembersFile {
        @Override
        public byte[] load() {
            return new byte[0];
        }

        @Override
        public void save(byte[] members) {
            // A relay starts anew each time.
        }
    }
}
