package io.godwit.durability;

import io.godwit.core.store.Store;
import io.godwit.core.time.TimeSource;
import io.godwit.persistence.DiskStore;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Journal;
import io.godwit.persistence.disk.StoreUnusable;
import io.godwit.persistence.files.FileJournal;
import io.godwit.persistence.rocks.RocksDisk;
import io.godwit.persistence.settings.StoreRules;
import io.godwit.persistence.settings.StoreSettings;
import io.godwit.persistence.work.Worker;
import io.godwit.persistence.work.Workers;
import io.godwit.server.BrokerFixture;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The store of a broker in this process: real files, whose syncs and clock a test can hold. */
final class StoreOnDisk implements AutoCloseable {
    private static final int SERVER_ID = 1;

    private final HeldJournal journal;
    private final AtomicLong skippedMs = new AtomicLong();
    private final Store store;

    StoreOnDisk(Path folder, StoreSettings settings) throws StoreUnusable {
        RocksDisk disk = RocksDisk.open(folder.resolve("store"));
        journal =
                new HeldJournal(
                        FileJournal.open(
                                folder.resolve("journal"), FileJournal.SEGMENT_BYTES, 0x60D, 0));
        store =
                new DiskStore(
                        disk,
                        journal,
                        settings,
                        new Clock(),
                        new Workers(
                                worker(),
                                worker(),
                                List.of(worker(), worker()),
                                worker(),
                                worker()),
                        StoreRules.ALL,
                        SERVER_ID);
    }

    private static Worker worker() {
        ScheduledExecutorService thread =
                Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().factory());
        return new Worker() {
            @Override
            public void execute(Runnable task) {
                thread.execute(task);
            }

            @Override
            public void schedule(Runnable task, long delayNanos) {
                thread.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
            }
        };
    }

    BrokerFixture broker(String... settings) throws Exception {
        return BrokerFixture.tryStart(store, Map.of(), settings);
    }

    /** Lets no sync come back from now on. */
    void hold() {
        journal.hold(true);
    }

    void release() {
        journal.hold(false);
    }

    /** Whether a commit waits for the disk. */
    boolean isWaiting() {
        return journal.isWaiting();
    }

    /** The store's clock goes on by this at once. */
    void skip(long ms) {
        skippedMs.addAndGet(ms);
    }

    @Override
    public void close() {
        release();
    }

    private final class Clock implements TimeSource {
        @Override
        public long monotonicMs() {
            return nanos() / 1_000_000;
        }

        @Override
        public long nanos() {
            return System.nanoTime() + skippedMs.get() * 1_000_000;
        }

        @Override
        public long wallMs() {
            return System.currentTimeMillis();
        }
    }

    /** A disk that is slow as long as a test says. */
    private static final class HeldJournal implements Journal {
        private final Journal real;
        private boolean held;
        private boolean waiting;

        HeldJournal(Journal real) {
            this.real = real;
        }

        synchronized void hold(boolean hold) {
            held = hold;
            notifyAll();
        }

        synchronized boolean isWaiting() {
            return waiting;
        }

        @Override
        public void append(long position, int flags, byte[] record, int length) throws DiskFailure {
            real.append(position, flags, record, length);
        }

        @Override
        public void sync() throws DiskFailure {
            synchronized (this) {
                waiting = held;
                while (held) {
                    try {
                        wait();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                }
                waiting = false;
            }
            real.sync();
        }

        @Override
        public void replay(long after, long rows, Visitor visitor) throws DiskFailure {
            real.replay(after, rows, visitor);
        }

        @Override
        public void release(long upTo) {
            real.release(upTo);
        }

        @Override
        public long bytes() {
            return real.bytes();
        }

        @Override
        public void close() {
            real.close();
        }
    }
}
