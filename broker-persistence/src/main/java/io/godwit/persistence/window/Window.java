package io.godwit.persistence.window;

import io.godwit.core.time.TimeSource;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.health.StoreHealth;
import io.godwit.persistence.journal.JournalEntry;
import io.godwit.persistence.queue.Arrivals;
import io.godwit.persistence.queue.Materialiser;
import io.godwit.persistence.queue.Thinning;
import io.godwit.persistence.settings.StoreSettings;
import io.godwit.persistence.work.Worker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Entries of the journal that wait in memory, in order, for what they hold to be removed; those
 * that are too old, or too many, become rows. {@link #offer} and {@link #end} from any thread, the
 * rest on the row worker.
 */
public final class Window {
    /** Operations and bytes of one write: longer ones would hold commits up. */
    private static final int RUN_OPS = 2048;

    private static final long RUN_BYTES = 192 << 10;

    /** Operations that wait at most. */
    private static final int OPS_MAX = 1 << 20;

    private static final long TICK_MS = 50;

    /** Operations that come in within a tick at most: what they remove is let go of soon. */
    private static final int INCOMING_OPS_MAX = 1 << 14;

    private final StoreSettings settings;
    private final TimeSource time;
    private final Worker worker;
    private final StoreHealth health;
    private final Materialiser materialiser;
    private final Arrivals arrivals;
    private final PartOps parts;
    private final Queue<JournalEntry> incoming = new ConcurrentLinkedQueue<>();
    private final ArrayDeque<JournalEntry> waiting = new ArrayDeque<>();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicInteger incomingOps = new AtomicInteger();
    private final AtomicBoolean ticking = new AtomicBoolean();
    private final AtomicBoolean urgent = new AtomicBoolean();
    private final Runnable tick = this::tick;
    private final Runnable hurry = this::hurry;
    private volatile boolean endAsked;

    /** The position up to which the window was ended. */
    private long endPosition;

    /** The position at which the leader of a queue changed last. */
    private long leadersChangedAt;

    private int ops;
    private boolean closed;

    public Window(
            StoreSettings settings,
            TimeSource time,
            Worker worker,
            StoreHealth health,
            Materialiser materialiser,
            Arrivals arrivals,
            PartOps parts) {
        this.parts = parts;
        this.settings = settings;
        this.time = time;
        this.worker = worker;
        this.health = health;
        this.materialiser = materialiser;
        this.arrivals = arrivals;
        parts.attach(arrivals);
    }

    public long bytes() {
        return bytes.get();
    }

    /** An entry was written to the journal. */
    public void offer(JournalEntry entry) {
        incoming.add(entry);
        boolean many = incomingOps.addAndGet(entry.ops) > INCOMING_OPS_MAX;
        if (bytes.addAndGet(entry.bytes) > settings.windowBytes() || many || entry.isUrgent()) {
            hurryUp();
        } else if (!ticking.get() && ticking.compareAndSet(false, true)) {
            worker.schedule(tick, tickNanos());
        }
    }

    /** What is in it now becomes rows. */
    public void end() {
        endAsked = true;
        hurryUp();
    }

    private void hurryUp() {
        if (!urgent.get() && urgent.compareAndSet(false, true)) {
            worker.execute(hurry);
        }
    }

    private long tickNanos() {
        return Math.min(TICK_MS, settings.windowMs()) * 1_000_000;
    }

    private synchronized void hurry() {
        urgent.set(false);
        if (turn()) {
            hurryUp();
        }
    }

    private synchronized void tick() {
        ticking.set(false);
        if (turn()) {
            hurryUp();
        }
        if (!waiting.isEmpty() || !incoming.isEmpty()) {
            if (health.cause() == null && !closed && ticking.compareAndSet(false, true)) {
                worker.schedule(tick, tickNanos());
            }
        }
    }

    /**
     * @return whether there is more to do at once
     */
    private boolean turn() {
        if (closed || health.cause() != null) {
            loseMarks();
            return false;
        }
        try {
            boolean more = arrive();
            thin();
            more |= leave();
            more |= materialiser.coverSome();
            return more || materialiser.purgeSome();
        } catch (DiskFailure | RuntimeException e) {
            health.fail(e);
            return false;
        }
    }

    private void loseMarks() {
        Throwable cause = health.cause();
        for (JournalEntry entry = incoming.poll(); entry != null; entry = incoming.poll()) {
            if (entry.mark != null) {
                entry.mark.lost(cause == null ? new IllegalStateException("closed") : cause);
            }
        }
    }

    /**
     * @return whether some of it has to wait for rows
     */
    private boolean arrive() throws DiskFailure {
        boolean ends = endAsked;
        endAsked = false;
        incomingOps.set(0);
        while (!awaitsRows()) {
            JournalEntry entry = incoming.poll();
            if (entry == null) {
                break;
            }
            if (entry.mark != null) {
                entry.mark.reached(entry.position, waiting);
                continue;
            }
            if (entry.isForeign) {
                parts.expand(entry, waiting);
            }
            arrivals.arrive(entry);
            entry.arrived();
            waiting.add(entry);
            ops += entry.ops;
            if (entry.changesLeader) {
                endPosition = entry.position;
                leadersChangedAt = entry.position;
            }
        }
        if (ends && !waiting.isEmpty()) {
            endPosition = waiting.getLast().position;
        }
        boolean isLeft = awaitsRows() && !incoming.isEmpty();
        endAsked |= ends && isLeft;
        return isLeft;
    }

    /**
     * Whether a queue's leader changes in what waits: what follows may be of that leader, and finds
     * rows of what was there before.
     */
    private boolean awaitsRows() {
        JournalEntry head = waiting.peek();
        return head != null && head.position <= leadersChangedAt;
    }

    private void thin() {
        long nowMs = time.monotonicMs();
        // Soon, so that what is acknowledged at once dies young; again for those that took longer.
        long first = nowMs - TICK_MS;
        long second = nowMs - Math.max(TICK_MS, settings.windowMs() / 10);
        long third = nowMs - Math.max(TICK_MS, settings.windowMs() / 4);
        boolean pressed = isPressed();
        for (JournalEntry entry : waiting) {
            if (!pressed && entry.atMs > first) {
                return;
            }
            int times = entry.atMs > second ? 1 : entry.atMs > third ? 2 : 3;
            if (entry.thinned < times && entry.ops > 0) {
                long had = entry.bytes;
                ops -= entry.ops;
                Thinning.thin(entry);
                ops += entry.ops;
                bytes.addAndGet(entry.bytes - had);
                if (times == 3) {
                    entry.judge();
                }
            }
        }
    }

    private boolean isPressed() {
        return bytes.get() > settings.windowBytes() || ops > OPS_MAX;
    }

    private boolean leave() throws DiskFailure {
        List<JournalEntry> run = new ArrayList<>();
        int runOps = 0;
        long runBytes = 0;
        while (runOps < RUN_OPS && runBytes < RUN_BYTES && headLeaves()) {
            JournalEntry head = waiting.remove();
            run.add(head);
            runOps += head.ops;
            runBytes += head.bytes;
            ops -= head.ops;
        }
        if (run.isEmpty()) {
            return false;
        }
        materialiser.write(run, arrivals);
        for (JournalEntry entry : run) {
            if (entry.isForeign) {
                parts.left(entry);
            }
        }
        bytes.addAndGet(-runBytes);
        return headLeaves();
    }

    private boolean headLeaves() {
        JournalEntry head = waiting.peek();
        if (head == null) {
            return false;
        }
        return head.position <= endPosition
                || head.isStaying()
                || head.atMs + settings.windowMs() <= time.monotonicMs()
                || isPressed();
    }

    /** Makes rows of everything, as far as the store still writes; then nothing any more. */
    public synchronized void close() {
        endAsked = true;
        while (turn()) {
            endAsked = true;
        }
        closed = true;
        loseMarks();
    }

    /** Runs something of the row worker's, unless the store is closed or has failed. */
    public synchronized void run(DiskTask task) {
        if (closed || health.cause() != null) {
            return;
        }
        try {
            task.run();
        } catch (DiskFailure | RuntimeException e) {
            health.fail(e);
        }
    }

    /** What may fail with the disk. */
    public interface DiskTask {
        void run() throws DiskFailure;
    }

    /** There are queues to be deleted. */
    public void purge() {
        hurryUp();
    }
}
