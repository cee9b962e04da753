package io.godwit.persistence.journal;

import io.godwit.core.store.CommitOutcome;
import io.godwit.core.store.StoreMetric;
import io.godwit.core.time.TimeSource;
import io.godwit.persistence.Durability;
import io.godwit.persistence.StoreCounts;
import io.godwit.persistence.StoreHealth;
import io.godwit.persistence.StoreRules;
import io.godwit.persistence.StoreSettings;
import io.godwit.persistence.Worker;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Journal;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Writes what the shards have closed: one commit takes all lists that wait, and starts no sooner
 * than {@code gatherNanos} after the start of the one before. Shards call {@link #offer}, the rest
 * runs on the commit worker.
 *
 * <p>The queue of lists has no bound of its own: what a shard has read is always accepted. Its
 * publishers of QoS 1 and 2 wait for their acknowledgements, up to their Receive Maximum each.
 */
public final class CommitLoop {
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
    private final AtomicBoolean due = new AtomicBoolean();
    private final Runnable run = this::run;
    private final List<OpList> lists = new ArrayList<>();
    private final List<OpList> last = new ArrayList<>();
    private final BitSet shardsSeen = new BitSet();
    private final List<JournalEntry> entries = new ArrayList<>();
    private volatile long startedNanos;
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
            long nextPosition,
            long clockCeiling,
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
        writer = new JournalWriter(journal, time, counts, nextPosition, clockCeiling);
        startedNanos = time.nanos() - settings.gatherNanos();
    }

    /** A shard's commit, from the first of its lists; any thread. */
    void offer(OpList first) {
        waiting.offer(first);
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

    private long untilStart() {
        return startedNanos + settings.gatherNanos() - time.nanos();
    }

    private synchronized void run() {
        if (closed) {
            return;
        }
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
        due.set(false);
        try {
            commit(true);
        } catch (RuntimeException e) {
            // A shard that was not told, or a window that did not take over: nothing is sure now.
            health.fail(e);
            throw e;
        }
    }

    /** Writes what waits, tells nobody, and does nothing from then on. */
    public synchronized void close() {
        commit(false);
        closed = true;
    }

    private void commit(boolean telling) {
        for (OpList list = waiting.poll(); list != null; list = waiting.poll()) {
            for (OpList each = list; each != null; each = each.next) {
                lists.add(each);
            }
        }
        if (lists.isEmpty()) {
            return;
        }
        findLast();
        Throwable failure = write(telling);
        if (telling && failure != null) {
            tellFailed(failure);
        }
        lists.clear();
        last.clear();
        entries.clear();
    }

    private @Nullable Throwable write(boolean telling) {
        Throwable failure = health.cause();
        if (failure != null) {
            return failure;
        }
        if (!rules.listsInOrder()) {
            Collections.reverse(lists);
        }
        boolean early = telling && !rules.tellAfterSync();
        if (early) {
            tellCommitted();
        }
        boolean sync = settings.sync() == Durability.COMMIT;
        long before = time.nanos();
        try {
            writer.write(lists, entries);
            if (!entries.isEmpty()) {
                if (sync) {
                    journal.sync();
                }
                counts.add(StoreMetric.COMMITS, 1);
                counts.add(StoreMetric.SYNCS, sync ? 1 : 0);
                counts.add(StoreMetric.SYNC_MICROS, (time.nanos() - before) / 1000);
                syncLater();
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

    /** One call for each shard: every commit up to its highest is as durable as promised. */
    private void tellCommitted() {
        for (OpList list : last) {
            outcome(list).onCommitted(list.commit);
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
            journal.sync();
            counts.add(StoreMetric.SYNCS, 1);
        } catch (DiskFailure e) {
            health.fail(e);
        }
    }
}
