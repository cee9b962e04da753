package io.godwit.cluster.broker;

import io.godwit.cluster.publish.ShardStreams;
import io.godwit.cluster.transport.Forgotten;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** What follows for a broker when nodes do not belong to its cluster any more. */
public final class ForgottenNodes {
    private final Consumer<Consumer<ShardStreams>> onEachShard;
    private final Executor owner;
    private final Consumer<Set<Integer>> forget;

    /**
     * @param onEachShard has a task done for the streams of each shard
     * @param owner the shard that owns the topic index
     * @param forget to be called there, with server ids
     */
    ForgottenNodes(
            Consumer<Consumer<ShardStreams>> onEachShard,
            Executor owner,
            Consumer<Set<Integer>> forget) {
        this.onEachShard = onEachShard;
        this.owner = owner;
        this.forget = forget;
    }

    /**
     * Some nodes do not belong to the cluster any more, or belong to it again. To be called before
     * the first link, with those that an earlier start has forgotten, and whenever that changes; on
     * any thread.
     */
    public void now(Forgotten forgotten) {
        onEachShard.accept(of -> of.forgotten(forgotten.servers()));
        owner.execute(() -> forget.accept(forgotten.servers()));
    }
}
