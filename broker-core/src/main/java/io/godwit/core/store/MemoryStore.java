package io.godwit.core.store;

import io.godwit.core.id.IdFloor;

/**
 * The store that keeps nothing: sessions and queues live in the shards' memory alone, so every
 * commit is confirmed the moment it is closed, and no message becomes a row.
 */
public final class MemoryStore implements Store {
    private final IdFloor floor;

    /** Of a node whose ids nobody outside knows. */
    public MemoryStore() {
        this(IdFloor.NONE);
    }

    /**
     * @param floor above the ids of earlier starts, which other nodes may remember
     */
    public MemoryStore(IdFloor floor) {
        this.floor = floor;
    }

    @Override
    public IdFloor start(int shards, StoreListener listener) {
        return floor;
    }

    @Override
    public void recover(Recovery to) {}

    @Override
    public ShardStore open(int shard, CommitOutcome outcome) {
        return new Part(outcome);
    }

    @Override
    public boolean keeps() {
        return false;
    }

    @Override
    public void endWindow() {}

    @Override
    public long windowBytes() {
        return 0;
    }

    @Override
    public long value(StoreMetric metric) {
        return 0;
    }

    @Override
    public void close() {}

    private static final class Part extends ForgetfulShardStore {
        private final CommitOutcome outcome;

        Part(CommitOutcome outcome) {
            this.outcome = outcome;
        }

        @Override
        protected void closed(long commit) {
            outcome.onCommitted(commit);
        }
    }
}
