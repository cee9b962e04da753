package io.godwit.core.shard;

import io.godwit.core.message.QueuedMessage;
import io.godwit.core.metrics.Counters;
import io.godwit.core.metrics.Delays;
import io.godwit.core.metrics.Metric;
import io.godwit.core.settings.Rules;
import io.godwit.core.store.CommitOutcome;
import io.godwit.core.store.CommitWaiter;
import io.godwit.core.store.Confirmations;
import io.godwit.core.store.KeptQueue;
import io.godwit.core.store.KeptQueues;
import io.godwit.core.store.RowRead;
import io.godwit.core.store.ShardStore;
import io.godwit.core.store.Store;
import io.godwit.core.time.TimeSource;
import io.godwit.core.time.TimerWheel;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One event loop and everything that it owns: mail, timers, the open commit, and what is handed on
 * at the end of a turn. Only its thread touches the fields, but for the mailbox.
 *
 * <p>A turn: bytes, mail and ticks are handled; at its end the open commit is closed, outgoing mail
 * posted, and every connection that has something to say is flushed, once.
 */
public abstract class LoopShard implements Shard, CommitOutcome, KeptQueues {
    private final int index;
    private final Rules rules;
    private final ShardLoop loop;
    private final TimeSource time;
    private final PauseWatch pauses;
    private final Counters counters = new Counters();
    private final Delays delays = new Delays();
    private final TimerWheel timers;
    private final ShardStore store;

    private final ShardCommits commits;
    private final Mailbox mailbox;
    private LoopShard[] peers = new LoopShard[0];
    private final Outgoing outgoing = new Outgoing();
    private final ArrayDeque<Sliced> sliced = new ArrayDeque<>();
    private final TurnEnds turnEnds = new TurnEnds();
    private final TurnMeter meter;
    private final GatheredFlushes gathered;
    private boolean isGathering;

    /** Whether something waits for what followers confirm. */
    private volatile boolean awaitsFollowers;

    /** Whether the shard is about to look what they have confirmed. */
    private final AtomicBoolean looksSoon = new AtomicBoolean();

    private boolean endRequested;
    private boolean timersGoOn;

    private long nowMs;
    private long wallMs;
    private long sureMs;

    /**
     * @param pauses is told whenever the shard runs
     * @param mailSlice units of work (messages) that one round of mail may take
     */
    protected LoopShard(
            int index,
            ShardLoop loop,
            TimeSource time,
            PauseWatch pauses,
            Store store,
            Confirmations confirmations,
            int mailSlice,
            Rules rules) {
        this.index = index;
        this.rules = rules;
        this.loop = loop;
        this.time = time;
        this.pauses = pauses;
        this.nowMs = time.monotonicMs();
        this.wallMs = time.wallMs();
        this.sureMs = time.sureMs();
        this.timers = new TimerWheel(TICK_MS, nowMs);
        this.store = store.open(index, this);
        this.commits = new ShardCommits(this.store, confirmations, rules, this::assertInside);
        this.meter = new TurnMeter(time);
        this.gathered = new GatheredFlushes(time);
        this.mailbox = new Mailbox(loop, mailSlice);
    }

    /** Called once, before anything else. */
    protected void connect(LoopShard[] peers) {
        this.peers = peers;
        outgoing.open(peers.length);
    }

    @Override
    public final int index() {
        return index;
    }

    @Override
    public final Rules rules() {
        return rules;
    }

    @Override
    public final Counters counters() {
        return counters;
    }

    @Override
    public final Delays delays() {
        return delays;
    }

    @Override
    public final TimerWheel timers() {
        return timers;
    }

    @Override
    public final ShardStore store() {
        return store;
    }

