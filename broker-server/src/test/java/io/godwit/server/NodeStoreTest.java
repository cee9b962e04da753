package io.godwit.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridId;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.store.CommitOutcome;
import io.godwit.core.store.ExpiredRow;
import io.godwit.core.store.RowRead;
import io.godwit.core.store.SessionRecord;
import io.godwit.core.store.ShardStore;
import io.godwit.core.store.Store;
import io.godwit.core.store.StoreListener;
import io.godwit.core.store.StoreMetric;
import io.godwit.persistence.settings.StoreSettings;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("alone")
class NodeStoreTest {
    private static final int SERVER_ID = 3;

    @TempDir Path data;
    private final CompletableFuture<Throwable> failed = new CompletableFuture<>();

    private final StoreListener listener =
            new StoreListener() {
                @Override
                public void onExpired(long queueId, List<ExpiredRow> rows) {}

                @Override
                public void onDiskAlarm(boolean full) {}

                @Override
                public void onFailed(Throwable cause) {
                    failed.complete(cause);
                }
            };

    private NodeStore open(long stallMs, long hungMs) throws Exception {
        StoreSettings defaults = StoreSettings.DEFAULTS;
        return NodeStore.open(
                data.resolve("store"),
                new StoreSettings(
                        defaults.sync(),
                        defaults.syncIntervalMs(),
                        defaults.gatherNanos(),
                        defaults.windowMs(),
                        defaults.windowBytes(),
                        defaults.journalBytes(),
                        0,
                        1 << 20),
                new NodeStore.Limits(16 << 20, stallMs, hungMs, 60_000),
                new SystemTime(System::nanoTime, System::currentTimeMillis, 60_000),
                SERVER_ID);
    }

    /** What a shard hears. */
    private abstract static class Outcome implements CommitOutcome {
        @Override
        public void onFailed(long commit, Throwable cause) {}

        @Override
        public void onRows(QueuedMessage[] entries) {}

        @Override
        public void onRead(RowRead read, @Nullable Throwable failure) {}
    }

    private static void commit(ShardStore shard, int number) {
        HybridId id = new HybridId((1L << 40) + number, SERVER_ID);
        shard.putSession(
                ClientId.of("c" + number),
                new SessionRecord(
                        number,
                        id,
                        id,
                        new Epoch(Epoch.number(0, 1), SERVER_ID),
                        ProtocolVersion.MQTT_5,
                        3600,
                        0,
                        null,
                        List.of()));
        shard.commit();
    }

    /** A default of the port would say that a store on disk can't do what it can. */
    @Test
    void everything_that_the_port_has_is_passed_on() throws Exception {
        for (Method each : Store.class.getMethods()) {
            assertThat(
                            NodeStore.class
                                    .getMethod(each.getName(), each.getParameterTypes())
                                    .getDeclaringClass())
                    .as(each.getName())
                    .isEqualTo(NodeStore.class);
        }
    }

    @Test
    @Timeout(60) // one that waits for the disk waits for ever
    void a_commit_that_never_comes_back_is_noticed_and_closing_does_not_wait_for_it()
            throws Exception {
        NodeStore store = open(300, 900);
        store.start(1, listener);
        CountDownLatch never = new CountDownLatch(1);
        CompletableFuture<Long> committed = new CompletableFuture<>();
        ShardStore shard =
                store.open(
                        0,
                        new Outcome() {
                            @Override
                            public void onCommitted(long commit) {
                                committed.complete(commit);
                                try {
                                    never.await(); // as a sync does on a disk that hangs
                                } catch (InterruptedException e) {
                                    Thread.currentThread().interrupt();
                                }
                            }
                        });
        assertThat(store.value(StoreMetric.STALLED)).isZero();
        commit(shard, 1);
        committed.get();
        assertThat(failed.get())
                .hasMessageContaining("the disk under " + data.resolve("store"))
                .hasMessageContaining("(durability.stall-exit)");
        assertThat(store.value(StoreMetric.STALLED)).isEqualTo(1);
        store.close();
        never.countDown();
        awaitClosed();
    }

    /** The folder can go once nothing is written to it any more. */
    private static void awaitClosed() throws InterruptedException {
        for (Thread each : Thread.getAllStackTraces().keySet()) {
            if (each.getName().equals("store-close")) {
                each.join();
            }
        }
    }

    @Test
    void a_disk_that_answers_is_not_stalled() throws Exception {
        NodeStore store = open(3_000, 3_000);
        store.start(1, listener);
        CountDownLatch all = new CountDownLatch(50);
        ShardStore shard =
                store.open(
                        0,
                        new Outcome() {
                            @Override
                            public void onCommitted(long commit) {
                                all.countDown();
                            }
                        });
        for (int i = 1; i <= 50; i++) { // together longer than it may take to answer one
            commit(shard, i);
            TimeUnit.MILLISECONDS.sleep(70);
        }
        assertThat(store.value(StoreMetric.STALLED)).isZero();
        store.close();
        assertThat(failed).isNotDone();
    }
}
