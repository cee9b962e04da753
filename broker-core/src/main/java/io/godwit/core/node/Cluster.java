package io.godwit.core.node;

import io.godwit.core.index.FilterSpread;
import io.godwit.core.publish.NodeSender;

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
                public NodeSender sender(BrokerShard shard) {
                    return NodeSender.ALONE;
                }
            };

    /** Called on the thread of the shard that owns the topic index. */
    FilterSpread filters();

    /**
     * The way of one shard to other nodes; asked once for each, before it runs.
     *
     * @param shard being made: only what {@link io.godwit.core.shard.Shard} offers may be used yet
     */
    NodeSender sender(BrokerShard shard);
}
