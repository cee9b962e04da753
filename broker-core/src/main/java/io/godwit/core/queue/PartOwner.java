package io.godwit.core.queue;

import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import org.jspecify.annotations.Nullable;

/** The shared group that a part is of. */
public interface PartOwner {
    /** Whether new messages are to be kept. */
    boolean isDurable();

    /** Whether a member is there to take what waits. */
    boolean isOnline();

    /** Whether it is known what an earlier start has left in flight. */
    boolean isInFlightRead();

    /** Whether the row of this id is in flight since before the start. */
    boolean wasInFlight(long messageId, int server);

    /** Messages that wait in all parts: what the limits are for. */
    long waitingMessages();

    long waitingBytes();

    /** Discards the oldest that waits in any part. False when none can go now. */
    boolean discardOldest();

    /** What waits has changed: there may be something for a member. */
    void onPage();

    /** The store is to forget this queue, which went before a part's own. */
    void forgetQueue(long queueId);

    /** A page could not be read; the rows stay. */
    void onReadFailed(Throwable failure);

    /**
     * Messages that nobody gets.
     *
     * @param message null when it was not in memory
     */
    void onDropped(Metric cause, @Nullable Message message, int count);
}
