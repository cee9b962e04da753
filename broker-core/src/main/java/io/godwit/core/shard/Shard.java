package io.godwit.core.shard;

import io.godwit.core.message.QueuedMessage;
import io.godwit.core.metrics.Counters;
import io.godwit.core.metrics.Metric;
import io.godwit.core.settings.Rule;
import io.godwit.core.settings.Rules;
import io.godwit.core.store.CommitOutcome;
import io.godwit.core.store.CommitWaiter;
import io.godwit.core.store.KeptQueue;
import io.godwit.core.store.KeptQueues;
import io.godwit.core.store.RowRead;
import io.godwit.core.store.ShardStore;
import io.godwit.core.store.Store;
import io.godwit.core.time.TimeSource;
import io.godwit.core.time.TimerWheel;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * One event loop and everything that it owns: mail, timers, the open commit, and what is handed on
 * at the end of a turn. Only its thread touches the fields, but for the mailbox.
 *
 * <p>A turn: bytes, mail and ticks are handled; at its end outgoing mail is posted, the open commit
 * closed, and every connection that has something to say is flushed, once.
 */
public abstract class Shard
        implements CommitOutcome, ShardClock, Mailer, Commits, Turns, KeptQueues {
    /** How often {@link #onTick} is called. */
    public static final long TICK_MS = 100;

    private final int index;
    private final Rules rules;
    private final ShardLoop loop;
    private final TimeSource time;
    private final Counters counters = new Counters();
    private final TimerWheel timers;
    private final ShardStore store;

    private final MpscUnboundedArrayQueue<MailBatch> mailbox = new MpscUnboundedArrayQueue<>(256);
    private final AtomicBoolean mailWaits = new AtomicBoolean();
    private final AtomicLong mailed = new AtomicLong();
    private final AtomicLong handled = new AtomicLong();
    private final AtomicLong mailedBytes = new AtomicLong();
    private final AtomicLong handledBytes = new AtomicLong();
    private final AtomicLong heldMails = new AtomicLong();
    private final AtomicLong heldMailBytes = new AtomicLong();
    private final int mailSlice;
    private @Nullable MailBatch current;
    private int currentNext;

    private Shard[] peers = new Shard[0];
    private final Outgoing outgoing = new Outgoing();
    private final ArrayDeque<Sliced> sliced = new ArrayDeque<>();
    private final TurnEnds turnEnds = new TurnEnds();
    private boolean endRequested;

    private final CommitWaiters waiting = new CommitWaiters();
    private boolean inCommit;

    /** The last commit whose outcome is known. */
    private long settled;

    /** The first commit that failed; 0: none did. */
    private long failed;

    private long nowMs;
    private long wallMs;
    private long turnStartNanos;
    private volatile long longestTurnNanos;
    private volatile int turnEndsMost;

    /**
     * @param mailSlice units of work (messages) that one round of mail may take
     */
    protected Shard(
            int index, ShardLoop loop, TimeSource time, Store store, int mailSlice, Rules rules) {
        this.index = index;
        this.rules = rules;
        this.mailSlice = mailSlice;
        this.loop = loop;
        this.time = time;
        this.nowMs = time.monotonicMs();
        this.wallMs = time.wallMs();
        this.timers = new TimerWheel(TICK_MS, nowMs);
        this.store = store.open(index, this);
    }

    /** Called once, before anything else. */
    protected void connect(Shard[] peers) {
        this.peers = peers;
        outgoing.open(peers.length);
    }

    @Override
    public final int index() {
        return index;
    }

    /** Which rules of the design hold: all, but in the simulator. */
    public final Rules rules() {
        return rules;
    }

    public final Counters counters() {
        return counters;
    }

    public final TimerWheel timers() {
        return timers;
    }

    public final ShardStore store() {
        return store;
    }

    @Override
    public final KeptQueue keptQueue(long queueId) {
        return new KeptByShard(this, queueId);
    }

    public final ShardLoop loop() {
        return loop;
    }

    protected final Shard peer(int shard) {
        return peers[shard];
    }

    @Override
    public final int shards() {
        return peers.length;
    }

    @Override
    public final long nowMs() {
        return nowMs;
    }

    @Override
    public final long wallMs() {
        return wallMs;
    }

    /**
     * Messages under way to this shard, and those that wait for the end of a hand-over; read by any
     * thread.
     */
    public final long mailboxDepth() {
        return mailed.get() - handled.get() + heldMails.get();
    }

    /** Bytes of the mail that waits here for the end of a hand-over; read by any thread. */
    public final long heldMailBytes() {
        return heldMailBytes.get();
    }

    /** Mail counts as under way while it waits for the end of a hand-over. */
    public final void hold(Mail mail) {
        heldMails.lazySet(heldMails.getPlain() + mail.weight());
        heldMailBytes.lazySet(heldMailBytes.getPlain() + mail.bytes());
    }

    /** It waits no more. */
    public final void unhold(Mail mail) {
        heldMails.lazySet(heldMails.getPlain() - mail.weight());
        heldMailBytes.lazySet(heldMailBytes.getPlain() - mail.bytes());
    }

    /** Their bytes; read by any thread. */
    public final long mailboxBytes() {
        return mailedBytes.get() - handledBytes.get();
    }

    /** The longest turn since the last call of this, in nanoseconds; read by any thread. */
    public final long longestTurnNanos() {
        return longestTurnNanos;
    }

    /** The most turn ends, connections to attend to, that one turn had; read by any thread. */
    public final int turnEndsMost() {
        return turnEndsMost;
    }

    /**
     * @throws IllegalStateException when another thread than the shard's calls: what only one
     *     thread may touch would be touched by two
     */
    public final void assertInside() {
        if (!loop.isInside()) {
            throw new IllegalStateException(
                    "shard " + index + " was entered by a thread that is not its own");
        }
    }

    /** Begins a turn if none runs: everything that enters the shard calls this first. */
    public final void enter() {
        assertInside();
        if (!endRequested) {
            endRequested = true;
            nowMs = time.monotonicMs();
            wallMs = time.wallMs();
            turnStartNanos = time.nanos();
            loop.endTurnSoon();
        }
    }

    @Override
    public final void atTurnEnd(TurnEnd item) {
        turnEnds.add(item);
    }

    @Override
    public final boolean hasMuchToFlush() {
        return turnEnds.isSliceFull();
    }

    @Override
    public final void send(int shard, Mail mail) {
        assertInside();
        if (shard == index) {
            while (!mail.handle(this, index)) {
                // Own work is not sliced here; what is long slices itself by a turn end.
            }
        } else {
            outgoing.add(shard, mail);
        }
    }

    @Override
    public final void sendAfterAll(int shard, Mail mail) {
        if (shard == index) {
            send(shard, mail);
        } else {
            outgoing.addAfterAll(shard, mail);
        }
    }

    @Override
    public final void slice(Sliced work) {
        assertInside();
        sliced.add(work);
        if (mailWaits.compareAndSet(false, true)) {
            loop.wakeup();
        }
    }

    /** Runs a task now when on this shard's thread, else as mail. */
    public final void run(Runnable task) {
        if (loop.isInside()) {
            task.run();
        } else {
            execute(task);
        }
    }

    /** Runs a task on the shard's thread, from any thread. */
    public final void execute(Runnable task) {
        post(
                new MailBatch(
                        index,
                        new Mail[] {
                            new Mail() {
                                @Override
                                protected boolean handle(Shard at, int from) {
                                    task.run();
                                    return true;
                                }
                            }
                        },
                        1,
                        1,
                        0));
    }

    final void post(int shard, MailBatch batch) {
        peers[shard].post(batch);
        onPosted(shard, peers[shard].mailboxDepth());
    }

    private void post(MailBatch batch) {
        mailed.addAndGet(batch.weight());
        if (batch.bytes() > 0) {
            mailedBytes.addAndGet(batch.bytes());
        }
        mailbox.offer(batch);
        if (!mailWaits.get() && mailWaits.compareAndSet(false, true)) {
            loop.wakeup();
        }
    }

    /** Handles a slice of what others sent. */
    public final void onMail() {
        enter();
        mailWaits.set(false);
        Sliced work = sliced.peek();
        if (work != null) {
            turnEnds.beginSlice();
            sliced.remove();
            if (!work.slice()) {
                sliced.add(work);
            }
        }
        drainMailbox();
        if ((current != null || !mailbox.isEmpty() || !sliced.isEmpty())
                && mailWaits.compareAndSet(false, true)) {
            loop.wakeup();
        }
    }

    private void drainMailbox() {
        int budget = mailSlice;
        turnEnds.beginSlice();
        while (budget > 0 && !hasMuchToFlush()) {
            MailBatch batch = current;
            if (batch == null) {
                batch = mailbox.poll();
                if (batch == null) {
                    return;
                }
                current = batch;
                currentNext = 0;
            }
            while (budget > 0 && !hasMuchToFlush() && currentNext < batch.count()) {
                Mail mail = batch.mails()[currentNext];
                if (mail.weight() > budget && budget < mailSlice) {
                    return; // Too large for what is left of this slice: first in the next.
                }
                boolean done = mail.handle(this, batch.from());
                budget -= mail.cost();
                if (done) {
                    currentNext++;
                    handled.lazySet(handled.getPlain() + mail.weight());
                }
            }
            if (currentNext == batch.count()) {
                current = null;
                handledBytes.lazySet(handledBytes.getPlain() + batch.bytes());
                onMailHandled();
            }
        }
    }

    /** Mail was posted to a shard; this many messages are now under way to it. */
    protected void onPosted(int shard, long depth) {}

    /** A batch of mail was handled: the depth went down. */
    protected void onMailHandled() {}

    /** Every {@link #TICK_MS}. */
    public void onTick() {
        enter();
        timers.advance(nowMs);
    }

    /**
     * Ends the turn: commit, bytes, mail. The order matters: what the commit completes may still
     * send bytes and mail.
     */
    public final void onTurnEnd() {
        int ends = 0;
        do {
            while (store.isDirty()) {
                inCommit = true;
                store.commit();
                inCommit = false;
            }
            ends += turnEnds.run();
        } while (store.isDirty());
        outgoing.post(this);
        endRequested = false;
        long nanos = time.nanos() - turnStartNanos;
        if (nanos > longestTurnNanos) {
            longestTurnNanos = nanos;
        }
        if (ends > turnEndsMost) {
            turnEndsMost = ends;
        }
    }

    @Override
    public final void afterCommit(CommitWaiter waiter) {
        after(store.isDirty() ? store.openCommit() : store.openCommit() - 1, waiter);
    }

    /** The same, for the operations of one replica set alone. */
    final void afterCommit(int replicaSet, CommitWaiter waiter) {
        after(store.lastCommit(replicaSet), waiter);
    }

    private void after(long commit, CommitWaiter waiter) {
        assertInside();
        if (!rules.holds(Rule.WAIT_FOR_STORE)) {
            waiter.onCommit(true);
            return;
        }
        if (commit <= settled) {
            // Nothing is added to it: it is about what was gathered before, and if any of that has
            // failed not all is committed, and never will be.
            waiter.onCommit(failed == 0);
        } else {
            waiting.add(commit, waiter);
        }
    }

    /**
     * Calls the waiter as {@link #afterCommit} does; of a commit that is asked for later than it
     * was open, which others may have followed: when it failed, their success does not count.
     */
    public final void whenCommitted(long commit, CommitWaiter waiter) {
        afterCommit(durable -> waiter.onCommit(durable && (failed == 0 || commit < failed)));
    }

    @Override
    public final void onCommitted(long commit) {
        // Told within commit() itself, and nothing told before is still on its way here by mail.
        if (loop.isInside() && inCommit && settled == commit - 1) {
            settle(commit, true);
        } else {
            execute(() -> settle(commit, true));
        }
    }

    @Override
    public final void onFailed(long commit, Throwable cause) {
        execute(() -> {
            counters.increment(Metric.STORE_FAILURES);
            settle(commit, false);
        });
    }

    @Override
    public void onRows(QueuedMessage[] entries) {}

    @Override
    public final void onRead(RowRead read, @Nullable Throwable failure) {
        execute(() -> read.onRead(failure));
    }

    private void settle(long commit, boolean durable) {
        if (!durable && failed == 0) {
            failed = commit; // For who asks later: it stays failed, whatever comes behind it.
        }
        settled = commit;
        waiting.settle(commit, durable);
    }
}
