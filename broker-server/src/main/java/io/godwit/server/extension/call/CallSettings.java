package io.godwit.server.extension.call;

import java.time.Duration;

/**
 * Bounds of the calls of one extension.
 *
 * @param threads platform threads, or {@link #VIRTUAL}
 * @param callTime for which the broker waits for an answer
 * @param waitingMax calls that have no answer yet
 * @param waitingBytesMax bytes of these calls
 * @param cpu processors that the threads may use; 0: any number
 */
public record CallSettings(
        int threads, Duration callTime, int waitingMax, long waitingBytesMax, double cpu) {
    /** Stands for a virtual thread for each call. */
    public static final int VIRTUAL = 0;

    /** Bounds without one of CPU. */
    CallSettings(int threads, Duration callTime, int waitingMax, long waitingBytesMax) {
        this(threads, callTime, waitingMax, waitingBytesMax, 0);
    }

    public CallSettings {
        if (threads < 0 || callTime.isNegative() || callTime.isZero() || waitingMax < 1) {
            throw new IllegalArgumentException(
                    threads + " threads, " + callTime + ", " + waitingMax + " calls");
        }
    }

    boolean isVirtual() {
        return threads == VIRTUAL;
    }
}
