package io.godwit.persistence.queue;

import io.godwit.core.time.TimeSource;
import io.godwit.persistence.StoreHealth;
import io.godwit.persistence.Worker;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;

/**
 * Gives storage back: deleted rows keep their space until their family is compacted, and nothing
 * else may ever write near a queue that was drained.
 */
public final class Upkeep {
    private static final int DELETED_ENOUGH = 50_000;
    private static final long PAUSE_MS = 30_000;

    private final Disk disk;
    private final Worker worker;
    private final TimeSource time;
    private final StoreHealth health;
    private long rowsDeleted;
    private long payloadsDeleted;
    private long notBeforeMs;
    private boolean closed;

    public Upkeep(Disk disk, Worker worker, TimeSource time, StoreHealth health) {
        this.disk = disk;
        this.worker = worker;
        this.time = time;
        this.health = health;
        notBeforeMs = time.monotonicMs() + PAUSE_MS;
    }

    void rowsGone(int count) {
        rowsDeleted += count;
    }

    void payloadsGone(int count) {
        payloadsDeleted += count;
    }

    /**
     * Compacts what has lost more rows than it holds; at most now and then.
     *
     * @param rows in all queues
     */
    void look(long rows) {
        long nowMs = time.monotonicMs();
        if (nowMs < notBeforeMs) {
            return;
        }
        if (rowsDeleted >= DELETED_ENOUGH && rowsDeleted > rows) {
            rowsDeleted = 0;
            start(nowMs, Family.QUEUES);
            start(nowMs, Family.EXPIRY);
        }
        if (payloadsDeleted * 16 >= DELETED_ENOUGH && payloadsDeleted * 2 > rows) {
            payloadsDeleted = 0;
            start(nowMs, Family.PAYLOADS);
        }
    }

    private void start(long nowMs, Family family) {
        notBeforeMs = nowMs + PAUSE_MS;
        worker.execute(() -> compact(family));
    }

    private synchronized void compact(Family family) {
        if (closed || health.cause() != null) {
            return;
        }
        try {
            disk.compact(family);
        } catch (DiskFailure e) {
            health.fail(e);
        }
    }

    /** Waits for what is under way. */
    public synchronized void close() {
        closed = true;
    }
}
