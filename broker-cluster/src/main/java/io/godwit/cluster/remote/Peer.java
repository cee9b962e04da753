package io.godwit.cluster.remote;

import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.NodeStart;
import io.netty.util.collection.LongObjectHashMap;

/**
 * One start of another node, as one shard sees it in one role.
 *
 * @param <C> a side of a channel
 */
final class Peer<C> {
    final NodeStart start;
    final PeerPost post;

    /** By their numbers. */
    final LongObjectHashMap<C> channels = new LongObjectHashMap<>();

    /** How many shards it has; 0: it has not said so yet. */
    int shards;

    /** Milliseconds for which it has no link, as far as this shard ran. */
    long downMs;

    boolean isLinked;

    Peer(NodeStart start, MessageType type, ChannelContext context) {
        this.start = start;
        post = new PeerPost(type, context);
    }
}
