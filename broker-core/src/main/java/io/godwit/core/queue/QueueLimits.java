package io.godwit.core.queue;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.QueuePolicy;
import io.godwit.core.settings.QueueSettings;
import org.jspecify.annotations.Nullable;

/**
 * What one queue may hold, and what it had to discard. A durable session's queue has the limits of
 * {@code queues.*}, on disk or in memory; a transient one's those of {@code limits.*}.
 */
final class QueueLimits {
    private final DurableQueue queue;
    private final Backlog backlog;
    private long full;
    private long expired;
    private long tooLarge;

    QueueLimits(DurableQueue queue) {
        this.queue = queue;
        this.backlog = queue.backlog;
    }

    QueueDrops drops() {
        return new QueueDrops(full, expired, tooLarge);
    }

    /** Whether the message may wait here. */
    boolean admits(Message message) {
        if (!queue.isDurable()) {
            LimitSettings max = queue.shard().others;
            return fits(message, max.queueMessages(), max.queueBytes());
        }
        QueueSettings max = max();
        if (!discardsOldest()) {
            return fits(message, max.messages(), max.bytes());
        }
        // The oldest goes instead. While its page is being read the queue may be a page too long;
        // beyond that the new message goes.
        return fits(message, max.messages() + max.pageMessages(), max.bytes() + RowPage.BYTES_MAX);
    }

    private boolean fits(Message message, long messages, long bytes) {
        return backlog.messages() < messages && backlog.bytes() + message.accountedBytes() <= bytes;
    }

    private boolean discardsOldest() {
        return queue.isDurable() && max().policy() == QueuePolicy.DISCARD_OLDEST;
    }

    /** The new message is not taken in. */
    void refuse(@Nullable Receipt waiting) {
        onDiscarded();
        if (waiting != null && max().policy() == QueuePolicy.REJECT) {
            waiting.reason = ReasonCode.QUOTA_EXCEEDED;
        }
        if (waiting != null) {
            queue.onRefused(waiting);
        }
    }

    /** Discards the oldest until the queue is within its limits again. */
    void trim() {
        if (discardsOldest()) {
            QueueSettings max = max();
            while ((backlog.messages() > max.messages() || backlog.bytes() > max.bytes())
                    && backlog.discardOldest()) {
                // One at a time.
            }
        }
    }

    void onDiscarded() {
        full++;
        queue.shard().counters.increment(Metric.DROPPED_QUEUE_FULL, queue.version());
    }

    void onExpired(int count) {
        expired += count;
        queue.shard().counters.add(Metric.DROPPED_EXPIRED, queue.version(), count);
    }

    /** Counted where the packet was measured. */
    void onTooLarge() {
        tooLarge++;
    }

    private QueueSettings max() {
        return queue.shard().durable;
    }
}
