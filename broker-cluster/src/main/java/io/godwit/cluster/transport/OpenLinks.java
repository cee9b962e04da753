package io.godwit.cluster.transport;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The links of a node from when one side opens them until no thread is inside them any more. Tells
 * the listener of both.
 *
 * <p>Any thread looks a link up; the rest is the links' thread's.
 */
final class OpenLinks implements Peers {
    private final LinkContext context;
    private final PeerListener listener;

    /** By the server of the peer; also those that are ending. */
    private volatile Map<Integer, PeerLink> open = Map.of();

    /** Ended, but a thread may still be inside. */
    private final Map<PeerState, Link> ending = new LinkedHashMap<>();

    /** What has come by the last link to a start that brought anything. */
    private final Map<NodeStart, Resumed> formers = new LinkedHashMap<>();

    OpenLinks(LinkContext context, PeerListener listener) {
        this.context = context;
        this.listener = listener;
    }

    @Override
    public @Nullable PeerLink link(int server) {
        return open.get(server);
    }

    @Override
    public Collection<PeerLink> links() {
        return open.values();
    }

    /** What has come by the last link to this start of a peer. */
    Resumed former(NodeStart start) {
        return formers.getOrDefault(start, Resumed.NOTHING);
    }

    /**
     * Opens the link that a hello agrees to.
     *
     * @param hello of the peer, whose former link is ended
     */
    void open(PeerState peer, HelloFrame hello) {
        NodeStart start = hello.from();
        LinkName name =
                new LinkName(context.self(), peer.handshake.near(), start, peer.handshake.far());
        Link link = new Link(name, peer.endpoint, peer.protocol, context, peer::wake);
        context.counters().increment(LinkMetric.LINKS_UP);
        formers.keySet().removeIf(each -> each.server() == start.server() && !each.equals(start));
        Map<Integer, PeerLink> more = new LinkedHashMap<>(open);
        more.put(start.server(), link);
        open = more;
        listener.onUp(link, hello.former());
        peer.link(link);
    }

    /**
     * Ends a peer's link.
     *
     * @return see {@link #isEnded}
     */
    boolean end(PeerState peer, Link link) {
        link.end();
        peer.link(null);
        ending.put(peer, link);
        return isEnded(peer);
    }

    /** Whether the peer's link was last seen ending. */
    boolean isEnding(PeerState peer) {
        return ending.containsKey(peer);
    }

    /** Looks at all that are ending. */
    void tick() {
        for (PeerState peer : List.copyOf(ending.keySet())) {
            isEnded(peer);
        }
    }

    /** Whether the peer has no link that has ended and of which a thread may still be inside. */
    boolean isEnded(PeerState peer) {
        Link link = ending.get(peer);
        if (link == null) {
            return true;
        }
        List<Unconfirmed> unconfirmed = link.unconfirmed();
        if (unconfirmed == null) {
            return false;
        }
        ending.remove(peer);
        if (link.hasReceived()) {
            formers.put(link.peer(), link.received());
        }
        Map<Integer, PeerLink> fewer = new LinkedHashMap<>(open);
        fewer.remove(link.peer().server(), link);
        open = fewer;
        context.counters().increment(LinkMetric.LINKS_DOWN);
        listener.onDown(link, unconfirmed);
        return true;
    }
}
