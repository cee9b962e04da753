package io.godwit.core.node;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.review.ReviewedPublish;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Publishes messages of this process as if a client had sent them, in the order of the calls. Any
 * thread.
 */
public final class LocalPublisher {
    /** Messages that may wait for their acknowledgement. */
    static final int MESSAGES_MAX = 10_000;

    /** Bytes of these. */
    static final long BYTES_MAX = 16L << 20;

    private final BrokerShard shard;
    private final AtomicInteger messages = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();

    LocalPublisher(BrokerShard shard) {
        this.shard = shard;
    }

    /**
     * Publishes a message: its topic, payload, properties, QoS, RETAIN and expiry count.
     *
     * @param done told once, by the caller or the thread of a shard, and must not block: null when
     *     a client would be acknowledged, else why the message was not taken in; QUOTA_EXCEEDED
     *     when too much waits
     */
    public void publish(ReviewedPublish message, Consumer<@Nullable ReasonCode> done) {
        long size = message.accountedBytes();
        boolean isOneTooMany = messages.incrementAndGet() > MESSAGES_MAX;
        if (bytes.addAndGet(size) > BYTES_MAX || isOneTooMany) {
            ended(size);
            done.accept(ReasonCode.QUOTA_EXCEEDED);
            return;
        }
        shard.execute(() ->
                shard.publishLocally(
                        message,
                        refusal -> {
                            ended(size);
                            done.accept(refusal);
                        }));
    }

    /** Counts a message that an extension has dropped before it was published. */
    public void dropped() {
        shard.execute(() -> shard.counters().increment(Metric.DROPPED_EXTENSION));
    }

    private void ended(long size) {
        messages.decrementAndGet();
        bytes.addAndGet(-size);
    }
}
