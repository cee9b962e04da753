package io.godwit.persistence.health;

import io.godwit.core.store.StoreMetric;
import java.util.concurrent.atomic.AtomicLongArray;

/** What the store counts; any thread. */
public final class StoreCounts {
    private final AtomicLongArray values = new AtomicLongArray(StoreMetric.values().length);

    public void add(StoreMetric metric, long more) {
        if (more != 0) {
            values.getAndAdd(metric.ordinal(), more);
        }
    }

    public long get(StoreMetric metric) {
        return values.get(metric.ordinal());
    }
}
