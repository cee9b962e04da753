package io.godwit.persistence.simulation;

import io.godwit.core.id.IdFloor;
import io.godwit.core.message.Digest;
import io.godwit.core.store.CommitOutcome;
import io.godwit.core.store.DigestReader;
import io.godwit.core.store.FillAsk;
import io.godwit.core.store.FillReader;
import io.godwit.core.store.PartListener;
import io.godwit.core.store.Recovery;
import io.godwit.core.store.ShardStore;
import io.godwit.core.store.Store;
import io.godwit.core.store.StoreListener;
import io.godwit.core.store.StoreMetric;
import java.util.List;
import java.util.function.Consumer;

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
    public void ship(PartListener to) {
        store.ship(to);
    }

    @Override
    public void readFill(FillAsk ask, FillReader to) {
        store.readFill(ask, to);
    }

    @Override
    public void queuesOf(int copySet, Consumer<long[]> then) {
        store.queuesOf(copySet, then);
    }

    @Override
    public void adoptedOf(int copySet, Consumer<List<byte[]>> then) {
        store.adoptedOf(copySet, then);
    }

    @Override
    public void copiesOf(int leader, Consumer<long[]> then) {
        store.copiesOf(leader, then);
    }

    @Override
    public void describeCopies(long[] queueIds, Consumer<List<Digest>> then) {
        store.describeCopies(queueIds, then);
    }

    @Override
    public void adoptableOf(int leader, int copySet, Consumer<List<Adoptable>> then) {
        store.adoptableOf(leader, copySet, then);
    }

    @Override
    public void notLedOf(long[] queueIds, Consumer<long[]> then) {
        store.notLedOf(queueIds, then);
    }

    @Override
    public void countQueues(Consumer<int[]> then) {
        store.countQueues(then);
    }

    @Override
    public void describeAll(DigestReader to) {
        store.describeAll(to);
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
