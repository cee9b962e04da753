package io.godwit.core.time;

import org.jspecify.annotations.Nullable;

/**
 * The timers of one shard: arm and cancel in constant time, a tick visits one slot. A deadline
 * further away than one round stays in its slot and is looked at once a round. Many that are due
 * together are fired in slices.
 */
public final class TimerWheel {
    private static final int SLOTS = 1024;

    /** What a slice may cost: a hundred timers fired, or ten thousand looked at. */
    private static final int SLICE = 10_000;

    private static final int FIRE_COST = 100;

    private final long tickMs;
    private final @Nullable Timer[] slots = new Timer[SLOTS];
    private long tick;

    /** Whether a slice has ended within the present slot. */
    private boolean isWithin;

    /** The next timer of the present slot to be looked at. */
    private @Nullable Timer cursor;

    /**
     * @param nowMs monotonic milliseconds
     */
    public TimerWheel(long tickMs, long nowMs) {
        this.tickMs = tickMs;
        this.tick = nowMs / tickMs;
    }

    /**
     * Arms a timer, or arms it anew. It fires at the first {@link #advance} at or after the
     * deadline.
     */
    public void arm(Timer timer, long deadlineMs) {
        cancel(timer);
        timer.deadlineMs = deadlineMs;
        timer.armed = true;
        int slot = slot(deadlineMs);
        timer.slot = slot;
        Timer head = slots[slot];
        timer.next = head;
        if (head != null) {
            head.previous = timer;
        }
        slots[slot] = timer;
    }

    public void cancel(Timer timer) {
        if (!timer.armed) {
            return;
        }
        Timer previous = timer.previous;
        Timer next = timer.next;
        if (cursor == timer) {
            cursor = next;
        }
        if (previous == null) {
            slots[timer.slot] = next;
        } else {
            previous.next = next;
        }
        if (next != null) {
            next.previous = previous;
        }
        timer.previous = null;
        timer.next = null;
        timer.armed = false;
    }

    /**
     * Fires the timers that are due, tick by tick, so that a late call fires in the order of the
     * deadlines' ticks.
     *
     * @return false when there are more than one slice has done: to be called again
     */
    public boolean advance(long nowMs) {
        long target = nowMs / tickMs;
        if (target - tick > SLOTS) {
            tick = target - SLOTS;
            isWithin = false;
        }
        int budget = SLICE;
        while (tick <= target) {
            int slot = (int) (tick % SLOTS);
            if (!isWithin) {
                cursor = slots[slot];
            }
            budget = fire(nowMs, budget);
            isWithin = cursor != null;
            if (isWithin) {
                return false;
            }
            if (tick == target) {
                return true;
            }
            tick++;
        }
        return true;
    }

    /** Goes on from the cursor. @return what is left of the budget */
    private int fire(long nowMs, int budget) {
        int left = budget;
        while (left > 0) {
            Timer timer = cursor;
            if (timer == null) {
                break;
            }
            cursor = timer.next; // Cancelling that one moves it on.
            left--;
            if (timer.deadlineMs <= nowMs) {
                cancel(timer);
                timer.onTimer(nowMs);
                left -= FIRE_COST;
            }
        }
        return left;
    }

    private int slot(long deadlineMs) {
        // A deadline in a tick that is over goes into the present one.
        return (int) (Math.max((deadlineMs + tickMs - 1) / tickMs, tick) % SLOTS);
    }
}
