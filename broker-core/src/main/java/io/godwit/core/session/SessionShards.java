package io.godwit.core.session;

import io.godwit.core.shard.ShardLoop;
import java.util.random.RandomGenerator;

/** Makes the shards of one node and tells each of the others. */
public final class SessionShards {
    private SessionShards() {}

    public static SessionShard[] create(
            ShardContext context, ShardLoop[] loops, RandomGenerator.SplittableGenerator random) {
        SessionShard[] shards = new SessionShard[loops.length];
        for (int i = 0; i < loops.length; i++) {
            shards[i] = new SessionShard(i, loops[i], context, random.split());
        }
        for (SessionShard shard : shards) {
            shard.connect(shards);
        }
        context.shards(shards);
        return shards;
    }
}
