package io.godwit.core.session;

import io.godwit.core.shard.Sliced;
import java.util.List;
import java.util.function.Consumer;

/**
 * Ends a shard's connections when the broker stops, some at a time: first the wills, while whoever
 * is to get them is still there, then the good-byes.
 */
final class ShutDown implements Sliced {
    private static final int SLICE = 500;

    private final List<ClientConnection> open;
    private final Consumer<ClientConnection> step;
    private final Runnable whenDone;
    private int next;

    ShutDown(List<ClientConnection> open, Consumer<ClientConnection> step, Runnable whenDone) {
        this.open = open;
        this.step = step;
        this.whenDone = whenDone;
    }

    @Override
    public boolean slice() {
        int end = Math.min(open.size(), next + SLICE);
        while (next < end) {
            step.accept(open.get(next++));
        }
        if (next < open.size()) {
            return false;
        }
        whenDone.run();
        return true;
    }
}
