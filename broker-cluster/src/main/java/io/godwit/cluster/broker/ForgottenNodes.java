package io.godwit.cluster.broker;

import io.godwit.cluster.publish.ShardStreams;
import io.godwit.cluster.transport.Forgotten;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;

/**
 * Ends what a broker has of nodes that do not belong to its cluster any more. Messages that wait
 * for one are dropped when it leads nothing any more: others may be taking over its sessions, and
 * get what waits for these.
 */
public final class ForgottenNodes {
    private final Consumer<Consumer<ShardStreams>> onEachShard;
    private final Executor owner;
    private final IntPredicate leadsNothing;
    private final Consumer<Set<Integer>> forget;
    private final Consumer<Set<Integer>> drop;
    private volatile Set<Integer> servers = Set.of();

    /** Holds forgotten nodes for which nothing waits any more. */
    private volatile Set<Integer> dropped = Set.of();

    /**
     * @param onEachShard has a task done for the streams of each shard
     * @param owner the shard that owns the topic index
     * @param leadsNothing asked there, by server id, whether all that a node led is led by others,
     *     to whom this node has switched over, and nobody is to take its groups' queues over
     * @param forget to be called there, with server ids
     * @param drop called there with those that lead nothing any more
     */
    ForgottenNodes(
            Consumer<Consumer<ShardStreams>> onEachShard,
            Executor owner,
            IntPredicate leadsNothing,
            Consumer<Set<Integer>> forget,
            Consumer<Set<Integer>> drop) {
        this.onEachShard = onEachShard;
        this.owner = owner;
        this.leadsNothing = leadsNothing;
        this.forget = forget;
        this.drop = drop;
    }

    /**
     * Some nodes do not belong to the cluster any more, or belong to it again. To be called before
     * the first link, with those that an earlier start has forgotten, and whenever that changes; on
     * any thread.
     */
    public void now(Forgotten forgotten) {
        Set<Integer> all = forgotten.servers();
        servers = all;
        onEachShard.accept(of -> of.forgotten(gone())); // Those that are back have links soon.
        owner.execute(() -> {
            forget.accept(all);
            look();
        });
    }

    /** Takes the forgotten nodes for which something may wait; on the shard of the topic index. */
    void forEachAwaited(IntConsumer task) {
        for (int each : servers) {
            if (!dropped.contains(each)) {
                task.accept(each);
            }
        }
    }

    /** Drops what waits for nodes that lead nothing any more; on the shard of the topic index. */
    void look() {
        if (servers.equals(dropped)) {
            return;
        }
        Set<Integer> ready = new TreeSet<>(servers);
        ready.removeIf(each -> !dropped.contains(each) && !leadsNothing.test(each));
        if (!ready.equals(dropped)) {
            dropped = ready;
            onEachShard.accept(of -> of.forgotten(gone()));
            drop.accept(ready);
        }
    }

    /** Returns those of the dropped ones that are not back since. */
    private Set<Integer> gone() {
        Set<Integer> gone = new TreeSet<>(dropped);
        gone.retainAll(servers);
        return gone;
    }
}
