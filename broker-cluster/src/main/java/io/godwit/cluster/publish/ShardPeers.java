package io.godwit.cluster.publish;

import io.godwit.core.node.BrokerShard;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** The other nodes that one shard has heard of or sent to since its start. */
final class ShardPeers {
    private final BrokerShard shard;
    private final OpenPublishes open;
    private final Runnable whenToFlush;
    private final Map<Integer, PeerStreams> peers = new LinkedHashMap<>();

    /**
     * @param whenToFlush asks for {@link PeerStreams#flush} at the end of the turn
     */
    ShardPeers(BrokerShard shard, OpenPublishes open, Runnable whenToFlush) {
        this.shard = shard;
        this.open = open;
        this.whenToFlush = whenToFlush;
    }

    /** What there is with a node; made when there was nothing. */
    PeerStreams of(int server) {
        return peers.computeIfAbsent(
                server, any -> new PeerStreams(server, shard, open, whenToFlush));
    }

    Collection<PeerStreams> all() {
        return peers.values();
    }

    Set<Integer> servers() {
        return peers.keySet();
    }
}
