package io.godwit.core.id;

import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ids that a shard gives: each no other shard gives, and none that an earlier start has given.
 * Shards count up in turns, each by their number.
 */
public final class ShardIds implements MessageIds {
    /**
     * An ingress counter: 18 bits of start number, 46 bits that the shards count up in turns. At a
     * million messages a second a start has enough of them for two years.
     */
    private static final int INGRESS_BITS = 46;

    private static final Logger LOG = LoggerFactory.getLogger(ShardIds.class);

    private final int shard;
    private final LongSupplier wallMs;
    private final HybridClock clock;
    private final int step;
    private final int serverId;
    private final long queueCounterMax;
    private long ingressCounter;
    private long queueCounter;
    private boolean queueIdsEnded;

    /**
     * @param shards of the node
     * @param wallMs epoch milliseconds of the shard's turn
     * @param floor above which the ids of this start begin
     * @param isBounded whether queue ids are kept through a restart, and so are not to be given
     *     beyond those that were reserved
     */
    public ShardIds(
            int shard,
            int shards,
            int serverId,
            LongSupplier wallMs,
            IdFloor floor,
            boolean isBounded) {
        this.shard = shard;
        this.step = shards;
        this.serverId = serverId;
        this.wallMs = wallMs;
        this.clock = new HybridClock(shard, shards);
        clock.observe(floor.clock());
        this.ingressCounter = (floor.startNumber() << INGRESS_BITS) + shard;
        this.queueCounter = floor.queueCounter() + shard + 1;
        this.queueCounterMax =
                isBounded ? floor.queueCounter() + IdFloor.QUEUE_COUNTERS : Long.MAX_VALUE;
    }

    /** Of a new session. */
    public long nextGeneration() {
        return clock.next(wallMs.getAsLong());
    }

    public long nextIngressCounter() {
        ingressCounter += step;
        return ingressCounter;
    }

    /**
     * @param last id of the queue so far: of another shard's clock, perhaps, which was ahead; or 0
     */
    @Override
    public long nextMessageId(long last) {
        clock.observe(last);
        return clock.next(wallMs.getAsLong());
    }

    /**
     * @return 0 when this start has given all of its queue ids: some millions for each shard
     */
    public long nextQueueId() {
        long counter = queueCounter;
        if (counter > queueCounterMax) {
            if (!queueIdsEnded) {
                queueIdsEnded = true;
                LOG.error(
                        "Shard {} has given all the queue ids of this start: it refuses CONNECTs"
                                + " that need one until a restart brings new ones",
                        shard);
            }
            return 0;
        }
        queueCounter += step;
        return QueueId.of(serverId, counter);
    }
}
