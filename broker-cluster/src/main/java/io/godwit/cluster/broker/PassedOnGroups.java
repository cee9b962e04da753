package io.godwit.cluster.broker;

import io.godwit.core.node.Broker;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.time.Timer;

/**
 * What waits in the shared groups of a node that leaves, and goes to nodes that have members of
 * them. Groups pass it on by themselves: this looks until nothing of it is left, twice, since the
 * last sessions that went may still be leaving them.
 */
final class PassedOnGroups extends Timer {
    private static final long LOOK_MS = 200;

    private final Broker broker;
    private final BrokerShard owner;
    private final Runnable whenOver;
    private boolean wasNothing;
    private volatile long left;

    /**
     * @param whenOver told once, on the shard that owns the topic index; that may be never
     */
    PassedOnGroups(Broker broker, Runnable whenOver) {
        this.broker = broker;
        this.owner = broker.shard(TopicIndex.OWNER);
        this.whenOver = whenOver;
    }

    /** Messages that others are still to have, as of the last look. Any thread. */
    long left() {
        return left;
    }

    /** Begins to look. Any thread. */
    void look() {
        sum(TopicIndex.OWNER, 0);
    }

    /** What is left to pass on, asked from shard to shard. */
    private void sum(int shard, long before) {
        if (shard == broker.shards()) {
            left = before;
            owner.execute(this::looked);
            return;
        }
        BrokerShard at = broker.shard(shard);
        at.execute(() -> sum(shard + 1, before + at.leftToPassOn()));
    }

    private void looked() {
        boolean isNothing = left == 0;
        if (wasNothing && isNothing) {
            whenOver.run();
        } else {
            wasNothing = isNothing;
            owner.timers().arm(this, owner.nowMs() + LOOK_MS);
        }
    }

    @Override
    protected void onTimer(long nowMs) {
        look();
    }
}
