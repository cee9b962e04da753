package io.godwit.testkit;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The broker's time. It runs with the machine's, and a test can move it: what expires, keep alive,
 * Will delays, and the time limits of calls go by it. The extension's own clocks and its executor
 * do not.
 */
public final class KitClock {
    private final AtomicLong passedMs = new AtomicLong();
    private final Runnable onPassed;

    KitClock(Runnable onPassed) {
        this.onPassed = onPassed;
    }

    /**
     * Has so much time pass at once. What is due by then has begun when this returns; {@link
     * GodwitKit#awaitIdle} waits for its end. Clients whose Keep Alive is shorter are disconnected,
     * as if they had been silent for so long.
     *
     * @throws IllegalArgumentException it is negative
     */
    public void pass(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("time does not run back: " + time);
        }
        passedMs.addAndGet(time.toMillis());
        onPassed.run();
    }

    /** Returns the broker's time of day. */
    public Instant instant() {
        return Instant.now().plusMillis(passedMs.get());
    }

    long passedMs() {
        return passedMs.get();
    }
}
