package io.godwit.persistence;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.QueuedMessage;
import io.godwit.core.store.StoreMetric;
import io.godwit.core.time.TimeSource;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.settings.Durability;
import io.godwit.persistence.settings.StoreRules;
import io.godwit.persistence.settings.StoreSettings;
import io.godwit.persistence.work.Worker;
import io.godwit.persistence.work.Workers;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Shards and workers on threads of their own: what is left at the end is what was not removed. */
@Tag("alone")
class ThreadsTest {
    private static final int SHARDS = 2;
    private static final int MESSAGES = 60_000;

    private final List<ScheduledExecutorService> executors = new ArrayList<>();

    private Worker worker() {
        ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
        executors.add(executor);
        return new Worker() {
            @Override
            public void execute(Runnable task) {
                executor.execute(task);
            }

            @Override
            public void schedule(Runnable task, long delayNanos) {
                executor.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
            }
        };
    }

    @Test
    @Timeout(180)
    void nothing_is_lost_and_nothing_comes_back_between_the_threads() throws Exception {
        TimeSource time =
                new TimeSource() {
                    @Override
                    public long monotonicMs() {
                        return System.nanoTime() / 1_000_000;
                    }

                    @Override
                    public long nanos() {
                        return System.nanoTime();
                    }

                    @Override
                    public long wallMs() {
                        return System.currentTimeMillis();
                    }
                };
        StoreSettings settings =
                new StoreSettings(Durability.COMMIT, 100, 0, 20, 1 << 20, 1 << 20, 0, 0);
        LockedDisk disk = new LockedDisk();
        LockedJournal journal = new LockedJournal();
        Workers workers =
                new Workers(worker(), worker(), List.of(worker(), worker()), worker(), worker());
        DiskStore store = new DiskStore(disk, journal, settings, time, workers, StoreRules.ALL, 7);
        store.start(SHARDS, new Deaf());
        List<StoreFixture.Shard> shards = new ArrayList<>();
        for (int i = 0; i < SHARDS; i++) {
            StoreFixture.Shard shard = new StoreFixture.Shard();
            shard.store = store.open(i, shard);
            shards.add(shard);
        }
        store.recover(new Recovered());
        List<Set<Long>> left = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < SHARDS; i++) {
            int shard = i;
            Set<Long> mine = new HashSet<>();
            left.add(mine);
            threads.add(Thread.ofPlatform().start(() -> work(shard, shards.get(shard), mine)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        store.close();
        for (ScheduledExecutorService executor : executors) {
            executor.shutdownNow();
            assertThat(executor.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        }

        Set<Long> expected = new HashSet<>();
        left.forEach(expected::addAll);
        StoreFixture after =
                new StoreFixture(
                        new StepWorkers(),
                        disk.inner.crashed(),
                        journal.inner.crashed(),
                        StoreFixture.SETTINGS,
                        StoreRules.ALL);
        Set<Long> found = new HashSet<>();
        after.disk.rows(Family.QUEUES).keySet().forEach(key -> found.add(Keys.rowClock(key)));
        assertThat(found).isEqualTo(expected);
        assertThat(store.value(StoreMetric.ROWS)).isPositive();
        assertThat(store.value(StoreMetric.CANCELLED)).isPositive();
    }

    /** Appends, and removes at once, soon or never. */
    private static void work(int shard, StoreFixture.Shard to, Set<Long> left) {
        Random random = new Random(shard);
        Queue<StoreFixture.Entry> later = new ArrayDeque<>();
        StoreFixture texts = new StoreFixture();
        for (int i = 1; i <= MESSAGES; i++) {
            long id = (long) i * SHARDS + shard;
            StoreFixture.Entry entry =
                    new StoreFixture.Entry(
                            StoreFixture.queue(1 + shard), id, texts.message("x"), 1);
            to.store.append(entry);
            switch (random.nextInt(10)) {
                case 0 -> left.add(id);
                case 1, 2, 3 -> to.store.remove(entry);
                default -> later.add(entry);
            }
            while (later.size() > random.nextInt(2_000)) {
                remove(to, later);
            }
            if (random.nextInt(20) == 0) {
                to.store.commit();
            }
        }
        while (!later.isEmpty()) {
            remove(to, later);
        }
        to.store.commit();
    }

    private static void remove(StoreFixture.Shard to, Queue<StoreFixture.Entry> later) {
        QueuedMessage entry = later.remove();
        to.store.remove(entry);
    }
}
