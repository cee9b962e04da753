package io.godwit.core.time;

import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Something that wants to be called at a time; a node of {@link TimerWheel}'s lists, so arming
 * allocates nothing.
 */
public abstract class Timer {
    @Nullable Timer previous;
    @Nullable Timer next;
    long deadlineMs;
    int slot;
    boolean armed;

    /**
     * @param nowMs monotonic milliseconds, at or after the deadline
     */
    protected abstract void onTimer(long nowMs);

    /** One that does this at its time. */
    public static Timer of(LongConsumer task) {
        return new Timer() {
            @Override
            protected void onTimer(long nowMs) {
                task.accept(nowMs);
            }
        };
    }

    public final boolean isArmed() {
        return armed;
    }
}
