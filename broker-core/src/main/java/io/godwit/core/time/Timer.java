package io.godwit.core.time;

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

    public final boolean isArmed() {
        return armed;
    }
}
