package io.godwit.cluster.remote;

import io.godwit.cluster.transport.LinkSettings;
import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.Resumed;
import io.godwit.cluster.transport.Unconfirmed;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The other nodes of one shard in one role, and which of them are lost: another start of the node
 * is there, or there is no link for {@code cluster.peer-timeout}.
 *
 * @param <C> a side of a channel
 */
final class PeerTable<C> {
    private final MessageType type;
    private final ChannelContext context;
    private final Consumer<Peer<C>> onLost;
    private final Map<Integer, Peer<C>> byServer = new HashMap<>();
    private long tickedMs;
    private boolean hasTicked;

    /**
     * @param type of the messages to them
     * @param onLost ends the channels of one that is lost; nothing is sent to it any more
     */
    PeerTable(MessageType type, ChannelContext context, Consumer<Peer<C>> onLost) {
        this.type = type;
        this.context = context;
        this.onLost = onLost;
    }

    @Nullable Peer<C> of(NodeStart start) {
        Peer<C> peer = byServer.get(start.server());
        return peer != null && peer.start.equals(start) ? peer : null;
    }

    Collection<Peer<C>> all() {
        return byServer.values();
    }

    /** A link is open. */
    Peer<C> onUp(PeerLink link, Resumed resumed) {
        NodeStart start = link.peer();
        Peer<C> before = byServer.get(start.server());
        boolean isSame = before != null && before.start.equals(start);
        Peer<C> peer = before != null && isSame ? before : new Peer<>(start, type, context);
        byServer.put(start.server(), peer);
        peer.isLinked = true;
        peer.downMs = 0;
        peer.post.onUp(link, resumed);
        if (before != null && !isSame) {
            lose(before); // Who asks again at once finds the new start.
        }
        return peer;
    }

    void onDown(PeerLink link, List<Unconfirmed> unconfirmed) {
        Peer<C> peer = of(link.peer());
        if (peer != null) {
            peer.isLinked = false;
            peer.post.onDown(unconfirmed);
        }
    }

    /** Counts the time for which peers have no link; what this shard did not run does not count. */
    void tick(long nowMs) {
        long elapsed = hasTicked ? Math.min(nowMs - tickedMs, 2 * LinkSettings.TICK_MS) : 0;
        hasTicked = true;
        tickedMs = nowMs;
        List<Peer<C>> lost = null;
        for (Peer<C> each : byServer.values()) {
            if (!each.isLinked) {
                each.downMs += elapsed;
                if (each.downMs >= context.peerTimeoutMs()) {
                    lost = lost == null ? new ArrayList<>() : lost;
                    lost.add(each);
                }
            }
        }
        if (lost != null) {
            lost.forEach(this::lose);
        }
    }

    private void lose(Peer<C> peer) {
        byServer.remove(peer.start.server(), peer);
        peer.post.close();
        onLost.accept(peer);
    }
}
