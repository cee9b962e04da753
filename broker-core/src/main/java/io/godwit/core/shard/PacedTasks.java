package io.godwit.core.shard;

import java.util.ArrayDeque;

/**
 * Tasks of one kind that can come by the thousand at one moment: so many of a turn are done at
 * once, the others in slices, in order. The caller bounds how many there can be.
 */
public final class PacedTasks implements TurnEnd {
    private final Turns turns;
    private final int slice;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>(0);
    private int doneInTurn;

    /**
     * @param slice tasks that a turn does at once, and then in each slice
     */
    public PacedTasks(Turns turns, int slice) {
        this.turns = turns;
        this.slice = slice;
    }

    /**
     * Does the task now, or as soon as it is its turn.
     *
     * @return whether it was done
     */
    public boolean add(Runnable task) {
        if (waiting.isEmpty() && doneInTurn < slice) {
            if (doneInTurn++ == 0) {
                turns.atTurnEnd(this);
            }
            task.run();
            return true;
        }
        if (waiting.isEmpty()) {
            turns.slice(this::slice);
        }
        waiting.add(task);
        return false;
    }

    private boolean slice() {
        for (int i = 0; i < slice && !turns.hasMuchToFlush(); i++) {
            Runnable task = waiting.peek();
            if (task == null) {
                break;
            }
            task.run();
            waiting.remove(); // Only now: what it adds comes behind the others.
        }
        return waiting.isEmpty();
    }

    @Override
    public void onTurnEnd() {
        doneInTurn = 0;
    }
}
