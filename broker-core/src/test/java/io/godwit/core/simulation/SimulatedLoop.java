package io.godwit.core.simulation;

import io.godwit.core.node.BrokerShard;
import io.godwit.core.shard.Shard;
import io.godwit.core.shard.ShardLoop;
import java.util.ArrayDeque;
import java.util.random.RandomGenerator;

/**
 * The thread of one shard. Shards run one at a time, but a wake-up may run the woken shard at once,
 * in the middle of the waker's turn: that is how a mail that one thread has just posted may be
 * handled by another before the first goes on.
 */
final class SimulatedLoop implements ShardLoop {
    private static final boolean TRACE = Boolean.getBoolean("simulation.trace");
    private final Scheduler scheduler;
    private final RandomGenerator random;
    private final ArrayDeque<SimulatedLoop> running;
    private BrokerShard shard;
    private boolean mailPending;
    private boolean endPending;
    private boolean over;
    private long pausedUntil;

    /**
     * @param running the loops under way, innermost first; shared by all
     */
    SimulatedLoop(Scheduler scheduler, RandomGenerator random, ArrayDeque<SimulatedLoop> running) {
        this.scheduler = scheduler;
        this.random = random;
        this.running = running;
    }

    void start(BrokerShard of) {
        shard = of;
        scheduler.background(random.nextInt(100_000), this::tick);
    }

    /** The thread is gone; what it was to do later is never done. */
    void stop() {
        over = true;
    }

    /** The process is stopped until then: what comes meanwhile waits. */
    void pause(long untilMicros) {
        pausedUntil = untilMicros;
    }

    /** Whether something has to be done after a pause: then it will be. */
    private boolean waits(Runnable task, boolean background) {
        long left = pausedUntil - scheduler.micros();
        if (left <= 0) {
            return false;
        }
        long after = left + random.nextInt(300);
        if (background) {
            scheduler.background(after, task);
        } else {
            scheduler.in(after, task);
        }
        return true;
    }

    /**
     * Does at once what it is about to do.
     *
     * @return whether there was anything
     */
    boolean drain() {
        boolean busy = mailPending || endPending;
        onMail();
        onTurnEnd();
        return busy;
    }

    /** Whether it has nothing to do until something happens elsewhere. */
    boolean isIdle() {
        return !mailPending && !endPending && pausedUntil <= scheduler.micros();
    }

    private void tick() {
        if (over || waits(this::tick, true)) {
            return;
        }
        run(shard::onTick);
        scheduler.background(Shard.TICK_MS * 1000, this::tick);
    }

    /** Does something on this shard's thread. */
    void run(Runnable action) {
        running.push(this);
        try {
            action.run();
        } finally {
            running.pop();
        }
    }

    @Override
    public void wakeup() {
        if (over) {
            return;
        }
        mailPending = true;
        if (TRACE) {
            new Throwable(scheduler.micros() + " wakeup of " + shard.index())
                    .printStackTrace(System.out);
        }
        boolean nested =
                !running.isEmpty()
                        && !running.contains(this)
                        && random.nextInt(4) == 0
                        && pausedUntil <= scheduler.micros();
        if (nested) {
            onMail();
            if (endPending && random.nextBoolean()) {
                onTurnEnd();
            }
        } else {
            // Now and then the machine has put the thread aside.
            boolean late = random.nextInt(50) == 0;
            scheduler.in(random.nextInt(late ? 30_000 : 300), this::onMail);
        }
    }

    private void onMail() {
        if (mailPending && !over && !waits(this::onMail, false)) {
            mailPending = false;
            run(shard::onMail);
        }
    }

    @Override
    public void endTurnSoon() {
        endPending = true;
        scheduler.background(random.nextInt(60), this::onTurnEnd);
    }

    @Override
    public void gatherFor(int ms) {
        scheduler.in(ms * 1000L, this::gathered);
    }

    private void gathered() {
        if (!over && !waits(this::gathered, false)) {
            run(shard::onGathered);
        }
    }

    private void onTurnEnd() {
        if (endPending && !over && !waits(this::onTurnEnd, true)) {
            endPending = false;
            run(shard::onTurnEnd);
        }
    }

    @Override
    public boolean isInside() {
        return running.peek() == this;
    }
}
