package io.godwit.persistence;

import io.godwit.core.store.ExpiredRow;
import io.godwit.core.store.StoreListener;
import java.util.List;

/** Whom a store tells what no test waits for. */
final class Deaf implements StoreListener {
    @Override
    public void onExpired(long queueId, List<ExpiredRow> rows) {}

    @Override
    public void onDiskAlarm(boolean full) {}

    @Override
    public void onFailed(Throwable cause) {
        throw new AssertionError(cause);
    }
}
