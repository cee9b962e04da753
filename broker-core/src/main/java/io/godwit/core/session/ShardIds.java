package io.godwit.core.session;

import io.godwit.core.id.HybridClock;
import io.godwit.core.id.QueueId;
import io.godwit.core.store.IdFloor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ids that a shard gives: each no other shard gives, and none that an earlier start has given.
 * Shards count up in turns, each by their number.
 */
final class ShardIds {
    /**
     * An ingress counter: 18 bits of start number, 46 bits that the shards count up in turns. At a
     * million messages a second a start has enough of them for two years.
     */
    private static final int INGRESS_BITS = 46;

    private static final Logger LOG = LoggerFactory.getLogger(ShardIds.class);

    private final SessionShard shard;
    private final HybridClock clock;
    private final int step;
    private final int serverId;
    private final long queueCounterMax;
    private long ingressCounter;
    private long queueCounter;
    private boolean queueIdsEnded;

    ShardIds(SessionShard shard, ShardContext context) {
        this.shard = shard;
        this.step = context.shardCount();
        this.serverId = context.serverId();
        this.clock = new HybridClock(shard.index(), step);
        IdFloor floor = context.idFloor();
        clock.observe(floor.clock());
        this.ingressCounter = (floor.startNumber() << INGRESS_BITS) + shard.index();
        this.queueCounter = floor.queueCounter() + shard.index() + 1;
        this.queueCounterMax =
                context.store().keeps()
                        ? floor.queueCounter() + IdFloor.QUEUE_COUNTERS
                        : Long.MAX_VALUE;
    }

    /** Of a new session. */
    long nextGeneration() {
        return clock.next(shard.wallMs());
    }

    long nextIngressCounter() {
        ingressCounter += step;
        return ingressCounter;
    }

    /**
     * @param last id of the queue so far: of another shard's clock, perhaps, which was ahead; or 0
     */
    long nextMessageId(long last) {
        clock.observe(last);
        return clock.next(shard.wallMs());
    }

    /**
     * @return 0 when this start has given all of its queue ids: some millions for each shard
     */
    long nextQueueId() {
        long counter = queueCounter;
        if (counter > queueCounterMax) {
            if (!queueIdsEnded) {
                queueIdsEnded = true;
                LOG.error(
                        "Shard {} has given all the queue ids of this start: it refuses CONNECTs"
                                + " that need one until a restart brings new ones",
                        shard.index());
            }
            return 0;
        }
        queueCounter += step;
        return QueueId.of(serverId, counter);
    }
}
