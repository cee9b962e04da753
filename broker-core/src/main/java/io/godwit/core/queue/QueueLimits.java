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
 * {@code queues.*}, on disk or in memory, and less when all of them leave less; a transient one's
 * those of {@code limits.*}.
 */
final class QueueLimits {
    private final DurableQueue queue;
    private long full;
    private long expired;
    private long tooLarge;

    QueueLimits(DurableQueue queue) {
        this.queue = queue;
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
        if (!discardsOldest()) {
            return fits(message, messagesMax(), bytesMax());
        }
        // The oldest goes instead. While its page is being read the queue may be a page too long;
        // beyond that the new message goes.
        return fits(message, messagesMax() + max().pageMessages(), bytesMax() + RowPage.BYTES_MAX);
    }

    private boolean fits(Message message, long messages, long bytes) {
        return queue.limitedMessages() < messages
                && queue.limitedBytes() + message.accountedBytes() <= bytes;
    }

    /** Whether more waits than this part of what may; of one that is not durable. */
    boolean isAbove(int sixteenths) {
        LimitSettings max = queue.shard().others;
        return queue.limitedMessages() > (long) max.queueMessages() * sixteenths / 16
                || queue.limitedBytes() > max.queueBytes() / 16 * sixteenths;
    }

    private boolean discardsOldest() {
        return queue.isDurable() && max().policy() == QueuePolicy.DISCARD_OLDEST;
    }

    /** The new message is not taken in. */
    void refuse(Message message, @Nullable Receipt waiting) {
        full++;
        queue.countDropped(queue.whenFull(), message, 1);
        if (waiting != null && max().policy() == QueuePolicy.REJECT) {
            waiting.reason = ReasonCode.QUOTA_EXCEEDED;
        }
        if (waiting != null) {
            queue.onRefused(waiting);
        }
    }

    /**
     * Discards the oldest until the queue is within its limits again.
     *
     * @return whether some were discarded: what stood behind them may be able to leave
     */
    boolean trim() {
        boolean hasDiscarded = false;
        if (discardsOldest()) {
            while ((queue.limitedMessages() > messagesMax() || queue.limitedBytes() > bytesMax())
                    && queue.discardOldest()) {
                hasDiscarded = true;
            }
        }
        return hasDiscarded;
    }

    void onDiscarded() {
        full++;
        queue.countDropped(queue.whenFull(), null, 1);
    }

    /** One that stood in memory. */
    void onExpired(Message message) {
        expired++;
        queue.countDropped(Metric.DROPPED_EXPIRED, message, 1);
    }

    void onExpired(int count) {
        expired += count;
        queue.countDropped(Metric.DROPPED_EXPIRED, null, count);
    }

    /** Counted where the packet was measured. */
    void onTooLarge() {
        tooLarge++;
    }

    private long messagesMax() {
        return queue.shard().accounts.queueMessagesMax();
    }

    private long bytesMax() {
        return queue.shard().accounts.queueBytesMax();
    }

    private QueueSettings max() {
        return queue.shard().durable;
    }
}
