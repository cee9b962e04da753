package io.godwit.cluster.remote;

import io.godwit.core.node.BrokerShard;
import io.godwit.core.shard.Turns;

/**
 * What the channels of one shard share, in both roles.
 *
 * @param shard index of the shard
 * @param shards how many this node has, at most 1 024
 * @param buffers that connections encode into
 * @param peerTimeoutMs a node that has no link for so long has lost its channels
 */
public record ChannelContext(
        int shard,
        int shards,
        Turns turns,
        TurnClock clock,
        ChannelAccount account,
        ConnectFormat connects,
        ChannelCounters counters,
        Buffers buffers,
        long peerTimeoutMs) {
    public ChannelContext {
        if (shards > 1 << Records.SHARD_BITS) {
            throw new IllegalArgumentException(shards + " shards: at most 1 024 have channels");
        }
    }

    /** The context of a shard of a broker. */
    public static ChannelContext of(
            BrokerShard shard,
            int shards,
            ConnectFormat connects,
            Buffers buffers,
            long peerTimeoutMs) {
        TurnClock clock =
                new TurnClock() {
                    @Override
                    public void enter() {
                        shard.enter();
                    }

                    @Override
                    public long nowMs() {
                        return shard.nowMs();
                    }
                };
        return new ChannelContext(
                shard.index(),
                shards,
                shard,
                clock,
                new ShardAccount(shard.load()),
                connects,
                new ChannelCounters(),
                buffers,
                peerTimeoutMs);
    }
}
