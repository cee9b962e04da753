package io.godwit.core.store;

import io.godwit.core.message.QueuedMessage;
import org.jspecify.annotations.Nullable;

/** Hears, for one shard, what the store has to tell; called from any thread. */
public interface CommitOutcome {
    /**
     * Called when every commit up to this one is kept, as safely as {@code durability.sync} says.
     */
    void onCommitted(long commit);

    /**
     * Called like {@link #onCommitted(long)} by a store whose queues may have copies.
     *
     * @param position of the journal up to which everything of these commits is written
     */
    default void onCommitted(long commit, long position) {
        onCommitted(commit);
    }

    /** Called when this commit is not kept and never will be. */
    void onFailed(long commit, Throwable cause);

    /**
     * Called when these entries, appended by this shard, are rows of their queues; they may leave
     * memory and be read back. In the order of their appends.
     */
    void onRows(QueuedMessage[] entries);

    /** Called when a page that was asked for has been read: {@link RowRead#onRead} is due. */
    void onRead(RowRead read, @Nullable Throwable failure);
}
