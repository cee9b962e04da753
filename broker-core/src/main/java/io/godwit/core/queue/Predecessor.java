package io.godwit.core.queue;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.store.QueueDepth;
import org.jspecify.annotations.Nullable;

/**
 * A queue of a client that has got another one: frozen, and drained before that one. It has rows
 * only. What waits is in its own backlog, under its own queue id; what it has in flight stands in
 * its {@linkplain ClientQueue successor}'s window, and the limits are the successor's.
 */
final class Predecessor extends DurableQueue {
    private final DurableQueue successor;

    /** Rows of this queue that the client had in flight at an earlier start. */
    final SentRows sent = new SentRows();

    private int inFlight;

    /** How many of its packet ids are not kept yet; at QoS 2 only. */
    int idsUnkept;

    Predecessor(QueueDepth depth, DurableQueue successor) {
        super(depth.queueId(), successor);
        this.successor = successor;
        restoreWaiting(depth);
    }

    boolean has(QueueEntry entry) {
        return entry.queueId == queueId();
    }

    // ---------------------------------------------------------------- in flight

    /** An entry, which may be one of this queue, came into the window. */
    void onInFlight(QueueEntry entry) {
        if (has(entry)) {
            inFlight++;
        }
    }

    /** An entry, which may be one of this queue, has left the window. */
    void onDone(QueueEntry entry) {
        if (has(entry)) {
            inFlight--;
        }
    }

    /**
     * Nothing waits, nothing that was read is in flight, and none of its messages comes again: who
     * sends one again is answered by its memory.
     */
    boolean isDone() {
        return inFlight == 0 && isEmpty() && rememberedBytes() == 0;
    }

    @Override
    boolean isInFlightRead() {
        return successor.isInFlightRead();
    }

    @Override
    void readInFlight() {
        successor.readInFlight();
    }

    @Override
    boolean isInFlight(long messageId, int server) {
        return sent.contains(messageId, server);
    }

    @Override
    void onCursor(IdMark cursor) {
        sent.onCursor(cursor);
    }

    // ---------------------------------------------------------------- as the successor does it

    @Override
    boolean isDurable() {
        return successor.isDurable();
    }

    @Override
    boolean isOnline() {
        return successor.isOnline();
    }

    @Override
    void countDropped(Metric cause, @Nullable Message message, int count) {
        successor.countDropped(cause, message, count);
    }

    @Override
    void onDiscarded(QueueEntry entry) {
        successor.onDiscarded(entry);
    }

    @Override
    void onRemoved(QueueEntry entry) {
        successor.onRemoved(entry);
    }

    @Override
    void onPage() {
        successor.onPage();
    }

    @Override
    void onReadFailed(Throwable failure) {
        successor.onReadFailed(failure);
    }

    // ---------------------------------------------------------------- nothing is appended

    @Override
    public void tellAppendDone(QueuePost appendedAt, QueueEntry entry, boolean isKept) {
        throw new IllegalStateException("nothing is appended to a predecessor");
    }

    @Override
    public void onCommitted(QueueEntry entry, boolean isKept) {
        throw new IllegalStateException("nothing is appended to a predecessor");
    }

    @Override
    public void tellRowsWritten(QueuePost appendedAt, HybridId upTo) {
        throw new IllegalStateException("nothing is appended to a predecessor");
    }
}
