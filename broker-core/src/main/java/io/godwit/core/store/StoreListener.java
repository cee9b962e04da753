package io.godwit.core.store;

import java.util.List;

/** Hears, for the node, what the store has to tell; called from any thread. */
public interface StoreListener {
    /**
     * Called with idle rows whose Message Expiry Interval has passed: whoever has the queue removes
     * them by {@link ShardStore#removeRow}. The store tells again of rows that stay.
     */
    void onExpired(long queueId, List<ExpiredRow> rows);

    /**
     * Called when the disk is nearly full, and when it has room again: in between publishers wait.
     */
    void onDiskAlarm(boolean full);

    /**
     * Called once, when the store has failed and will not write again: nothing may be acknowledged
     * any more, and the process ends.
     */
    void onFailed(Throwable cause);
}
