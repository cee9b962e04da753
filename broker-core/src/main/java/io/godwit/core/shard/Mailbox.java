package io.godwit.core.shard;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Mail that other shards have sent to one shard, and tasks that any thread has given it. Any thread
 * posts and reads the sums; the rest is for the shard's own thread.
 */
final class Mailbox {
    /**
     * The mail that one shard sends to another at the end of a turn: one entry here, one wake-up.
     */
    record Batch(int from, Mail[] mails, int count, int weight, long bytes) {}

    private final ShardLoop loop;
    private final int slice;
    private final MpscUnboundedArrayQueue<Batch> batches = new MpscUnboundedArrayQueue<>(256);
    private final AtomicBoolean isAwake = new AtomicBoolean();
    private final AtomicLong posted = new AtomicLong();
    private final AtomicLong handled = new AtomicLong();
    private final AtomicLong postedBytes = new AtomicLong();
    private final AtomicLong handledBytes = new AtomicLong();
    private final AtomicLong held = new AtomicLong();
    private final AtomicLong heldBytes = new AtomicLong();
    private @Nullable Batch current;
    private int currentNext;

    /**
     * @param slice units of work (messages) that one {@link #drain} may take
     */
    Mailbox(ShardLoop loop, int slice) {
        this.loop = loop;
        this.slice = slice;
    }

    /** How many messages are under way, those that wait for the end of a hand-over included. */
    long depth() {
        return posted.get() - handled.get() + held.get();
    }

    /** Bytes of the mail that waits for the end of a hand-over. */
    long heldBytes() {
        return heldBytes.get();
    }

    /**
     * @param sign 1: the mail waits for the end of a hand-over; -1: it waits no more
     */
    void hold(Mail mail, int sign) {
        held.lazySet(held.getPlain() + (long) sign * mail.weight());
        heldBytes.lazySet(heldBytes.getPlain() + sign * mail.bytes());
    }

    /** Bytes of the messages under way. */
    long bytes() {
        return postedBytes.get() - handledBytes.get();
    }

    /** Posts one task. */
    void post(int from, OwnMail task) {
        post(new Batch(from, new Mail[] {task}, 1, task.weight(), task.bytes()));
    }

    void post(Batch batch) {
        posted.addAndGet(batch.weight());
        if (batch.bytes() > 0) {
            postedBytes.addAndGet(batch.bytes());
        }
        batches.offer(batch);
        if (!isAwake.get()) {
            wakeUp();
        }
    }

    /** Wakes the shard, unless that was done since it came last. */
    void wakeUp() {
        if (isAwake.compareAndSet(false, true)) {
            loop.wakeup();
        }
    }

    /** Notes that the shard has come: whoever posts from now on wakes it again. */
    void onAwake() {
        isAwake.set(false);
    }

    boolean isEmpty() {
        return current == null && batches.isEmpty();
    }

    /**
     * Handles a slice of the mail, or less when the turn has got enough to do, or a task was the
     * last that it has time for.
     */
    void drain(LoopShard at) {
        int budget = slice;
        while (budget > 0 && !at.hasMuchToFlush()) {
            Batch batch = current;
            if (batch == null) {
                batch = batches.poll();
                if (batch == null) {
                    return;
                }
                current = batch;
                currentNext = 0;
            }
            while (budget > 0 && !at.hasMuchToFlush() && currentNext < batch.count()) {
                Mail mail = batch.mails()[currentNext];
                if (mail.weight() > budget && budget < slice) {
                    return; // Too large for what is left of this slice: first in the next.
                }
                boolean done = mail.handle(at, batch.from());
                budget = mail.mayTakeLong() && at.isTurnLong() ? 0 : budget - mail.cost();
                if (done) {
                    currentNext++;
                    handled.lazySet(handled.getPlain() + mail.weight());
                    // At once: what it brought is counted where it stands now.
                    handledBytes.lazySet(handledBytes.getPlain() + mail.bytes());
                }
            }
            if (currentNext == batch.count()) {
                current = null;
                at.onMailHandled();
            }
        }
    }
}
