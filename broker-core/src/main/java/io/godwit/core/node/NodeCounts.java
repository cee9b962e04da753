package io.godwit.core.node;

import io.godwit.core.load.ShardLoad;
import io.godwit.core.metrics.Counters;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Every {@link NodeCount} of one node, or of several together, at one moment. */
public final class NodeCounts {
    private final long[] values = new long[NodeCount.values().length];

    public long get(NodeCount of) {
        return values[of.ordinal()];
    }

    public void set(NodeCount of, long value) {
        values[of.ordinal()] = value;
    }

    /** Adds what one shard of the node counts. */
    void add(ShardLoad load, Counters counters) {
        for (NodeCount each : NodeCount.values()) {
            values[each.ordinal()] += each.ofShard(load, counters);
        }
    }

    /** Takes in what another node counts. */
    void join(NodeCounts other) {
        for (NodeCount each : NodeCount.values()) {
            set(each, each.together(get(each), other.get(each)));
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof NodeCounts counts && Arrays.equals(values, counts.values);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(values);
    }

    @Override
    public String toString() {
        return Arrays.toString(values);
    }
}
