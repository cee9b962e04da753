package io.godwit.core.id;

import java.util.function.LongSupplier;

/**
 * Gives a shard's ids: none that another shard gives or an earlier start has given. Shards count up
 * in turns, each by their number.
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

    /** Server id of this node. */
    public int server() {
        return serverId;
    }

    /** The stamp of a record that is written now: above all that this shard has given before. */
    public HybridId stamp() {
        return new HybridId(clock.next(wallMs.getAsLong()), serverId);
    }

    /** The epoch of what this start writes of a session. */
    public Epoch epoch() {
        return new Epoch(Epoch.number(0, startNumber), serverId);
    }

    /**
     * The id under which a message goes on that a shared group passes to another node.
     *
     * @param entry its message id in the group's queue; one without a server was given here
     */
    public IngressId passedOn(HybridId entry) {
        return IngressId.ofEntry(entry.server() == 0 ? serverId : entry.server(), entry.clock());
    }

    public IngressId nextIngress() {
        return new IngressId(serverId, nextIngressCounter());
    }

    /** Lifts the clock above a stamp of another shard's. */
    public void observe(HybridId stamp) {
        clock.observe(stamp.clock());
    }

    /** The clock of a new session's generation. */
    public long nextGeneration() {
        return clock.next(wallMs.getAsLong());
    }

    public long nextIngressCounter() {
        ingressCounter += step;
        return ingressCounter;
    }

    /**
     * @param last highest id of the queue so far, perhaps of another shard's clock, which was
     *     ahead; or 0
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
