package io.godwit.server;

import io.godwit.core.id.IdFloor;
import io.godwit.core.store.CommitOutcome;
import io.godwit.core.store.MemoryStore;
import io.godwit.core.store.Recovery;
import io.godwit.core.store.ShardStore;
import io.godwit.core.store.Store;
import io.godwit.core.store.StoreListener;
import io.godwit.core.store.StoreMetric;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Keeps nothing; what happens to its disk is told by the test. */
public final class ToldStore implements Store {
    private final Store memory = new MemoryStore();
    private final AtomicBoolean closed = new AtomicBoolean();
    private @Nullable StoreListener listener;

    @Override
    public IdFloor start(int shards, StoreListener listener) {
        this.listener = listener;
        return memory.start(shards, listener);
    }

    /** What the broker gave to hear of the store. */
    public StoreListener listener() {
        if (listener == null) {
            throw new IllegalStateException("not started");
        }
        return listener;
    }

    @Override
    public void recover(Recovery to) {
        memory.recover(to);
    }

    @Override
    public ShardStore open(int shard, CommitOutcome outcome) {
        return memory.open(shard, outcome);
    }

    @Override
    public void endWindow() {
        memory.endWindow();
    }

    @Override
    public long windowBytes() {
        return memory.windowBytes();
    }

    /** Different for each: its place in the list, in thousands. Its disk answers. */
    @Override
    public long value(StoreMetric metric) {
        return metric == StoreMetric.STALLED ? 0 : metric.ordinal() * 1_000L;
    }

    public boolean isClosed() {
        return closed.get();
    }

    @Override
    public void close() {
        closed.set(true);
    }
}
