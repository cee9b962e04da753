package io.godwit.cluster.node;

import io.godwit.cluster.ClusterRules;
import io.godwit.cluster.ClusterSettings;
import io.godwit.cluster.membership.MembersFile;
import io.godwit.cluster.membership.Membership;
import io.godwit.cluster.membership.MembershipSettings;
import io.godwit.cluster.membership.NodesListener;
import io.godwit.cluster.membership.Self;
import io.godwit.cluster.transport.Endpoint;
import io.godwit.cluster.transport.Handlers;
import io.godwit.cluster.transport.LinkContext;
import io.godwit.cluster.transport.LinkCounters;
import io.godwit.cluster.transport.LinkFigures;
import io.godwit.cluster.transport.LinkSettings;
import io.godwit.cluster.transport.LinkThreads;
import io.godwit.cluster.transport.Links;
import io.godwit.cluster.transport.PeerListener;
import io.godwit.cluster.transport.PeerListeners;
import io.godwit.cluster.transport.Peers;
import io.godwit.cluster.transport.Transport;
import io.godwit.cluster.transport.TransportFailure;
import io.godwit.cluster.transport.WallNodeClock;
import io.godwit.core.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

/** This node among others: threads, links and membership over a transport. */
public final class ClusterNode implements AutoCloseable {
    private final Transport transport;
    private final LinksThread thread;
    private final Membership membership;
    private final Links links;
    private final LinkCounters counters = new LinkCounters();
    private final WallNodeClock clock;
    private final EndedNodes ended;

    /**
     * @param thread that links and membership live on
     * @param bounds of the links; its peer time-out is that of the settings
     * @param handlers of the rooms' messages; membership's are added
     * @param listeners are told of links after membership was
     */
    public ClusterNode(
            ClusterSettings settings,
            LinkSettings bounds,
            Self self,
            TimeSource time,
            LinksThread thread,
            MembersFile file,
            Transport transport,
            Handlers handlers,
            List<PeerListener> listeners,
            NodesListener nodes) {
        this.transport = transport;
        this.thread = thread;
        this.clock = new WallNodeClock(time, settings.clockOffsetMaxMs());
        this.ended = new EndedNodes(transport::address);
        membership =
                new Membership(
                        self,
                        new MembershipSettings(
                                settings.name(),
                                settings.clockOffsetMaxMs(),
                                settings.peerTimeoutMs(),
                                settings.forgetAfterMs(),
                                MembershipSettings.PROTOCOL_MIN,
                                MembershipSettings.PROTOCOL),
                        ClusterRules.ALL,
                        time,
                        file,
                        thread::execute,
                        nodes);
        List<PeerListener> all = new ArrayList<>(List.of(ended, membership));
        all.addAll(listeners);
        links =
                new Links(
                        new LinkContext(
                                self.start(),
                                new LinkSettings(
                                        settings.peerTimeoutMs(),
                                        bounds.creditBytes(),
                                        bounds.roomBytes()),
                                handlers.with(membership, Membership.messages()),
                                clock,
                                counters,
                                ClusterRules.ALL),
                        transport,
                        new Threads(thread),
                        membership,
                        new PeerListeners(all));
    }

    /** Each peer has a thread of its own that sends. */
    private record Threads(LinksThread links) implements LinkThreads {
        @Override
        public void execute(Runnable task) {
            links.execute(task);
        }

        @Override
        public Sending startSending(Endpoint to, BooleanSupplier step) {
            return new SendingThread(to, step);
        }
    }

    /** Finds others and opens links. */
    public void start() throws TransportFailure {
        thread.start(nowMs -> {
            links.tick(nowMs);
            membership.tick(nowMs);
        });
        transport.open(links);
        ended.start();
    }

    /** Whether a node that there was a link to has ended, as far as is known; any thread. */
    public boolean hasEnded(int server) {
        return ended.hasEnded(server);
    }

    /** Returns the highest clock that another node has sent; any thread. */
    public long observedClock() {
        return clock.observed();
    }

    public Peers peers() {
        return links;
    }

    /** What goes by each open link; any thread. */
    public List<LinkFigures> figures() {
        return links.figures();
    }

    /**
     * Whether everyone that the transport knows of has a link or was refused. On the thread of the
     * links.
     */
    public boolean isSettled() {
        return links.isSettled();
    }

    public Membership membership() {
        return membership;
    }

    public LinkCounters counters() {
        return counters;
    }

    /** Runs tasks on the thread of the links. */
    public Executor linksThread() {
        return thread::execute;
    }

    /** Ends all links and leaves. */
    @Override
    public void close() {
        ended.close();
        thread.execute(links::close);
        thread.close();
        transport.close();
    }
}
