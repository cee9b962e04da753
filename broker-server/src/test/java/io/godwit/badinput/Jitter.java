package io.godwit.badinput;

import java.time.Duration;

/**
 * How long this machine keeps a thread waiting that only wants to run: the longest delay of a short
 * sleep since the start. A measured time that a busy machine spoils is judged with this allowance.
 */
final class Jitter implements AutoCloseable {
    private static final long SLEEP_NANOS = 1_000_000;

    private final Thread thread = Thread.ofPlatform().name("jitter").daemon().start(this::measure);
    private volatile boolean stopped;
    private volatile long worstNanos;

    Duration worst() {
        return Duration.ofNanos(worstNanos);
    }

    @Override
    public void close() {
        stopped = true;
        thread.interrupt();
    }

    private void measure() {
        try {
            while (!stopped) {
                long start = System.nanoTime();
                Thread.sleep(Duration.ofNanos(SLEEP_NANOS));
                worstNanos = Math.max(worstNanos, System.nanoTime() - start - SLEEP_NANOS);
            }
        } catch (InterruptedException end) {
            // Closed while asleep.
        }
    }
}
