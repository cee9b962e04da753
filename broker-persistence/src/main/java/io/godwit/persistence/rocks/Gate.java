package io.godwit.persistence.rocks;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts who is inside the native database, so that it is never freed beneath them: that would end
 * the process without a word.
 */
final class Gate {
    private static final long CLOSED = 1L << 62;

    private final AtomicLong inside = new AtomicLong();
    private final CountDownLatch empty = new CountDownLatch(1);

    /**
     * @return false when it was closed; else {@link #leave} must follow
     */
    boolean enter() {
        if ((inside.incrementAndGet() & CLOSED) == 0) {
            return true;
        }
        leave();
        return false;
    }

    void leave() {
        if (inside.decrementAndGet() == CLOSED) {
            empty.countDown();
        }
    }

    /**
     * Lets nobody in any more and waits for those inside.
     *
     * @return false when somebody still was inside after that time, or it was closed before
     */
    boolean close(long timeoutMs) {
        long before = inside.getAndUpdate(count -> count | CLOSED);
        if ((before & CLOSED) != 0) {
            return false;
        }
        if (before == 0) {
            return true;
        }
        try {
            return empty.await(timeoutMs, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
