package io.godwit.persistence.queue;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Digest;
import io.godwit.core.message.QueueHandle;
import io.godwit.core.store.QueueDepth;
import io.godwit.persistence.codec.StoredDepth;

/** What a queue has in rows; only the row thread changes it. */
public final class Depth {
    /** After so many removals the queue's head is looked for again. */
    private static final int PROBE = 256;

    public final long queueId;

    /** Read by the reader too: it may see an older, lower one. */
    public volatile long first;

    /** Rows and markers under in-flight; the reader looks whether there are any. */
    public volatile int inFlight;

    /** Idle rows; the reader may see an older number. */
    public volatile long idle;

    public long idleBytes;

    /** Highest message id that it ever had, with its server. */
    public long last;

    public int lastServer;
    public QueueHandle.Kind kind = QueueHandle.Kind.SESSION;
    public Digest digest = new Digest();

    /** Rows deleted, in all. */
    volatile long deleted;

    /** Deleted rows that have given their room back; only the compaction worker uses it. */
    long compacted;

    /** Removed since {@link #first} was exact. */
    int removed;

    boolean touched;

    /** It is counted as that of a copy. */
    boolean isCopy;

    /** Nothing is left: the depth goes too. */
    boolean isGone;

    Depth(long queueId) {
        this.queueId = queueId;
    }

    static Depth read(long queueId, byte[] value) {
        StoredDepth stored = StoredDepth.of(value);
        Depth depth = new Depth(queueId);
        depth.kind = stored.kind();
        depth.idle = stored.idle();
        depth.idleBytes = stored.idleBytes();
        depth.inFlight = stored.inFlight();
        depth.last = stored.lastClock();
        depth.lastServer = stored.lastServer();
        depth.first = stored.first();
        depth.digest = stored.digest();
        return depth;
    }

    byte[] toBytes() {
        return new StoredDepth(kind, idle, idleBytes, inFlight, last, lastServer, first, digest)
                .toBytes();
    }

    /**
     * @param toCome in flight, beside what has rows
     */
    QueueDepth toQueueDepth(int toCome) {
        return new QueueDepth(
                queueId,
                idle,
                idleBytes,
                inFlight + toCome,
                HybridId.lastOf(first),
                new HybridId(last, lastServer));
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    void idleAdded(long messageId, int server, int bytes) {
        if (idle == 0 || Long.compareUnsigned(messageId, first) <= 0) {
            first = messageId - 1;
            removed = 0;
        } else if (messageId <= first) {
            first = messageId - 1; // It comes back, or comes late, below those that wait.
        }
        idle = idle + 1;
        idleBytes += bytes;
        seen(messageId, server);
    }

    void seen(long messageId, int server) {
        if (HybridId.compare(last, lastServer, messageId, server) < 0) {
            last = messageId;
            lastServer = server;
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    void idleGone(int bytes) {
        idle = idle - 1;
        assert idle >= 0 : "queue " + queueId + " has lost a row twice";
        idleBytes -= bytes;
        removed++;
        if (idle == 0) {
            first = last;
            removed = 0;
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    public void inFlight(int more) {
        inFlight = inFlight + more;
        assert inFlight >= 0 : "queue " + queueId + " has lost a row in flight twice";
    }

    /** Counts nothing any more. */
    void begin() {
        kind = QueueHandle.Kind.SESSION;
        first = last;
        idle = 0;
        idleBytes = 0;
        inFlight = 0;
        digest = new Digest();
        removed = 0;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    void deleted(int more) {
        deleted = deleted + more;
    }

    boolean needsProbe() {
        return removed >= PROBE && idle > 0;
    }
}
