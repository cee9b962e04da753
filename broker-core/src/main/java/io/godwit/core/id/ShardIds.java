package io.godwit.core.id;

import java.util.function.LongSupplier;

/**
 * The ids that a shard gives: each no other shard gives, and none that an earlier start has given.
 * Shards count up in turns, each by their number.
 */
public final class ShardIds implements MessageIds {
    private final LongSupplier wallMs;
    private final HybridClock clock;
    private final int step;
    private final int serverId;
    private final long startNumber;
    private final QueueIdBlock queueIds;
    private final QueueIdBlock.Reserve reserve;
    private long ingressCounter;

    /**
     * @param shards of the node
     * @param wallMs epoch milliseconds of the shard's turn
     * @param floor above which the ids of this start begin
     * @param queueIds of the node
     * @param reserve asks the store for more of them
     */
    public ShardIds(
            int shard,
            int shards,
            int serverId,
            LongSupplier wallMs,
            IdFloor floor,
            QueueIdBlock queueIds,
            QueueIdBlock.Reserve reserve) {
        this.step = shards;
        this.serverId = serverId;
        this.wallMs = wallMs;
        this.clock = new HybridClock(shard, shards);
        clock.observe(floor.clock());
        this.startNumber = floor.startNumber();
        this.ingressCounter = IngressId.counter(floor.startNumber(), shard);
        this.queueIds = queueIds;
        this.reserve = reserve;
    }

    /** Of a record that is written now: above those of all that this shard has written before. */
    public HybridId stamp() {
        return new HybridId(clock.next(wallMs.getAsLong()), serverId);
    }

    /**
     * @param homeChanges how often the session has changed its home
     */
    public Epoch epoch(long homeChanges) {
        return new Epoch(Epoch.number(homeChanges, startNumber), serverId);
    }

    public IngressId nextIngress() {
        return new IngressId(serverId, nextIngressCounter());
    }

    /** Lifts the clock above a stamp of another shard's. */
    public void observe(HybridId stamp) {
        clock.observe(stamp.clock());
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
     * @return 0 when there is none that is reserved: the CONNECT is refused
     */
    public long nextQueueId() {
        long counter = queueIds.next(reserve);
        return counter == 0 ? 0 : QueueId.of(serverId, counter);
    }
}
