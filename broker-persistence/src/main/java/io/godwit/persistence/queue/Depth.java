package io.godwit.persistence.queue;

import io.godwit.core.store.QueueDepth;
import io.godwit.persistence.codec.ByteReader;
import io.godwit.persistence.codec.ByteWriter;

/**
 * What a queue has in rows; only the row thread changes it.
 *
 * <pre>
 * idle varint | idle bytes varint | in flight varint | last 8 | last - first varint
 * </pre>
 */
final class Depth {
    /** After so many removals the queue's head is looked for again. */
    private static final int PROBE = 256;

    final long queueId;

    /** Read by the reader too: it may see an older, lower one. */
    volatile long first;

    /** Rows and markers under in-flight; the reader looks whether there are any. */
    volatile int inFlight;

    long idle;
    long idleBytes;
    long last;

    /** Removed since {@link #first} was exact. */
    int removed;

    boolean touched;

    /** Session or group are gone: what is left is being deleted. */
    boolean isPurged;

    /** Nothing is left: the depth goes too. */
    boolean isGone;

    Depth(long queueId) {
        this.queueId = queueId;
    }

    static Depth read(long queueId, byte[] value) {
        ByteReader in = new ByteReader(value);
        Depth depth = new Depth(queueId);
        depth.idle = in.varint();
        depth.idleBytes = in.varint();
        depth.inFlight = in.smallInt();
        depth.last = in.long8();
        depth.first = depth.last - in.varint();
        return depth;
    }

    byte[] toBytes() {
        return new ByteWriter(24)
                .varint(idle)
                .varint(idleBytes)
                .varint(inFlight)
                .long8(last)
                .varint(last - first)
                .toBytes();
    }

    QueueDepth toQueueDepth() {
        return new QueueDepth(queueId, idle, idleBytes, inFlight, first, last);
    }

    void idleAdded(long messageId, int bytes) {
        if (idle == 0) {
            first = messageId - 1;
            removed = 0;
        } else if (messageId <= first) {
            first = messageId - 1; // It comes back, or comes late, below those that wait.
        }
        idle++;
        idleBytes += bytes;
        seen(messageId);
    }

    void seen(long messageId) {
        if (last < messageId) {
            last = messageId;
        }
    }

    void idleGone(int bytes) {
        idle--;
        idleBytes -= bytes;
        removed++;
        if (idle == 0) {
            first = last;
            removed = 0;
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    void inFlight(int more) {
        inFlight = inFlight + more;
    }

    boolean needsProbe() {
        return removed >= PROBE && idle > 0;
    }
}
