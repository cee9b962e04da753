package io.godwit.core.store;

import java.util.List;

/** What the node hears of its store; called from any thread. */
public interface StoreListener {
    /**
     * Idle rows whose Message Expiry Interval has passed: whoever has the queue removes them by
     * {@link ShardStore#removeRow}. Told again until they are gone.
     */
    void onExpired(long queueId, List<ExpiredRow> rows);

    /** The disk is nearly full, or has room again: while it is, publishers wait. */
    void onDiskAlarm(boolean full);

    /**
     * The store has failed and will not write again: nothing may be acknowledged any more, and the
     * process ends. Called once.
     */
    void onFailed(Throwable cause);
}
