package io.godwit.server.extension.call;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Lets turns begin one after the other, each when the one before has ended. Any thread; nobody
 * waits: whoever ends a turn begins the next one.
 */
final class Lane {
    private final Queue<Turn> waiting = new ConcurrentLinkedQueue<>();

    /** Turns that have not ended. */
    private final AtomicInteger turns = new AtomicInteger();

    /** Something that has to wait for its turn. */
    abstract static class Turn {
        private static final int BEGINS = 0;
        private static final int GOES_ON = 1;
        private static final int ENDED = 2;

        private final AtomicInteger state = new AtomicInteger(BEGINS);
        private @Nullable Lane lane;

        /** Begins the turn, which ends by {@link #end()}, here or later. */
        abstract void begin();

        /** Ends the turn. Call once. */
        final void end() {
            Lane own = lane;
            if (state.getAndSet(ENDED) == GOES_ON && own != null) {
                own.next();
            }
        }

        /** Returns whether it has ended already. */
        private boolean beginNow() {
            begin();
            return state.getAndSet(GOES_ON) == ENDED;
        }
    }

    /** Adds a turn, and begins it if it is the only one. */
    void add(Turn turn) {
        turn.lane = this;
        waiting.add(turn);
        if (turns.getAndIncrement() == 0) {
            run();
        }
    }

    private void next() {
        if (turns.decrementAndGet() > 0) {
            run();
        }
    }

    /** Begins turns up to the first that goes on. */
    private void run() {
        Turn turn = waiting.poll();
        while (turn != null && turn.beginNow()) {
            turn = turns.decrementAndGet() > 0 ? waiting.poll() : null;
        }
    }

    /** Turns that have not ended. */
    int size() {
        return turns.get();
    }
}
