package io.godwit.cluster.transport;

import io.godwit.cluster.ClusterRule;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All links of a node: says hello to whom the transport finds, opens links to whom is admitted,
 * ends what has broken, and tells the listeners. One thread, that of {@link LinkThreads#execute},
 * owns this; data frames pass it by.
 */
public final class Links implements TransportListener, Peers {
    private static final Logger LOG = LoggerFactory.getLogger(Links.class);

    /** Who has refused us, or whom we have, is asked again after so long. */
    private static final long REFUSED_MS = 5_000;

    private final LinkContext context;
    private final Transport transport;
    private final LinkThreads threads;
    private final Admission admission;
    private final PeerListener listener;
    private final OpenLinks links;
    private volatile Map<Endpoint, PeerState> peers = Map.of();
    private long linkNumber;
    private long nowMs;
    private boolean hasTicked;

    /**
     * @param listener hears of all links; called on the links' thread but for {@link
     *     PeerListener#onRoom}
     */
    public Links(
            LinkContext context,
            Transport transport,
            LinkThreads threads,
            Admission admission,
            PeerListener listener) {
        this.context = context;
        this.transport = transport;
        this.threads = threads;
        this.admission = admission;
        this.listener = listener;
        links = new OpenLinks(context, listener);
    }

    @Override
    public @Nullable PeerLink link(int server) {
        return links.link(server);
    }

    @Override
    public Collection<PeerLink> links() {
        return links.links();
    }

    /** Of the links that are open now; any thread. */
    public List<LinkFigures> figures() {
        List<LinkFigures> all = new ArrayList<>();
        for (PeerState each : peers.values()) {
            Link link = each.link();
            if (link != null) {
                all.add(link.figures());
            }
        }
        return all;
    }

    /**
     * Whether everyone that the transport hints at has a link that both sides opened, or was
     * refused, or has refused this node. On the links' thread.
     */
    public boolean isSettled() {
        return peers.values().stream()
                .allMatch(each ->
                        !each.isHinted
                                || each.isRefused
                                || each.handshake.phase() == Handshake.Phase.OPEN);
    }

    // ---- from the transport, on its threads ----

    @Override
    public void onEndpoints(Set<Endpoint> others) {
        Set<Endpoint> now = new LinkedHashSet<>(others);
        threads.execute(() -> hinted(now));
    }

    @Override
    public void onFrame(Endpoint from, byte[] frame, int offset, int length) {
        context.counters().increment(LinkMetric.FRAMES_RECEIVED);
        context.counters().add(LinkMetric.BYTES_RECEIVED, length);
        switch (Frame.kind(frame, offset, length)) {
            case Frame.HELLO -> threads.execute(() -> hello(from, frame, offset, length));
            case Frame.REFUSED -> threads.execute(() -> refused(from, frame, offset, length));
            case Frame.DATA -> data(from, frame, offset, length);
            default -> context.counters().increment(LinkMetric.FRAMES_BAD);
        }
    }

    private void data(Endpoint from, byte[] frame, int offset, int length) {
        PeerState peer = peers.get(from);
        Link link = peer == null ? null : peer.link();
        if (peer == null || link == null) {
            context.counters().increment(LinkMetric.FRAMES_OLD);
            return;
        }
        switch (readOrFail(link, frame, offset, length)) {
            case READ -> {}
            case OLD -> context.counters().increment(LinkMetric.FRAMES_OLD);
            case MISSING -> broken(peer, link, LinkMetric.FRAMES_MISSING, "a frame is missing");
            case BAD -> broken(peer, link, LinkMetric.FRAMES_BAD, "a frame can't be read");
            case CLOCK_AHEAD -> {
                broken(peer, link, LinkMetric.CLOCK_REFUSED, "its clock is too far ahead");
                threads.execute(() -> admission.onClockAhead(link.peer()));
            }
        }
    }

    /** A fault of a room's handler costs the link, so that nothing is taken for handled. */
    private Inbound.Outcome readOrFail(Link link, byte[] frame, int offset, int length) {
        try {
            return link.read(frame, offset, length, listener);
        } catch (RuntimeException e) {
            LOG.error("Link {}: a message could not be handled", link, e);
            return Inbound.Outcome.BAD;
        }
    }

    private void broken(PeerState peer, Link link, LinkMetric metric, String why) {
        context.counters().increment(metric);
        threads.execute(() -> end(peer, link, why));
    }

    // ---- on the links' thread ----

    /**
     * Time has passed.
     *
     * @param now monotonic milliseconds, about {@link LinkSettings#TICK_MS} after the last call
     */
    public void tick(long now) {
        long passed = hasTicked ? now - nowMs : 0;
        long elapsed = passed;
        if (context.rules().holds(ClusterRule.OWN_TIME)) {
            // Beyond this we did not run, and what came meanwhile has yet to be read.
            elapsed = Math.min(elapsed, 2 * LinkSettings.TICK_MS);
        }
        nowMs = now;
        hasTicked = true;
        links.tick();
        for (PeerState peer : List.copyOf(peers.values())) {
            tick(peer, elapsed, passed);
        }
    }

    private void tick(PeerState peer, long elapsed, long passed) {
        Link link = peer.link();
        if (link != null) {
            boolean changed = link.tick(elapsed, passed);
            if (link.isOverrun()) {
                context.counters().increment(LinkMetric.CONTROL_OVERRUN);
                end(peer, link, "it takes in no control messages");
            } else if (link.isFaulty()) {
                end(peer, link, "a message for it could not be written");
            } else if (link.isUnreadable()) {
                context.counters().increment(LinkMetric.FRAMES_BAD);
                end(peer, link, "a record of it can't be read");
            } else if (!peer.isHinted && link.silentMs() >= goneMs()) {
                end(peer, link, "it has left");
            } else if (changed && link.state() == LinkState.SILENT) {
                context.counters().increment(LinkMetric.LINKS_SILENT);
                listener.onSilent(link);
            } else if (changed) {
                listener.onHeard(link);
            }
        }
        if (!peer.isHinted && peer.link() == null && !links.isEnding(peer)) {
            forget(peer);
        } else if (peer.isHinted
                && peer.handshake.phase() != Handshake.Phase.OPEN
                && nowMs >= peer.nextHelloMs) {
            sayHello(peer);
        }
    }

    /** Who is silent for so long, and gone by the transport's word, is gone. */
    private long goneMs() {
        return Math.min(
                context.settings().peerTimeoutMs(),
                context.settings().heartbeatMs() + 3 * LinkSettings.TICK_MS);
    }

    private void hinted(Set<Endpoint> others) {
        for (PeerState peer : peers.values()) {
            peer.isHinted = others.contains(peer.endpoint);
        }
        Set<Endpoint> added = new LinkedHashSet<>(others);
        added.removeAll(peers.keySet());
        for (Endpoint each : added) {
            PeerState peer =
                    new PeerState(
                            each,
                            transport,
                            threads,
                            context.counters(),
                            new Handshake(++linkNumber));
            Map<Endpoint, PeerState> more = new LinkedHashMap<>(peers);
            more.put(each, peer);
            peers = more;
            sayHello(peer);
        }
    }

    private void forget(PeerState peer) {
        Map<Endpoint, PeerState> fewer = new LinkedHashMap<>(peers);
        fewer.remove(peer.endpoint);
        peers = fewer;
        peer.stop();
    }

    private void sayHello(PeerState peer) {
        peer.saidHelloMs = nowMs;
        peer.nextHelloMs = nowMs + context.settings().helloMs();
        NodeStart start = peer.start;
        peer.say(
                new HelloFrame(
                                context.self(),
                                peer.handshake.near(),
                                peer.handshake.phase(),
                                start == null ? HelloFrame.NOBODY : start,
                                peer.handshake.far(),
                                start == null ? Resumed.NOTHING : links.former(start),
                                admission.card())
                        .toBytes());
    }

    private void hello(Endpoint from, byte[] frame, int offset, int length) {
        PeerState peer = peers.get(from);
        if (peer == null || !links.isEnded(peer)) {
            return; // It says so again.
        }
        try {
            HelloFrame hello = HelloFrame.read(frame, offset, length);
            switch (admission.onCard(from, hello.from(), new ByteReader(hello.card()), nowMs)) {
                case Admission.Verdict.Later later -> {}
                case Admission.Verdict.Refused refused -> refuse(peer, refused.why());
                case Admission.Verdict.Accepted accepted -> {
                    peer.protocol = accepted.protocol();
                    peer.isRefused = false;
                    if (isAlone(peer, hello.from())) {
                        accepted(peer, hello);
                    }
                }
            }
        } catch (IndexOutOfBoundsException e) {
            context.counters().increment(LinkMetric.FRAMES_BAD);
            LOG.warn("Can't read the hello of {}", from);
        }
    }

    private void refuse(PeerState peer, byte[] why) {
        Link link = peer.link();
        if (link != null) {
            end(peer, link, "it was refused");
        }
        peer.isRefused = true;
        peer.nextHelloMs = nowMs + REFUSED_MS;
        peer.say(new ByteWriter(why.length + 1).u8(Frame.REFUSED).raw(why).toBytes());
    }

    private void refused(Endpoint from, byte[] frame, int offset, int length) {
        PeerState peer = peers.get(from);
        if (peer == null) {
            return;
        }
        try {
            ByteReader why = new ByteReader(frame, offset + 1, offset + length);
            admission.onRefused(from, why, nowMs);
        } catch (IndexOutOfBoundsException e) {
            context.counters().increment(LinkMetric.FRAMES_BAD);
        }
        peer.isRefused = true;
        peer.nextHelloMs = nowMs + REFUSED_MS;
        Link link = peer.link();
        if (link != null) {
            end(peer, link, "it has refused this node");
        }
    }

    /** Whether no link to another process of the same node is open any more. */
    private boolean isAlone(PeerState peer, NodeStart start) {
        boolean alone = true;
        for (PeerState other : peers.values()) {
            NodeStart known = other.start;
            if (other != peer && known != null && known.server() == start.server()) {
                Link link = other.link();
                if (link != null) {
                    end(other, link, "its node has started anew");
                }
                alone &= links.isEnded(other);
            }
        }
        return alone;
    }

    private void accepted(PeerState peer, HelloFrame hello) {
        if (!hello.from().equals(peer.start)) {
            peer.start = hello.from();
        }
        Handshake handshake = peer.handshake;
        long echo = hello.echo().equals(context.self()) ? hello.echoLink() : 0;
        Link before = peer.link();
        long far = handshake.far();
        Handshake.Step step = handshake.onHello(hello.link(), hello.phase(), echo, linkNumber + 1);
        if (step == Handshake.Step.ENDED) {
            linkNumber++;
            if (before != null && !ended(peer, before, "it has begun anew")) {
                return; // What it has brought is told in the answer to the next hello.
            }
        }
        switch (step) {
            case NONE, ENDED -> {}
            case AGREED -> links.open(peer, hello);
            case AGREED_AND_OPENED -> {
                links.open(peer, hello);
                opened(peer);
            }
            case OPENED -> opened(peer);
        }
        // Hellos that were held back come all at once: one answer is enough for them. But a peer's
        // first one is answered: what was said before may have come before it knew of this node.
        if (step != Handshake.Step.NONE
                || handshake.far() != far
                || handshake.owesAnswer(hello.phase(), echo) && nowMs > peer.saidHelloMs) {
            sayHello(peer);
        }
    }

    private static void opened(PeerState peer) {
        Link link = peer.link();
        if (link != null) {
            link.onPeerOpen();
        }
    }

    /** Ends a link of this side's own accord. */
    private void end(PeerState peer, Link link, String why) {
        if (peer.link() == link) {
            peer.handshake.end(++linkNumber);
            ended(peer, link, why);
        }
    }

    private boolean ended(PeerState peer, Link link, String why) {
        LOG.info("Link {} to {} has ended: {}", link, peer.endpoint, why);
        return links.end(peer, link);
    }

    /** Ends all links and stops sending; the transport is closed by whoever opened it. */
    public void close() {
        for (PeerState peer : List.copyOf(peers.values())) {
            Link link = peer.link();
            if (link != null) {
                end(peer, link, "this node leaves");
            }
            forget(peer);
        }
    }
}
