package io.godwit.persistence.upkeep;

import io.godwit.core.time.TimeSource;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Journal;
import io.godwit.persistence.disk.KeyRange;
import io.godwit.persistence.health.StoreHealth;
import io.godwit.persistence.queue.RowProgress;
import io.godwit.persistence.settings.StoreRule;
import io.godwit.persistence.settings.StoreRules;
import io.godwit.persistence.settings.StoreSettings;
import io.godwit.persistence.work.Worker;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Flushes, after which the journal gets shorter, on a worker of their own, since they take long.
 * The row worker counts and asks.
 */
public final class Upkeep implements RowProgress {
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
    private final Compaction compaction;

    /** Has coverage written before everything is flushed. */
    public interface BeforeFlush {
        /**
         * Tells {@link #covered} when it is written, or {@link #notCovered} when it will not be.
         */
        void cover(Upkeep then);
    }

    private final AtomicBoolean flushing = new AtomicBoolean();

    /** The position up to which rows stand for the journal. */
    private volatile long position;

    private volatile long releasedPosition;
    private long writtenAtMs;
    private boolean closed;

    public Upkeep(
            Disk disk,
            Journal journal,
            StoreSettings settings,
            StoreRules rules,
            Worker worker,
            TimeSource time,
            StoreHealth health,
            BeforeFlush coverage,
            Compaction compaction) {
        this.disk = disk;
        this.journal = journal;
        this.settings = settings;
        this.rules = rules;
        this.worker = worker;
        this.time = time;
        this.health = health;
        this.coverage = coverage;
        this.compaction = compaction;
    }

    @Override
    public void rowsGone(int count) {
        compaction.rowsGone(count);
    }

    @Override
    public void payloadsGone(int count, KeyRange range) {
        compaction.payloadsGone(count, range);
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
            if (rules.holds(StoreRule.COVERAGE_BEFORE_RELEASE)) {
                coverage.cover(this);
            } else {
                covered(Long.MAX_VALUE);
            }
        }
    }

    /**
     * Coverage is written.
     *
     * @param coveredTo position up to which that is all
     */
    public void covered(long coveredTo) {
        long upTo = Math.min(position, coveredTo);
        worker.execute(() -> flushTask(upTo));
    }

    /** The store is starting, has failed, or is closed: there will be no flush. */
    public void notCovered() {
        flushing.set(false);
    }

    private synchronized void flushTask(long upTo) {
        flushing.set(false);
        if (closed || health.cause() != null) {
            return;
        }
        try {
            flush(upTo);
        } catch (DiskFailure e) {
            health.fail(e);
        }
    }

    /**
     * Has what was written on the disk; then the journal up to there is not needed any more. When
     * nobody writes any more, or yet, and coverage has been written.
     */
    public synchronized void flush() throws DiskFailure {
        flush(position);
    }

    private void flush(long rows) throws DiskFailure {
        long upTo = rows;
        disk.flush();
        if (!rules.holds(StoreRule.POSITION_BEFORE_FLUSH)) {
            upTo = position;
        }
        journal.release(upTo);
        releasedPosition = upTo;
    }

    /**
     * Every second: flushes what nobody adds to any more, and has compacted what has lost more rows
     * than it holds.
     *
     * @param rows in all queues
     * @param bytes of them
     */
    public void look(long rows, long bytes) {
        if (time.monotonicMs() - writtenAtMs >= IDLE_MS
                && (releasedPosition < position || disk.unflushedBytes() > 0)) {
            flushSoon();
        }
        compaction.look(rows, bytes);
    }

    /** Waits for what is under way. */
    public synchronized void close() {
        closed = true;
    }
}
