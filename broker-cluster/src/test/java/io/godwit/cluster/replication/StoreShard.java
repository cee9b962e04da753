package io.godwit.cluster.replication;

import io.godwit.core.id.HybridClock;
import io.godwit.core.settings.Rules;
import io.godwit.core.shard.LoopShard;
import io.godwit.core.shard.PauseWatch;
import io.godwit.core.shard.ShardLoop;
import io.godwit.core.store.Confirmations;
import io.godwit.core.store.Store;
import io.godwit.core.time.TimeSource;

/** A shard of a node without a broker: its loop is a line of the simulator's schedule. */
final class StoreShard extends LoopShard {
    final HybridClock ids;

    StoreShard(int index, Loop loop, TimeSource time, Store store, Confirmations confirmations) {
        super(index, loop, time, PauseWatch.OFF, store, confirmations, 100, Rules.ALL);
        ids = new HybridClock(index, StoreNode.SHARDS);
        loop.shard = this;
    }

    /** The thread of one shard. */
    static final class Loop implements ShardLoop {
        private static final int MAIL_MICROS = 300;
        private static final int END_MICROS = 60;

        private final StoreNode.Process process;

        @SuppressWarnings("NullAway.Init") // set once the shard is made
        private StoreShard shard;

        Loop(StoreNode.Process process) {
            this.process = process;
        }

        @Override
        public void wakeup() {
            later(MAIL_MICROS, () -> shard.onMail());
        }

        @Override
        public void endTurnSoon() {
            later(END_MICROS, () -> shard.onTurnEnd());
        }

        @Override
        public void gatherFor(int ms) {
            later(1_000 * ms, () -> shard.onGathered());
        }

        private void later(int mostMicros, Runnable task) {
            process.later(process.random().nextInt(mostMicros), () -> process.runOn(this, task));
        }

        @Override
        public boolean isInside() {
            return process.isRunning(this);
        }
    }
}
