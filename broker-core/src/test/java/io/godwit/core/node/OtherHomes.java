package io.godwit.core.node;

import io.godwit.core.ack.EveryNode;
import io.godwit.core.ack.Takers;
import io.godwit.core.id.IngressId;
import io.godwit.core.index.FilterSpread;
import io.godwit.core.publish.NodeSender;
import io.godwit.core.takeover.Homes;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Other nodes that give sessions and take them, and route nothing. */
final class OtherHomes implements Cluster {
    private final Homes.Maker homes;

    OtherHomes(Homes.Maker homes) {
        this.homes = homes;
    }

    @Override
    public FilterSpread filters() {
        return FilterSpread.NONE;
    }

    @Override
    public Homes.Maker homes() {
        return homes;
    }

    @Override
    public NodeSender sender(BrokerShard shard) {
        return NodeSender.ALONE;
    }

    @Override
    public void mayBeSentAgain(Set<IngressId> publishes) {}

    @Override
    public @Nullable EveryNode others() {
        return null;
    }

    @Override
    public void remembered(IngressId publish, Takers by) {}

    @Override
    public List<NodeCounts> counts() {
        return List.of();
    }
}
