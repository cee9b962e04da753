package io.godwit.persistence.simulation;

import io.godwit.core.id.IdFloor;
import io.godwit.core.store.CommitOutcome;
import io.godwit.core.store.Recovery;
import io.godwit.core.store.ShardStore;
import io.godwit.core.store.Store;
import io.godwit.core.store.StoreListener;
import io.godwit.core.store.StoreMetric;

/** A store whose end is told. */
record Closing(Store store, Runnable whenClosed) implements Store {
    @Override
    public IdFloor start(int shards, StoreListener listener) {
        return store.start(shards, listener);
    }

    @Override
    public void recover(Recovery to) {
        store.recover(to);
    }

    @Override
    public ShardStore open(int shard, CommitOutcome outcome) {
        return store.open(shard, outcome);
    }

    @Override
    public boolean keeps() {
        return store.keeps();
    }

    @Override
    public void endWindow() {
        store.endWindow();
    }

    @Override
    public boolean isBehind() {
        return store.isBehind();
    }

    @Override
    public long windowBytes() {
        return store.windowBytes();
    }

    @Override
    public long value(StoreMetric metric) {
        return store.value(metric);
    }

    @Override
    public void close() {
        store.close();
        whenClosed.run();
    }
}
