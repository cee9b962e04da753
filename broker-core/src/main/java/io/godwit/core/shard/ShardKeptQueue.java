package io.godwit.core.shard;

import io.godwit.core.message.QueueHandle;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;
import io.godwit.core.store.CommitWaiter;
import io.godwit.core.store.KeptQueue;
import io.godwit.core.store.QueueState;
import io.godwit.core.store.Receiver;
import io.godwit.core.store.RowRead;
import io.godwit.core.store.ShardStore;
import org.jspecify.annotations.Nullable;

/** A queue whose operations go into the open commit of its shard, with those of all the others. */
final class ShardKeptQueue implements KeptQueue {
    private final ShardStore store;
    private final ShardCommits commits;
    private final long queueId;

    /**
     * The queue's handle, looked up once; null while nothing was appended here, and in a store that
     * has none.
     */
    private @Nullable QueueHandle handle;

    ShardKeptQueue(ShardStore store, ShardCommits commits, long queueId) {
        this.store = store;
        this.commits = commits;
        this.queueId = queueId;
    }

    @Override
    public long queueId() {
        return queueId;
    }

    @Override
    public int copySet() {
        QueueHandle there = handle();
        return there == null ? 0 : there.copySet;
    }

    private @Nullable QueueHandle handle() {
        if (handle == null && queueId != 0) {
            handle = store.handle(queueId);
        }
        return handle;
    }

    @Override
    public void precededBy(long predecessorId) {
        store.putPredecessor(queueId, predecessorId);
    }

    @Override
    public void append(QueuedMessage entry) {
        entry.queue = handle();
        store.append(entry);
    }

    @Override
    public void remember(Remembered ingress) {
        store.remember(ingress);
    }

    @Override
    public void forget(Remembered ingress) {
        store.forget(ingress);
    }

    @Override
    public void inFlight(QueuedMessage entry) {
        store.inFlight(entry);
    }

    @Override
    public void released(QueuedMessage entry) {
        store.released(entry);
    }

    @Override
    public void inFlightTo(QueuedMessage entry, Receiver to) {
        store.inFlightTo(entry, to);
    }

    @Override
    public void idleAgain(QueuedMessage entry) {
        store.idleAgain(entry);
    }

    @Override
    public void remove(QueuedMessage entry) {
        store.remove(entry);
    }

    @Override
    public void removeRow(long messageId, int server) {
        store.removeRow(queueId, messageId, server);
    }

    @Override
    public void read(RowRead page) {
        store.read(page);
    }

    @Override
    public void whenKept(CommitWaiter waiter) {
        QueueHandle there = handle();
        if (there == null) {
            commits.afterCommit(waiter);
        } else {
            commits.afterCommit(there.copySet, waiter);
        }
    }

    @Override
    public void describe(QueueState.Reader to) {
        store.describe(queueId, to);
    }
}
