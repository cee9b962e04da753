package io.godwit.core.shard;

import io.godwit.core.message.QueueHandle;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;
import io.godwit.core.store.CommitWaiter;
import io.godwit.core.store.KeptQueue;
import io.godwit.core.store.QueueState;
import io.godwit.core.store.Receiver;
import io.godwit.core.store.RowRead;
import org.jspecify.annotations.Nullable;

/** A queue whose operations go into the open commit of its shard, with those of all the others. */
final class KeptByShard implements KeptQueue {
    private final Shard shard;
    private final long queueId;

    /** Looked up once; null while nothing was appended here, and in a store that has none. */
    private @Nullable QueueHandle handle;

    KeptByShard(Shard shard, long queueId) {
        this.shard = shard;
        this.queueId = queueId;
    }

    @Override
    public long queueId() {
        return queueId;
    }

    @Override
    public int replicaSet() {
        QueueHandle there = handle();
        return there == null ? 0 : there.replicaSet;
    }

    private @Nullable QueueHandle handle() {
        if (handle == null && queueId != 0) {
            handle = shard.store().handle(queueId);
        }
        return handle;
    }

    @Override
    public void append(QueuedMessage entry) {
        entry.queue = handle();
        shard.store().append(entry);
    }

    @Override
    public void remember(Remembered ingress) {
        shard.store().remember(ingress);
    }

    @Override
    public void forget(Remembered ingress) {
        shard.store().forget(ingress);
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
        QueueHandle there = handle();
        if (there == null) {
            shard.afterCommit(waiter);
        } else {
            shard.afterCommit(there.replicaSet, waiter);
        }
    }

    @Override
    public void describe(QueueState.Reader to) {
        shard.store().describe(queueId, to);
    }
}
