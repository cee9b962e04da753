package io.godwit.cluster.transport;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Lets one thread into what belongs to a link, a moment at a time, until the links' thread closes
 * it. Nobody waits: the links' thread looks again whether who was inside has left.
 *
 * <pre>
 * OPEN --enter--> INSIDE --leave--> OPEN
 * OPEN --close--> CLOSED      INSIDE --close--> CLOSING --leave--> CLOSED
 * </pre>
 */
final class Gate {
    private static final int OPEN = 0;
    private static final int INSIDE = 1;
    private static final int CLOSING = 2;
    private static final int CLOSED = 3;

    private final AtomicInteger state = new AtomicInteger(OPEN);

    /**
     * @return false when it is closed
     */
    boolean enter() {
        return state.compareAndSet(OPEN, INSIDE);
    }

    void leave() {
        if (!state.compareAndSet(INSIDE, OPEN)) {
            state.set(CLOSED);
        }
    }

    /** Lets nobody in any more. */
    void close() {
        while (!state.compareAndSet(OPEN, CLOSED)) {
            if (state.compareAndSet(INSIDE, CLOSING) || state.get() >= CLOSING) {
                return;
            }
        }
    }

    /** Nobody is inside, nor will be. */
    boolean isClosed() {
        return state.get() == CLOSED;
    }
}
