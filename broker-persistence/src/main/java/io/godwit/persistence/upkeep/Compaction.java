package io.godwit.persistence.upkeep;

import io.godwit.core.time.TimeSource;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.KeyRange;
import io.godwit.persistence.disk.Unreadable;
import io.godwit.persistence.health.StoreDamage;
import io.godwit.persistence.health.StoreHealth;
import io.godwit.persistence.queue.Depths;
import io.godwit.persistence.work.Worker;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Gives back what deleted rows take, on a worker of its own: nobody waits for it. Only what queues
 * have lost that are drained is written anew, slice by slice, each of which the disk has room for.
 * The row worker counts and asks.
 */
public final class Compaction {
    private static final int DELETED_ENOUGH = 50_000;
    private static final long PAUSE_MS = 30_000;
    private static final long PAUSE_FULL_MS = 3_000;

    /** Few large messages count as much as many small ones. */
    private static final long DRAINED_ENOUGH_BYTES = 16L << 20;

    /** RocksDB's own compactions get their turn between two. */
    private static final long SLICE_BYTES = 256L << 20;

    /** A file is written anew as a whole, however little of it is meant. */
    private static final long SLICE_LEAST_BYTES = 8L << 20;

    private final Disk disk;
    private final Depths depths;
    private final Worker worker;
    private final TimeSource time;
    private final StoreHealth health;
    private final StoreDamage damage;

    /** Room on the disk that no compaction may take. */
    private final long reserveBytes;

    private final AtomicBoolean underWay = new AtomicBoolean();
    private volatile long freeBytes = Long.MAX_VALUE;
    private volatile boolean roomWanted;
    private volatile boolean closed;

    // Below: only the row worker.
    private long rowsDeleted;
    private long payloadsDeleted;
    private @Nullable KeyRange payloadsGone;

    /** The most that queues held since they were compacted. */
    private long mostBytes;

    private long compactedMs;

    /**
     * @param reserveBytes room on the disk that it leaves to others
     */
    public Compaction(
            Disk disk,
            Depths depths,
            Worker worker,
            TimeSource time,
            StoreHealth health,
            StoreDamage damage,
            long reserveBytes) {
        this.damage = damage;
        this.disk = disk;
        this.depths = depths;
        this.worker = worker;
        this.time = time;
        this.health = health;
        this.reserveBytes = reserveBytes;
        compactedMs = time.monotonicMs();
    }

    /**
     * The room on the disk. Any thread.
     *
     * @param isWanted it is nearly full: what was deleted gives its space back soon
     */
    public void room(long usableBytes, boolean isWanted) {
        freeBytes = usableBytes;
        roomWanted = isWanted;
    }

    void rowsGone(int count) {
        rowsDeleted += count;
    }

    /**
     * @param range their keys are in it
     */
    void payloadsGone(int count, KeyRange range) {
        payloadsDeleted += count;
        KeyRange before = payloadsGone;
        payloadsGone = before == null ? range : before.with(range);
    }

    /**
     * Every second: begins when as many rows are gone as are left, at most now and then.
     *
     * @param rows in all queues
     * @param bytes of them
     */
    void look(long rows, long bytes) {
        long nowMs = time.monotonicMs();
        mostBytes = Math.max(mostBytes, bytes);
        boolean hurry = roomWanted;
        if (nowMs - compactedMs < (hurry ? PAUSE_FULL_MS : PAUSE_MS)) {
            return;
        }
        int enough = hurry ? 1 : DELETED_ENOUGH;
        boolean many = rowsDeleted >= enough && rowsDeleted >= rows;
        boolean large = payloadsDeleted * 16 >= enough && payloadsDeleted * 2 >= rows;
        boolean drained = mostBytes - bytes >= DRAINED_ENOUGH_BYTES && mostBytes / 2 >= bytes;
        if ((many || large || drained) && underWay.compareAndSet(false, true)) {
            KeyRange payloads = payloadsGone;
            mostBytes = bytes;
            rowsDeleted = 0;
            payloadsDeleted = 0;
            payloadsGone = null;
            compactedMs = nowMs;
            worker.execute(() -> run(payloads));
        }
    }

    private void run(@Nullable KeyRange payloads) {
        try {
            if (!closed && health.cause() == null) {
                disk.flush(); // Removals in memory free nothing.
                for (KeyRange each : depths.takeDrained()) {
                    compact(Family.QUEUES, each);
                }
                // By time: what has come up to now is gone, but for what waits for its queue.
                compact(
                        Family.EXPIRY,
                        new KeyRange(Keys.position(0), Keys.position(time.sureMs())));
                if (payloads != null) {
                    compact(Family.PAYLOADS, payloads);
                }
            }
        } catch (Unreadable e) {
            damage.of("freeing the space of deleted rows around the damage", e);
        } catch (DiskFailure e) {
            if (!closed) {
                health.fail(e);
            }
        } finally {
            underWay.set(false);
        }
    }

    private void compact(Family family, KeyRange range) throws DiskFailure {
        Deque<KeyRange> due = new ArrayDeque<>();
        due.push(range);
        while (!due.isEmpty() && !closed && health.cause() == null) {
            KeyRange next = due.pop();
            long bytes = disk.bytes(family, next);
            long most = Math.min(SLICE_BYTES, freeBytes - reserveBytes);
            byte[] middle = bytes > most && bytes > SLICE_LEAST_BYTES ? next.middle() : null;
            if (middle != null) {
                due.push(new KeyRange(middle, next.to()));
                due.push(new KeyRange(next.from(), middle));
            } else if (bytes > 0 && bytes <= freeBytes - reserveBytes) {
                disk.compact(family, next);
            }
        }
    }

    /** Nothing more is begun, and what is under way ends soon. */
    public void close() {
        closed = true;
        disk.endCompaction();
    }
}
