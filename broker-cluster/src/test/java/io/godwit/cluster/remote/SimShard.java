package io.godwit.cluster.remote;

import io.godwit.core.shard.GatheredFlush;
import io.godwit.core.shard.Sliced;
import io.godwit.core.shard.TurnEnd;
import io.godwit.core.shard.Turns;
import io.godwit.core.simulation.Scheduler;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** A shard of a simulated node: its turns, mail and account. */
final class SimShard implements Turns, TurnClock, ChannelAccount {
    private final Scheduler scheduler;
    private final ArrayDeque<Runnable> mail = new ArrayDeque<>();
    private final ArrayDeque<Sliced> sliced = new ArrayDeque<>();
    private List<TurnEnd> items = new ArrayList<>();
    private List<TurnEnd> answers = new ArrayList<>();
    private boolean isInside;
    private boolean isDead;
    long waiting;
    long held;
    boolean isAlarm;
    long windowsMax = 1 << 20;

    SimShard(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    /** Runs a task as a turn of its own, or within the one that runs. */
    void turn(Runnable task) {
        if (isDead) {
            return;
        }
        if (isInside) {
            task.run();
            return;
        }
        isInside = true;
        task.run();
        while (!items.isEmpty() || !answers.isEmpty()) {
            List<TurnEnd> now = items.isEmpty() ? answers : items;
            if (items.isEmpty()) {
                answers = new ArrayList<>();
            } else {
                items = new ArrayList<>();
            }
            now.forEach(TurnEnd::onTurnEnd);
        }
        isInside = false;
    }

    void execute(Runnable task) {
        mail.add(task);
        scheduler.in(10, () -> turn(() -> mail.remove().run()));
    }

    void die() {
        isDead = true;
    }

    @Override
    public void atTurnEnd(TurnEnd item) {
        check();
        items.add(item);
    }

    @Override
    public void answerAtTurnEnd(TurnEnd item) {
        check();
        answers.add(item);
    }

    private void check() {
        if (!isInside) {
            throw new AssertionError("not in a turn");
        }
    }

    @Override
    public boolean hasMuchToFlush() {
        return false;
    }

    @Override
    public void slice(Sliced work) {
        check();
        sliced.add(work);
        scheduler.in(20, this::runSlice);
    }

    private void runSlice() {
        turn(() -> {
            Sliced work = sliced.remove();
            if (!work.slice()) {
                sliced.add(work);
                scheduler.in(20, this::runSlice);
            }
        });
    }

    @Override
    public void gather(boolean on) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isGathering() {
        return false;
    }

    @Override
    public void flushGathered(GatheredFlush item) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void wrote(int bytes) {}

    @Override
    public void gathered(int bytes) {}

    @Override
    public void enter() {
        check();
    }

    @Override
    public long nowMs() {
        return scheduler.monotonicMs();
    }

    @Override
    public void waiting(long change) {
        waiting += change;
    }

    @Override
    public void held(long change) {
        held += change;
    }

    @Override
    public boolean isAlarm() {
        return isAlarm;
    }

    @Override
    public long edgeWindowsMax() {
        return windowsMax;
    }

    @Override
    public long leaderWindowsMax() {
        return windowsMax;
    }
}
