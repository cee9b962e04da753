package io.godwit.conformance.target;

import io.godwit.core.id.IdFloor;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.store.CommitOutcome;
import io.godwit.core.store.MemoryStore;
import io.godwit.core.store.Recovery;
import io.godwit.core.store.RowRead;
import io.godwit.core.store.ShardStore;
import io.godwit.core.store.Store;
import io.godwit.core.store.StoreListener;
import io.godwit.core.store.StoreMetric;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** A store in memory; a commit that retains a message whose topic ends with "store-fails" fails. */
final class FailingStore implements Store {
    private final MemoryStore store = new MemoryStore();

    @Override
    public IdFloor start(int shards, StoreListener listener) {
        return store.start(shards, listener);
    }

    @Override
    public void recover(Recovery to) {
        store.recover(to);
    }

    @Override
    public void endWindow() {
        store.endWindow();
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
    public ShardStore open(int shard, CommitOutcome outcome) {
        var gate = new Gate(outcome);
        ShardStore real = store.open(shard, gate);
        return (ShardStore)
                Proxy.newProxyInstance(
                        ShardStore.class.getClassLoader(),
                        new Class<?>[] {ShardStore.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("putRetained")) {
                                gate.look((Message) arguments[0]);
                            }
                            try {
                                return method.invoke(real, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    @Override
    public void close() {
        store.close();
    }

    /** One shard's; only its thread comes here. */
    private static final class Gate implements CommitOutcome {
        private final CommitOutcome outcome;
        private boolean failing;

        Gate(CommitOutcome outcome) {
            this.outcome = outcome;
        }

        void look(Message message) {
            failing |= message.topic.toString().endsWith("store-fails");
        }

        @Override
        public void onCommitted(long commit) {
            if (failing) {
                failing = false;
                outcome.onFailed(commit, new IOException("the test wants it so"));
            } else {
                outcome.onCommitted(commit);
            }
        }

        @Override
        public void onRows(QueuedMessage[] entries) {
            outcome.onRows(entries);
        }

        @Override
        public void onRead(RowRead read, @Nullable Throwable failure) {
            outcome.onRead(read, failure);
        }

        @Override
        public void onFailed(long commit, Throwable cause) {
            outcome.onFailed(commit, cause);
        }
    }
}
