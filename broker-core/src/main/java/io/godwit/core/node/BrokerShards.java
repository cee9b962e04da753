package io.godwit.core.node;

import io.godwit.core.shard.ShardLoop;
import java.util.random.RandomGenerator;

/** Makes the shards of one node and tells each of the others. */
public final class BrokerShards {
    private BrokerShards() {}

    public static BrokerShard[] create(
            NodeContext context, ShardLoop[] loops, RandomGenerator.SplittableGenerator random) {
        BrokerShard[] shards = new BrokerShard[loops.length];
        for (int i = 0; i < loops.length; i++) {
            shards[i] = new BrokerShard(i, loops[i], context, random.split());
        }
        for (BrokerShard shard : shards) {
            shard.connect(shards);
        }
        context.shards(shards);
        SessionsOfGroups sessions = new SessionsOfGroups(shards, context.cluster());
        for (BrokerShard shard : shards) {
            shard.groups().questions(sessions);
        }
        return shards;
    }
}
