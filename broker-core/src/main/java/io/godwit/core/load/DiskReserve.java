package io.godwit.core.load;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds the bytes that new sessions, new subscriptions and Wills write during a disk alarm. What
 * they give back again counts all the same: the disk has been written to. The store's thread begins
 * and ends; any thread takes.
 */
final class DiskReserve {
    private final AtomicLong leftBytes = new AtomicLong();
    private volatile int alarm;
    private volatile boolean isBounded;

    /** Begins an alarm with so many bytes; one that has begun goes on. */
    void begin(long bytes) {
        if (!isBounded) {
            leftBytes.set(bytes);
            alarm = alarm + 1; // one writer
            isBounded = true;
        }
    }

    void end() {
        isBounded = false;
    }

    /** Takes bytes if there are as many; without an alarm there always are. */
    boolean take(long bytes) {
        if (!isBounded) {
            return true;
        }
        long left = leftBytes.get();
        while (left >= bytes) {
            if (leftBytes.compareAndSet(left, left - bytes)) {
                return true;
            }
            left = leftBytes.get();
        }
        return false;
    }

    /** Number of this alarm, or of the last one; 0 before the first. */
    int alarm() {
        return alarm;
    }
}
