package io.godwit.core.queue;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.settings.QueueBounds;
import io.godwit.core.settings.QueuePolicy;
import org.jspecify.annotations.Nullable;

/**
 * What one queue may hold, and what it had to discard. A durable session's queue has the limits of
 * {@code queues.*}, on disk or in memory, and less when all of them leave less; a transient one's
 * those of {@code limits.*}. {@link QueueBounds} of its own count in place of either.
 */
final class QueueLimits {
    private final DurableQueue queue;
    private QueueBounds own = QueueBounds.NODE;
    private long full;
    private long expired;
    private long tooLarge;

    /**
     * Whether more waits than its bounds allow since they were lowered: then nothing is discarded,
     * and nothing taken in, until less does.
     */
    private boolean shrinks;

    QueueLimits(DurableQueue queue) {
        this.queue = queue;
    }

    QueueDrops drops() {
        return new QueueDrops(full, expired, tooLarge);
    }

    /** Whether the message may wait here. */
    boolean admits(Message message) {
        lookWhetherItShrinks();
        if (!discardsOldest() || shrinks) {
            return fits(message, messagesMax(), bytesMax());
        }
        // The oldest goes instead. While its page is being read the queue may be a page too long;
        // beyond that the new message goes.
        return fits(message, messagesMax() + pageMessages(), bytesMax() + RowPage.BYTES_MAX);
    }

    private int pageMessages() {
        return queue.shard().durable.pageMessages();
    }

    /** Takes bounds of the queue's own. */
    void bound(QueueBounds bounds) {
        if (!bounds.equals(own)) {
            own = bounds;
            shrinks = isExceeded();
        }
    }

    /** Notes that an earlier start has left what waits, which may have had higher bounds. */
    void onRestored() {
        shrinks =
                queue.limitedMessages() > messagesMax() + pageMessages()
                        || queue.limitedBytes() > bytesMax() + RowPage.BYTES_MAX;
    }

    private void lookWhetherItShrinks() {
        shrinks = shrinks && isExceeded();
    }

    private boolean isExceeded() {
        return queue.limitedMessages() > messagesMax() || queue.limitedBytes() > bytesMax();
    }

    private boolean fits(Message message, long messages, long bytes) {
        return queue.limitedMessages() < messages
                && queue.limitedBytes() + message.accountedBytes() <= bytes;
    }

    /** Whether more waits than this part of what may; of one that is not durable. */
    boolean isAbove(int sixteenths) {
        return queue.limitedMessages() > messagesMax() * sixteenths / 16
                || queue.limitedBytes() > bytesMax() / 16 * sixteenths;
    }

    private boolean discardsOldest() {
        return queue.isDurable() && policy() == QueuePolicy.DISCARD_OLDEST;
    }

    private QueuePolicy policy() {
        QueuePolicy granted = own.policy();
        return granted == null ? queue.shard().durable.policy() : granted;
    }

    /** The new message is not taken in. */
    void refuse(Message message, @Nullable Receipt waiting) {
        full++;
        queue.countDropped(queue.whenFull(), message, 1);
        if (waiting != null && policy() == QueuePolicy.REJECT) {
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
        lookWhetherItShrinks();
        if (discardsOldest() && !shrinks) {
            while (isExceeded() && queue.discardOldest()) {
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

    /** Returns how many messages may wait. */
    long messagesMax() {
        ShardQueues shard = queue.shard();
        long granted = own.messages();
        if (!queue.isDurable()) {
            return granted == 0 ? shard.others.queueMessages() : granted;
        }
        return shard.accounts.queueMessagesMax(granted == 0 ? shard.durable.messages() : granted);
    }

    /** Returns how many bytes may wait. */
    long bytesMax() {
        ShardQueues shard = queue.shard();
        long granted = own.bytes();
        if (!queue.isDurable()) {
            return granted == 0 ? shard.others.queueBytes() : granted;
        }
        return shard.accounts.queueBytesMax(granted == 0 ? shard.durable.bytes() : granted);
    }
}
