package io.godwit.core.queue;

import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import org.jspecify.annotations.Nullable;

/**
 * A queue of one part of a shared group, as far as the group speaks for it: the limits are for all
 * parts together, and it is the group that knows who is online and what an earlier start has left
 * in flight.
 */
abstract class GroupPart extends DurableQueue {
    private final int number;
    final PartOwner owner;

    GroupPart(int number, PartOwner owner, ShardQueues shard) {
        super(0, shard);
        this.number = number;
        this.owner = owner;
    }

    /** Goes before another queue of the same part. */
    GroupPart(long queueId, GroupPart successor) {
        super(queueId, successor);
        this.number = successor.number;
        this.owner = successor.owner;
    }

    public final int number() {
        return number;
    }

    /** The group. */
    public final PartOwner owner() {
        return owner;
    }

    @Override
    boolean isDurable() {
        return owner.isDurable();
    }

    @Override
    boolean isOnline() {
        return owner.isOnline();
    }

    @Override
    void countDropped(Metric cause, @Nullable Message message, int count) {
        owner.onDropped(cause, message, count);
    }

    @Override
    long limitedMessages() {
        return owner.waitingMessages();
    }

    @Override
    long limitedBytes() {
        return owner.waitingBytes();
    }

    @Override
    boolean discardOldest() {
        return owner.discardOldest();
    }

    @Override
    Metric whenFull() {
        return Metric.DROPPED_GROUP_FULL;
    }

    @Override
    boolean isInFlightRead() {
        return owner.isInFlightRead();
    }

    @Override
    boolean isInFlight(long messageId, int server) {
        return owner.wasInFlight(messageId, server);
    }

    @Override
    void onReadFailed(Throwable failure) {
        owner.onReadFailed(failure);
    }
}
