package io.godwit.core.session;

import io.godwit.core.load.ShardLoad;
import io.godwit.core.shard.Shard;
import java.util.ArrayDeque;

/**
 * Which sessions of one shard hold more in memory than their part while that is short: who
 * publishes to them waits, and others do not. Looked at with each message that comes, and again
 * each tick.
 */
public final class FullSessions {
    /** Looks of one tick: a fraction of a millisecond. */
    private static final int LOOKS = 1_000;

    /** A session as it is seen here. */
    interface Held {
        int owner();

        /** Bytes that are in memory for its client. */
        long heldBytes();

        boolean isFull();

        void full(boolean is);
    }

    private final Shard shard;
    private final ShardLoad load;
    private final ArrayDeque<Held> full = new ArrayDeque<>(0);

    FullSessions(Shard shard, ShardLoad load) {
        this.shard = shard;
        this.load = load;
    }

    /** Something came for it. */
    void onDelivered(Held session) {
        if (load.mayHold() != Long.MAX_VALUE && !session.isFull()) {
            isFull(session);
        }
    }

    /** Whether it holds more than its part: then it is remembered as one that does. */
    boolean isFull(Held session) {
        boolean was = session.isFull();
        boolean is = look(session);
        if (is && !was) {
            full.add(session);
        }
        return is;
    }

    private boolean look(Held session) {
        boolean is = session.heldBytes() > load.mayHold();
        session.full(is);
        return is;
    }

    public void onTick() {
        for (int looks = Math.min(full.size(), LOOKS); looks > 0; looks--) {
            Held session = full.remove();
            if (session.isFull() && session.owner() == shard.index() && look(session)) {
                full.add(session);
            }
        }
    }
}
