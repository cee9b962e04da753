package io.godwit.core.store;

import io.godwit.core.message.QueuedMessage;
import org.jspecify.annotations.Nullable;

/** What a shard hears of its store; called from any thread. */
public interface CommitOutcome {
    /** Every commit up to this one is as durable as the store promises. */
    void onCommitted(long commit);

    /** This commit is not durable and never will be. */
    void onFailed(long commit, Throwable cause);

    /**
     * These entries, appended by this shard, are rows of their queues now; they may leave memory
     * and be read back. In the order of their appends.
     */
    void onRows(QueuedMessage[] entries);

    /** A page that was asked for has been read: {@link RowRead#onRead} is due. */
    void onRead(RowRead read, @Nullable Throwable failure);
}
