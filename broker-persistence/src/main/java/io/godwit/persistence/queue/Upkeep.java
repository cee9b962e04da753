package io.godwit.persistence.queue;

import io.godwit.core.time.TimeSource;
import io.godwit.persistence.StoreHealth;
import io.godwit.persistence.StoreRule;
import io.godwit.persistence.StoreRules;
import io.godwit.persistence.StoreSettings;
import io.godwit.persistence.Worker;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.Journal;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What takes long, on a worker of its own: flushes, after which the journal gets shorter, and
 * compactions, without which deleted rows keep their space. The row worker counts and asks.
 */
public final class Upkeep implements RowProgress {
    private static final int DELETED_ENOUGH = 50_000;
    private static final long COMPACT_PAUSE_MS = 30_000;
    private static final long COMPACT_PAUSE_FULL_MS = 3_000;

    /** Few large messages count as much as many small ones. */
    private static final long DRAINED_ENOUGH_BYTES = 16L << 20;

    /** Nothing was written for so long: what is in memory only is flushed. */
    private static final long IDLE_MS = 10_000;

    private final Disk disk;
    private final Journal journal;
    private final StoreSettings settings;
    private final StoreRules rules;
    private final Worker worker;
    private final TimeSource time;
    private final StoreHealth health;
    private final BeforeFlush coverage;

    /** What has to be written before everything is flushed. */
    public interface BeforeFlush {
        void beforeFlush() throws DiskFailure;
    }

    private final AtomicBoolean flushing = new AtomicBoolean();

    /** Up to here rows stand for the journal. */
    private volatile long position;

    private volatile long releasedPosition;
    private long writtenAtMs;
    private long rowsDeleted;
    private long payloadsDeleted;

    /** The most that queues held since they were compacted. */
    private long mostBytes;

    private long compactedMs;
    private volatile boolean roomWanted;
    private boolean closed;

    public Upkeep(
            Disk disk,
            Journal journal,
            StoreSettings settings,
            StoreRules rules,
            Worker worker,
            TimeSource time,
            StoreHealth health,
            BeforeFlush coverage) {
        this.disk = disk;
        this.journal = journal;
        this.settings = settings;
        this.rules = rules;
        this.worker = worker;
        this.time = time;
        this.health = health;
        this.coverage = coverage;
        compactedMs = time.monotonicMs();
    }

    /** Whether the disk is nearly full: what was deleted gives its space back soon. Any thread. */
    public void wantRoom(boolean now) {
        roomWanted = now;
    }

    @Override
    public void rowsGone(int count) {
        rowsDeleted += count;
    }

    @Override
    public void payloadsGone(int count) {
        payloadsDeleted += count;
    }

    @Override
    public void written(long upTo) {
        position = upTo;
        writtenAtMs = time.monotonicMs();
        if (!rules.holds(StoreRule.JOURNAL_UNTIL_FLUSH)) {
            journal.release(upTo);
        }
        if (journal.bytes() > settings.journalBytes() / 2) {
            flushSoon();
        }
    }

    /** Has what was written flushed, and the journal cut; any thread. */
    public void flushSoon() {
        if (flushing.compareAndSet(false, true)) {
            worker.execute(this::flushTask);
        }
    }

    private synchronized void flushTask() {
        flushing.set(false);
        if (closed || health.cause() != null) {
            return;
        }
        try {
            flush();
        } catch (DiskFailure e) {
            health.fail(e);
        }
    }

    /** Has what was written on the disk; then the journal up to there is not needed any more. */
    public synchronized void flush() throws DiskFailure {
        long upTo = position;
        if (rules.holds(StoreRule.COVERAGE_BEFORE_RELEASE)) {
            coverage.beforeFlush();
        }
        disk.flush();
        journal.release(upTo);
        releasedPosition = upTo;
    }

    /**
     * Every second: flushes what nobody adds to any more, and compacts what has lost more rows than
     * it holds, at most now and then.
     *
     * @param rows in all queues
     * @param bytes of them
     */
    public void look(long rows, long bytes) {
        long nowMs = time.monotonicMs();
        if (nowMs - writtenAtMs >= IDLE_MS
                && (releasedPosition < position || disk.unflushedBytes() > 0)) {
            flushSoon();
        }
        mostBytes = Math.max(mostBytes, bytes);
        boolean hurry = roomWanted;
        if (nowMs - compactedMs < (hurry ? COMPACT_PAUSE_FULL_MS : COMPACT_PAUSE_MS)) {
            return;
        }
        int enough = hurry ? 1 : DELETED_ENOUGH;
        boolean many = rowsDeleted >= enough && rowsDeleted > rows;
        boolean large = payloadsDeleted * 16 >= enough && payloadsDeleted * 2 > rows;
        boolean drained = mostBytes - bytes >= DRAINED_ENOUGH_BYTES && mostBytes / 2 > bytes;
        if (many || large || drained) {
            mostBytes = bytes;
            rowsDeleted = 0;
            payloadsDeleted = 0;
            compactedMs = nowMs;
            worker.execute(this::compact);
        }
    }

    /** Removals in memory free nothing: first they are flushed. */
    private synchronized void compact() {
        if (closed || health.cause() != null) {
            return;
        }
        try {
            flush();
            disk.compact(Family.QUEUES);
            disk.compact(Family.EXPIRY);
            disk.compact(Family.PAYLOADS);
        } catch (DiskFailure e) {
            health.fail(e);
        }
    }

    /** Waits for what is under way. */
    public synchronized void close() {
        closed = true;
    }
}
