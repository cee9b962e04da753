package io.godwit.core.node;

import io.godwit.core.index.FilterSpread;
import io.godwit.core.publish.NodeSender;
import io.godwit.core.store.Recovery.KeptSession;

/** What a broker asks the cluster that it belongs to. */
public interface Cluster {
    /** Of a broker that is alone. */
    Cluster NONE =
            new Cluster() {
                @Override
                public FilterSpread filters() {
                    return FilterSpread.NONE;
                }

                @Override
                public void recovered(KeptSession kept) {}

                @Override
                public NodeSender sender(BrokerShard shard) {
                    return NodeSender.ALONE;
                }
            };

    /** Called on the thread of the shard that owns the topic index. */
    FilterSpread filters();

    /**
     * At start, before the shards run: a session that the store has kept. One whose client id
     * begins with U+0000, as no client's does, is the cluster's own.
     */
    void recovered(KeptSession kept);

    /**
     * The way of one shard to other nodes; asked once for each, before it runs.
     *
     * @param shard being made: only what {@link io.godwit.core.shard.Shard} offers may be used yet
     */
    NodeSender sender(BrokerShard shard);
}
