package io.godwit.cluster.publish;

import io.godwit.core.node.BrokerShard;
import io.godwit.core.routing.TopicIndex;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The other nodes that one shard has heard of or sent to since its start. */
final class ShardPeers {
    /** Bytes that a stream may keep in any case, and those after which it is only late. */
    private static final long BYTES_LEAST = 1 << 10;

    private static final long BYTES_MOST = 8 << 20;

    private final BrokerShard shard;
    private final OpenPublishes open;
    private final Releases releases;
    private final Runnable whenToFlush;
    private final Map<Integer, PeerStreams> peers = new LinkedHashMap<>();

    /** That which was asked for last: each message asks several times for each of its nodes. */
    private @Nullable PeerStreams last;

    /** The same for any thread. */
    private final Map<Integer, PeerStreams> shown = new ConcurrentHashMap<>();

    /**
     * @param whenToFlush asks for {@link PeerStreams#flush} at the end of the turn
     */
    ShardPeers(BrokerShard shard, OpenPublishes open, Releases releases, Runnable whenToFlush) {
        this.shard = shard;
        this.open = open;
        this.releases = releases;
        this.whenToFlush = whenToFlush;
    }

    /** What there is with a node; made when there was nothing. */
    PeerStreams of(int server) {
        PeerStreams before = last;
        if (before != null && before.server == server) {
            return before;
        }
        PeerStreams found = peers.computeIfAbsent(server, this::add);
        last = found;
        return found;
    }

    private PeerStreams add(int server) {
        PeerStreams made =
                new PeerStreams(server, shard, open, releases, this::bytesMax, whenToFlush);
        shown.put(server, made);
        return made;
    }

    /** Bytes that one stream may keep: all of them share what the shard may. */
    private long bytesMax() {
        long share = shard.load().peerBytesMax() / Math.max(1, shown.size());
        boolean hasShared = shard.index() == TopicIndex.OWNER;
        return Math.clamp(hasShared ? share / 3 : share, BYTES_LEAST, BYTES_MOST);
    }

    /** What there is with a node, if there is anything; any thread asks. */
    @Nullable PeerStreams shown(int server) {
        return shown.get(server);
    }

    /** What there is with all nodes; any thread asks. */
    Collection<PeerStreams> shown() {
        return shown.values();
    }

    Collection<PeerStreams> all() {
        return peers.values();
    }

    Set<Integer> servers() {
        return peers.keySet();
    }
}
