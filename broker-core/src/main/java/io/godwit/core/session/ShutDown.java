package io.godwit.core.session;

import io.godwit.core.shard.Sliced;
import java.util.List;

/** Tells every client of a shard that the broker stops, some at a time. */
final class ShutDown implements Sliced {
    private static final int SLICE = 500;

    private final List<ClientConnection> open;
    private final Runnable whenDone;
    private int next;

    ShutDown(List<ClientConnection> open, Runnable whenDone) {
        this.open = open;
        this.whenDone = whenDone;
    }

    @Override
    public boolean slice() {
        int end = Math.min(open.size(), next + SLICE);
        while (next < end) {
            open.get(next++).onShutdown();
        }
        if (next < open.size()) {
            return false;
        }
        whenDone.run();
        return true;
    }
}
