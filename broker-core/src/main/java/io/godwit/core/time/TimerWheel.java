package io.godwit.core.time;

import org.jspecify.annotations.Nullable;

/**
 * The timers of one shard: arm and cancel in constant time, a tick visits one slot. A deadline
 * further away than one round stays in its slot and is looked at once a round.
 */
public final class TimerWheel {
    private static final int SLOTS = 1024;

    private final long tickMs;
    private final @Nullable Timer[] slots = new Timer[SLOTS];
    private long tick;

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
     */
    public void advance(long nowMs) {
        long target = nowMs / tickMs;
        if (target - tick > SLOTS) {
            tick = target - SLOTS;
        }
        while (tick <= target) {
            fire((int) (tick % SLOTS), nowMs);
            if (tick == target) {
                return;
            }
            tick++;
        }
    }

    private void fire(int slot, long nowMs) {
        Timer timer = slots[slot];
        while (timer != null) {
            Timer next = timer.next;
            if (timer.deadlineMs <= nowMs) {
                cancel(timer);
                timer.onTimer(nowMs);
                if (next != null && (!next.armed || next.slot != slot)) {
                    // The call cancelled or moved its neighbour: what is left is found from the
                    // head again.
                    next = slots[slot];
                }
            }
            timer = next;
        }
    }

    private int slot(long deadlineMs) {
        // A deadline in a tick that is over goes into the present one.
        return (int) (Math.max((deadlineMs + tickMs - 1) / tickMs, tick) % SLOTS);
    }
}
