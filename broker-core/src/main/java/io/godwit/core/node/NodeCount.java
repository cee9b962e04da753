package io.godwit.core.node;

import io.godwit.core.load.ShardLoad;
import io.godwit.core.metrics.Counters;
import io.godwit.core.metrics.Metric;
import java.util.function.ToLongBiFunction;
import java.util.function.ToLongFunction;

/** Something that each node of a cluster counts, and that has a {@code $SYS} topic. */
public enum NodeCount {
    SESSIONS(1, "clients/total", ShardLoad::sessions),
    CONNECTED(2, "clients/connected", ShardLoad::onlineSessions),
    EXPIRED(3, "clients/expired", Metric.SESSIONS_EXPIRED),
    SUBSCRIPTIONS(4, "subscriptions/count", ShardLoad::subscriptions),
    /** Every node keeps all of them, so those of several nodes are not added up. */
    RETAINED(5, "retained messages/count", ShardLoad::retainedMessages),
    STORED(6, "store/messages/count", load -> load.queues().queuedMessages()),
    STORED_BYTES(7, "store/messages/bytes", load -> load.queues().queuedBytes()),
    RECEIVED(8, "messages/received", Metric.PACKETS_RECEIVED),
    SENT(9, "messages/sent", Metric.PUBLISH_SENT),
    PUBLISH_RECEIVED(10, "publish/messages/received", Metric.PUBLISH_RECEIVED),
    PUBLISH_SENT(11, "publish/messages/sent", Metric.PUBLISH_SENT),
    PUBLISH_DROPPED(
            12,
            "publish/messages/dropped",
            Metric.DROPPED_QOS0_SLOW,
            Metric.DROPPED_QUEUE_FULL,
            Metric.DROPPED_EXPIRED,
            Metric.DROPPED_TOO_LARGE,
            Metric.DROPPED_GROUP_FULL),
    BYTES_RECEIVED(13, "bytes/received", Metric.BYTES_RECEIVED),
    BYTES_SENT(14, "bytes/sent", Metric.BYTES_SENT);

    private final int code;
    private final String topic;
    private final ToLongBiFunction<ShardLoad, Counters> ofShard;

    /**
     * @param code what other nodes know it by: given once, and never again for something else
     */
    NodeCount(int code, String topic, ToLongFunction<ShardLoad> gauge) {
        this.code = code;
        this.topic = topic;
        this.ofShard = (load, counters) -> gauge.applyAsLong(load);
    }

    NodeCount(int code, String topic, Metric... metrics) {
        this.code = code;
        this.topic = topic;
        this.ofShard =
                (load, counters) -> {
                    long sum = 0;
                    for (Metric each : metrics) {
                        sum += counters.total(each);
                    }
                    return sum;
                };
    }

    public int code() {
        return code;
    }

    /** Behind {@code $SYS/broker/} and {@code $SYS/cluster/}. */
    public String topic() {
        return topic;
    }

    /** What one shard of a node adds to it. */
    long ofShard(ShardLoad load, Counters counters) {
        return ofShard.applyAsLong(load, counters);
    }

    /** Of two nodes together. */
    long together(long one, long other) {
        return this == RETAINED ? Math.max(one, other) : one + other;
    }
}
