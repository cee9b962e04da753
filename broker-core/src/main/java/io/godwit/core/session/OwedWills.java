package io.godwit.core.session;

import org.jspecify.annotations.Nullable;

/** How many wills of a shard are published and not taken in by everyone. */
public final class OwedWills {
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

    /** Has the task run once there is none: at once, perhaps. */
    public void whenNone(Runnable task) {
        if (count == 0) {
            task.run();
        } else {
            whenNone = task;
        }
    }
}
