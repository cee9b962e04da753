package io.godwit.core.shard;

import io.godwit.core.settings.Rules;
import io.godwit.core.store.Confirmations;
import io.godwit.core.store.Store;
import io.godwit.core.time.TimeSource;

/** A shard without an event loop, which the test itself runs at time 0. */
public final class LoneShard extends LoopShard {
    private static final ShardLoop NO_LOOP =
            new ShardLoop() {
                @Override
                public void gatherFor(int ms) {}

                @Override
                public void wakeup() {}

                @Override
                public void endTurnSoon() {}

                @Override
                public boolean isInside() {
                    return true;
                }
            };

    private static final TimeSource NO_TIME =
            new TimeSource() {
                @Override
                public long nanos() {
                    return 0;
                }

                @Override
                public long monotonicMs() {
                    return 0;
                }

                @Override
                public long wallMs() {
                    return 0;
                }
            };

    public LoneShard(Store store) {
        this(0, store);
    }

    LoneShard(int index, Store store) {
        this(index, store, Confirmations.NONE);
    }

    /** Makes a shard whose clock a test moves. */
    LoneShard(Store store, TimeSource time) {
        super(0, NO_LOOP, time, PauseWatch.OFF, store, Confirmations.NONE, 100, Rules.ALL);
    }

    LoneShard(int index, Store store, Confirmations confirmations) {
        super(index, NO_LOOP, NO_TIME, PauseWatch.OFF, store, confirmations, 100, Rules.ALL);
    }
}