    @Override
    public final KeptQueue keptQueue(long queueId) {
        return new ShardKeptQueue(store, commits, queueId);
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

    @Override
    public final long sureMs() {
        return sureMs;
    }

    @Override
    public final long mailboxDepth() {
        return mailbox.depth();
    }

    /** Bytes of the messages under way to this shard; read by any thread. */
    public final long mailboxBytes() {
        return mailbox.bytes();
    }

    /** Bytes of the mail that waits here for the end of a hand-over; read by any thread. */
    public final long heldMailBytes() {
        return mailbox.heldBytes();
    }

    @Override
    public final void hold(Mail mail) {
        mailbox.hold(mail, 1);
    }

    @Override
    public final void unhold(Mail mail) {
        mailbox.hold(mail, -1);
    }

    /** How long its turns are; read by any thread. */
    public final TurnMeter turns() {
        return meter;
    }

    @Override
    public final void assertInside() {
        if (!loop.isInside()) {
            throw new IllegalStateException(
                    "shard " + index + " was entered by a thread that is not its own");
        }
    }

    @Override
    public final void enter() {
        assertInside();
        if (!endRequested) {
            endRequested = true;
            nowMs = time.monotonicMs();
            wallMs = time.wallMs();
            sureMs = time.sureMs();
            delays.begin(meter.begin());
            loop.endTurnSoon();
            pauses.ran(index, nowMs);
        } else if (pauses.isOn()) {
            pauses.ran(index, time.monotonicMs());
        }
    }

    @Override
    public final void atTurnEnd(TurnEnd item) {
        assertInside();
        turnEnds.add(item);
    }

    @Override
    public final void answerAtTurnEnd(TurnEnd item) {
        assertInside();
        turnEnds.addAnswer(item);
    }

    @Override
    public final boolean hasMuchToFlush() {
        return turnEnds.isSliceFull();
    }

    /** Whether what may take long is for the next turn. */
    final boolean isTurnLong() {
        return meter.isLong();
    }

    @Override
    public final void wrote(int bytes) {
        turnEnds.wrote(bytes);
    }

    @Override
    public final void gather(boolean on) {
        isGathering = on;
    }

    @Override
    public final boolean isGathering() {
        return isGathering;
    }

    @Override
    public final void flushGathered(GatheredFlush item) {
        assertInside();
        gathered.add(item);
    }

    @Override
    public final void gathered(int bytes) {
        gathered.charge(bytes);
    }

    /** The time for which fan-outs gather is over. */
    public final void onGathered() {
        enter();
        gathered.due();
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
        assertInside();
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
        mailbox.wakeUp();
    }

    @Override
    public final void run(Runnable task) {
        if (loop.isInside()) {
            task.run();
        } else {
            execute(task);
        }
    }

    @Override
    public final void execute(Runnable task) {
        mailbox.post(index, new OwnMail(task, 1));
    }

    final void post(int shard, Mailbox.Batch batch) {
        peers[shard].mailbox.post(batch);
        onPosted(shard, peers[shard].mailboxDepth(), peers[shard].mailboxBytes());
    }

    /** Handles a slice of the mail that other shards sent. */
    public final void onMail() {
        enter();
        mailbox.onAwake();
        Sliced work = sliced.peek();
        if (work != null) {
            turnEnds.beginSlice();
            sliced.remove();
            if (!work.slice()) {
                sliced.add(work);
            }
            onMailHandled(); // It may have been mail that a hand-over had held back.
        }
        turnEnds.beginSlice();
        mailbox.drain(this);
        if (!mailbox.isEmpty() || !sliced.isEmpty()) {
            mailbox.wakeUp();
        }
    }

    /**
     * Called when mail was posted to a shard.
     *
     * @param depth messages that are under way to it now
     * @param bytes their bytes
     */
    protected void onPosted(int shard, long depth, long bytes) {}

    /** Called when a batch of this shard's mail, or a slice of work, was handled. */
    protected void onMailHandled() {}

    /** Called at the end of each turn. */
    protected void onTurnEnded() {}

    /** Called every {@link #TICK_MS}. */
    public void onTick() {
        enter();
        if (!timers.advance(nowMs) && !timersGoOn) {
            timersGoOn = true;
            slice(this::fireTimers);
        }
    }

    private boolean fireTimers() {
        timersGoOn = !timers.advance(nowMs);
        return !timersGoOn;
    }

    /**
     * Ends the turn: commit, mail, bytes. The order matters: mail stands in its mailbox before a
     * client can read an answer that leans on it, and have another shard send mail in its turn.
     * What is flushed may make room for more, which goes through all three again.
     */
    public final void onTurnEnd() {
        commits.close();
        outgoing.post(this);
        if (gathered.onTurnEnd(nowMs, loop)) {
            mailbox.wakeUp();
        }
        int ends = turnEnds.run();
        while (store.isDirty()) {
            commits.close();
            outgoing.post(this);
            ends += turnEnds.run();
        }
        outgoing.post(this);
        onTurnEnded();
        endRequested = false;
        delays.end(meter.end(ends));
    }

    @Override
    public final void afterCommit(CommitWaiter waiter) {
        commits.afterCommit(waiter);
    }

    @Override
    public final void whenCommitted(long commit, CommitWaiter waiter) {
        commits.whenCommitted(commit, waiter);
    }

    @Override
    public final void afterCommit(int copySet, CommitWaiter waiter) {
        commits.afterCommit(copySet, waiter);
    }

    @Override
    public final void afterCommitHere(CommitWaiter waiter) {
        commits.afterCommitHere(waiter);
    }

    @Override
    public final void onCommitted(long commit) {
        onCommitted(commit, 0);
    }

    @Override
    public final void onCommitted(long commit, long position) {
        if (loop.isInside() && commits.isToldInOrder(commit)) {
            settle(commit, position);
        } else {
            execute(() -> settle(commit, position));
        }
    }

    private void settle(long commit, long position) {
        beforeLook();
        commits.settle(commit, position, true);
        afterLook();
    }

    /** Says that the shard looks: what is confirmed in this moment is seen, or told again. */
    private void beforeLook() {
        if (commits.hasCopies()) {
            awaitsFollowers = true;
        }
    }

    private void afterLook() {
        if (commits.hasCopies()) {
            awaitsFollowers = commits.awaitsFollowers();
        }
    }

    /** Looks what followers have confirmed meanwhile, if anything waits for it; any thread. */
    public final void onConfirmed() {
        if (awaitsFollowers && looksSoon.compareAndSet(false, true)) {
            execute(() -> {
                looksSoon.set(false);
                beforeLook();
                commits.onConfirmed();
                afterLook();
            });
        }
    }

    @Override
    public final void onFailed(long commit, Throwable cause) {
        execute(() -> {
            counters.increment(Metric.STORE_FAILURES);
            commits.settle(commit, 0, false);
        });
    }

    @Override
    public void onRows(QueuedMessage[] entries) {}

    @Override
    public final void onRead(RowRead read, @Nullable Throwable failure) {
        mailbox.post(index, new OwnMail(() -> read.onRead(failure), read.work()));
    }
}
