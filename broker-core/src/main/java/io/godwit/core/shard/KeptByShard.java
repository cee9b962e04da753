package io.godwit.core.shard;

import io.godwit.core.message.QueuedMessage;
import io.godwit.core.store.CommitWaiter;
import io.godwit.core.store.KeptQueue;
import io.godwit.core.store.Receiver;
import io.godwit.core.store.RowRead;

/** A queue whose operations go into the open commit of its shard, with those of all the others. */
final class KeptByShard implements KeptQueue {
    private final Shard shard;
    private final long queueId;

    KeptByShard(Shard shard, long queueId) {
        this.shard = shard;
        this.queueId = queueId;
    }

    @Override
    public long queueId() {
        return queueId;
    }

    @Override
    public void append(QueuedMessage entry) {
        shard.store().append(entry);
    }

    @Override
    public void inFlight(QueuedMessage entry) {
        shard.store().inFlight(entry);
    }

    @Override
    public void released(QueuedMessage entry) {
        shard.store().released(entry);
    }

    @Override
    public void inFlightTo(QueuedMessage entry, Receiver to) {
        shard.store().inFlightTo(entry, to);
    }

    @Override
    public void idleAgain(QueuedMessage entry) {
        shard.store().idleAgain(entry);
    }

    @Override
    public void putMarker(
            long messageId, int server, int packetId, int ingressServer, long ingressCounter) {
        shard.store()
                .putMarker(queueId, messageId, server, packetId, ingressServer, ingressCounter);
    }

    @Override
    public void removeMarker(long messageId, int server) {
        shard.store().removeMarker(queueId, messageId, server);
    }

    @Override
    public void remove(QueuedMessage entry) {
        shard.store().remove(entry);
    }

    @Override
    public void removeRow(long messageId, int server) {
        shard.store().removeRow(queueId, messageId, server);
    }

    @Override
    public void read(RowRead page) {
        shard.store().read(page);
    }

    @Override
    public void whenKept(CommitWaiter waiter) {
        shard.afterCommit(waiter);
    }
}
