package io.godwit.persistence.journal;

import io.godwit.core.metrics.TimeHistogram;
import io.godwit.core.store.CommitOutcome;
import io.godwit.core.store.PartListener;
import io.godwit.core.store.StoreMetric;
import io.godwit.core.time.TimeSource;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Journal;
import io.godwit.persistence.health.StoreCounts;
import io.godwit.persistence.health.StoreHealth;
import io.godwit.persistence.settings.Durability;
import io.godwit.persistence.settings.StoreRule;
import io.godwit.persistence.settings.StoreRules;
import io.godwit.persistence.settings.StoreSettings;
import io.godwit.persistence.work.Worker;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Writes what the shards have closed: one commit takes the lists that wait, and starts no sooner
 * than {@link CommitPace} says after the start of the one before. Shards call {@link #offer}, the
 * rest runs on the commit worker.
 *
 * <p>What a shard has read is always accepted; {@link #waitingBytes} counts what waits, and above
 * its mark nobody who publishes is read.
 */
public final class CommitLoop {
    /** Bytes that are too few to make anybody wait, however small the window is. */
    private static final long BEHIND_LEAST = 256 << 10;

    private static final long FULL_NANOS = 2_000_000;

    private final Journal journal;
    private final StoreSettings settings;
    private final StoreRules rules;
    private final TimeSource time;
    private final Worker worker;
    private final StoreHealth health;
    private final StoreCounts counts;
    private final JournalWriter writer;
    private final Consumer<JournalEntry> window;
    private final Runnable full;
    private final MpscUnboundedArrayQueue<OpList> waiting = new MpscUnboundedArrayQueue<>(256);
    private final AtomicLong waitingBytes = new AtomicLong();
    private final long behindBytes;
    private volatile boolean behind;
    private final AtomicBoolean due = new AtomicBoolean();
    private final Runnable run = this::run;
    private final List<OpList> lists = new ArrayList<>();
    private final List<OpList> last = new ArrayList<>();
    private final BitSet shardsSeen = new BitSet();
    private final List<JournalEntry> entries = new ArrayList<>();
    private final CommitPace pace;
    private final TimeHistogram syncTimes = new TimeHistogram();
    private long startedNanos;

    /** When the next commit may start. */
    private volatile long nextNanos;

    /** Since then something has waited to be committed; 0: nothing does. */
    private volatile long pendingNanos;

    private boolean syncDue;
    private boolean closed;

    /**
     * @param window takes each entry once it is written, in order
     * @param full has the journal become shorter; called while it is at its bound
     */
    public CommitLoop(
            Journal journal,
            StoreSettings settings,
            StoreRules rules,
            TimeSource time,
            Worker worker,
            StoreHealth health,
            StoreCounts counts,
            JournalStart start,
            QueueHandles handles,
            Consumer<JournalEntry> window,
            Runnable full) {
        this.journal = journal;
        this.settings = settings;
        this.rules = rules;
        this.time = time;
        this.worker = worker;
        this.health = health;
        this.counts = counts;
        this.window = window;
        this.full = full;
        writer =
                new JournalWriter(
                        journal, rules, time, counts, settings.recordOps(), start, handles);
        behindBytes = Math.max(BEHIND_LEAST, settings.windowBytes() / 2);
        pace = new CommitPace(settings.gatherNanos(), settings.recordOps());
        startedNanos = time.nanos() - pace.gatherNanos();
        nextNanos = time.nanos();
    }

    /** Has parts told of; called before the first commit. */
    public void ship(PartListener to) {
        writer.ship(to);
    }

    /** A shard's commit, from the first of its lists; any thread. */
    void offer(OpList first) {
        long bytes = 0;
        first.closedNanos = time.nanos();
        for (OpList each = first; each != null; each = each.next) {
            bytes += each.bytes();
        }
        if (waitingBytes.addAndGet(bytes) > behindBytes) {
            behind = true;
        }
        waiting.offer(first);
        notePending();
        // Looked at before it is changed: under load it is nearly always due already.
        if (!due.get() && due.compareAndSet(false, true)) {
            long wait = untilStart();
            if (wait > 0) {
                worker.schedule(run, wait);
            } else {
                worker.execute(run);
            }
        }
    }

    private void notePending() {
        if (pendingNanos == 0) {
            pendingNanos = nonZeroNanos();
        }
    }

    private long nonZeroNanos() {
        long nanos = time.nanos();
        return nanos == 0 ? 1 : nanos;
    }

    /** For how long something has waited while no commit came to its end. Any thread. */
    public long stalledMs() {
        long since = pendingNanos;
        return since == 0 ? 0 : (time.nanos() - since) / 1_000_000;
    }

    private long untilStart() {
        return nextNanos - time.nanos();
    }

    private synchronized void run() {
        if (closed) {
            return;
        }
        notePending();
        long wait = untilStart();
        if (wait <= 0 && journal.bytes() >= settings.journalBytes() && health.cause() == null) {
            // What is oldest must become rows and be flushed before there is room again.
            full.run();
            wait = FULL_NANOS;
        }
        if (wait > 0) {
            worker.schedule(run, wait);
            return;
        }
        startedNanos = time.nanos();
        nextNanos = startedNanos + pace.gatherNanos();
        due.set(false);
        try {
            commit(true);
            nextNanos = startedNanos + pace.gatherNanos();
        } catch (RuntimeException e) {
            // A shard that was not told, or a window that did not take over: nothing is sure now.
            health.fail(e);
            throw e;
        }
        if (waiting.isEmpty()) {
            pendingNanos = 0;
            return;
        }
        pendingNanos = nonZeroNanos();
        if (due.compareAndSet(false, true)) {
            worker.schedule(run, Math.max(1, untilStart()));
        }
    }

    /** Writes what waits, tells nobody, and does nothing from then on. */
    public synchronized void close() {
        commit(false);
        closed = true;
    }

    /**
     * Whether half of what the window may hold waits to be written; until it is a quarter. Any
     * thread.
     */
    public boolean isBehind() {
        return behind;
    }

    /** Bytes of what was closed and is not written yet; any thread. */
    public long waitingBytes() {
        return waitingBytes.get();
    }

    /** What coverage has grown by since this was asked last, all of it synced. */
    public synchronized List<Grown> takeGrown() throws DiskFailure {
        if (settings.sync() != Durability.COMMIT) {
            journal.sync();
        }
        return writer.takeGrown();
    }

    /** Position of the last record that was written. */
    public synchronized long position() {
        return writer.position();
    }

    /** What may fail with the disk. */
    public interface DiskTask {
        void run() throws DiskFailure;
    }

    /**
     * Hands a mark on, behind everything that was written.
     *
     * @param now done before anything else is written
     */
    public synchronized void mark(DiskTask now, JournalEntry.Mark mark) {
        Throwable cause = closed ? new IllegalStateException("closed") : health.cause();
        if (cause == null) {
            try {
                now.run();
            } catch (DiskFailure e) {
                health.fail(e);
                cause = e;
            }
        }
        if (cause != null) {
            mark.lost(cause);
            return;
        }
        JournalEntry entry = new JournalEntry(writer.position(), time.monotonicMs());
        entry.mark = mark;
        window.accept(entry);
    }

    private void commit(boolean telling) {
        long taken = take(telling);
        if (lists.isEmpty()) {
            return;
        }
        findLast();
        Throwable failure = write(telling);
        pace.committed(writer.told(), writer.cancelled(), writer.removedSoon());
        if (telling && failure != null) {
            tellFailed(failure);
        }
        if (waitingBytes.addAndGet(-taken) < behindBytes / 2) {
            behind = false;
        }
        lists.clear();
        last.clear();
        entries.clear();
    }

    /**
     * Takes the lists that wait. When there is enough for a record already, what was closed in the
     * last two {@link CommitPace#gatherNanos} is left for the next commit: much of it will be
     * acknowledged until then, and need not be written at all.
     *
     * @param leaves false to take everything
     * @return their bytes
     */
    private long take(boolean leaves) {
        long ripeNanos = startedNanos - 2 * pace.gatherNanos();
        long taken = 0;
        int ops = 0;
        for (OpList list = waiting.peek(); list != null; list = waiting.peek()) {
            if (leaves && ops >= settings.recordOps() && list.closedNanos - ripeNanos > 0) {
                break;
            }
            waiting.poll();
            if (list.waiting != null) {
                list.waiting.written();
            }
            for (OpList each = list; each != null; each = each.next) {
                lists.add(each);
                taken += each.bytes();
                ops += each.size();
            }
        }
        return taken;
    }

    private @Nullable Throwable write(boolean telling) {
        Throwable failure = health.cause();
        if (failure != null) {
            return failure;
        }
        if (!rules.holds(StoreRule.LISTS_IN_ORDER)) {
            Collections.reverse(lists);
        }
        boolean early = tellEarly(telling && !rules.holds(StoreRule.TELL_AFTER_SYNC));
        long before = time.nanos();
        try {
            writer.write(lists, entries);
            // What later starts must stay above is never left to the next sync.
            boolean sync = settings.sync() == Durability.COMMIT || writer.raisesCeiling();
            if (!writer.raisesCeiling()) {
                writer.tellWritten(); // Others sync while this node does.
            }
            if (!entries.isEmpty()) {
                if (sync) {
                    early |= tellEarly(telling && !rules.holds(StoreRule.SYNC_EACH_COMMIT));
                    sync();
                }
                counts.add(StoreMetric.COMMITS, 1);
                counts.add(StoreMetric.SYNCS, sync ? 1 : 0);
                counts.add(StoreMetric.SYNC_MICROS, (time.nanos() - before) / 1000);
                syncLater();
            }
            if (writer.raisesCeiling()) {
                writer.tellWritten();
            }
        } catch (DiskFailure | RuntimeException e) {
            health.fail(e);
            return early ? null : e;
        }
        if (telling && !early) {
            tellCommitted();
        }
        entries.forEach(window);
        return null;
    }

    private void sync() throws DiskFailure {
        long before = time.nanos();
        journal.sync();
        syncTimes.add(time.nanos() - before, 1);
    }

    /** How long syncs took. Any thread. */
    public TimeHistogram syncTimes() {
        return syncTimes;
    }

    private boolean tellEarly(boolean isRuleOff) {
        if (isRuleOff) {
            tellCommitted();
        }
        return isRuleOff;
    }

    /** One call for each shard: every commit up to its highest is as durable as promised. */
    private void tellCommitted() {
        long position = writer.position();
        for (OpList list : last) {
            outcome(list).onCommitted(list.commit, position);
        }
    }

    /** The last list of each shard. */
    private void findLast() {
        last.clear();
        shardsSeen.clear();
        for (int i = lists.size() - 1; i >= 0; i--) {
            OpList list = lists.get(i);
            if (!shardsSeen.get(list.shard)) {
                shardsSeen.set(list.shard);
                last.add(list);
            }
        }
    }

    private void tellFailed(Throwable failure) {
        for (OpList list : lists) {
            if (list.next == null) {
                outcome(list).onFailed(list.commit, failure);
            }
        }
    }

    private static CommitOutcome outcome(OpList list) {
        CommitOutcome outcome = list.outcome;
        if (outcome == null) {
            throw new IllegalStateException("a list of no shard");
        }
        return outcome;
    }

    private void syncLater() {
        if (settings.sync() == Durability.INTERVAL && !syncDue) {
            syncDue = true;
            worker.schedule(this::syncNow, settings.syncIntervalMs() * 1_000_000);
        }
    }

    private synchronized void syncNow() {
        syncDue = false;
        if (closed || health.cause() != null) {
            return;
        }
        try {
            sync();
            counts.add(StoreMetric.SYNCS, 1);
        } catch (DiskFailure e) {
            health.fail(e);
        }
    }
}
