package io.godwit.core.session;

import org.jspecify.annotations.Nullable;

/** How many wills a shard has published that are not taken in by everyone. */
public final class OwedWills {
    /**
     * No CONNECT may bring another will while a shard owes so many: what holds them up is broken.
     */
    private static final int MAX = 100_000;

    private int count;
    private @Nullable Runnable whenNone;

    /** A will was published, or has been taken in by everyone. */
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

    /** Has the task run once there is none: at once, perhaps. */
    public void whenNone(Runnable task) {
        if (count == 0) {
            task.run();
        } else {
            whenNone = task;
        }
    }
}
