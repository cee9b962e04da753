package io.godwit.core.metrics;

import io.godwit.core.packet.ProtocolVersion;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * The counters of one shard: its thread alone adds, anyone reads. A plain read and an opaque write
 * per count, no atomic addition.
 */
public final class Counters {
    private static final Metric[] METRICS = Metric.values();
    private static final int VERSIONS = ProtocolVersion.values().length;
    private static final int STRIDE = VERSIONS + 1;

    private final AtomicLongArray values = new AtomicLongArray(METRICS.length * STRIDE);

    /**
     * @param version null before CONNECT was read, or for a metric without the tag
     */
    public void add(Metric metric, @Nullable ProtocolVersion version, long count) {
        int i = index(metric, version);
        values.setOpaque(i, values.getPlain(i) + count);
    }

    public void increment(Metric metric, @Nullable ProtocolVersion version) {
        add(metric, version, 1);
    }

    public void increment(Metric metric) {
        add(metric, null, 1);
    }

    public long get(Metric metric, @Nullable ProtocolVersion version) {
        return values.getOpaque(index(metric, version));
    }

    /** The sum over all protocol versions. */
    public long total(Metric metric) {
        long sum = get(metric, null);
        for (ProtocolVersion version : ProtocolVersion.values()) {
            sum += get(metric, version);
        }
        return sum;
    }

    private static int index(Metric metric, @Nullable ProtocolVersion version) {
        return metric.ordinal() * STRIDE + (version == null ? VERSIONS : version.ordinal());
    }
}
