package io.godwit.cluster.transport;

import java.util.concurrent.atomic.AtomicLongArray;

/** Counts of all links of a node, at most a few times per frame. Any thread. */
public final class LinkCounters {
    private final AtomicLongArray values = new AtomicLongArray(LinkMetric.values().length);

    void add(LinkMetric metric, long count) {
        values.addAndGet(metric.ordinal(), count);
    }

    void increment(LinkMetric metric) {
        add(metric, 1);
    }

    public long get(LinkMetric metric) {
        return values.get(metric.ordinal());
    }
}
