package io.godwit.core.session;

import org.jspecify.annotations.Nullable;

/** Counts the wills that a shard has published and that not every target has taken in. */
public final class OwedWills {
    /**
     * No CONNECT may bring another will while a shard owes so many: what holds them up is broken.
     */
    private static final int MAX = 100_000;

    private int count;
    private @Nullable Runnable whenNone;

    /** Counts a will that was published (1), or that every target has taken in (-1). */
    void count(int change) {
        count += change;
        Runnable task = whenNone;
        if (count == 0 && task != null) {
            whenNone = null;
            task.run();
        }
    }

    boolean isFull() {
        return count >= MAX;
    }

    /** Runs the task once no will is owed, which may be at once. */
    public void whenNone(Runnable task) {
        if (count == 0) {
            task.run();
        } else {
            whenNone = task;
        }
    }
}
