package io.godwit.cluster.replication;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.simulation.Scheduler;
import io.godwit.core.store.CommitOutcome;
import io.godwit.core.store.ExpiredRow;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.Recovery;
import io.godwit.core.store.RowRead;
import io.godwit.core.store.StoreListener;
import io.godwit.persistence.DiskStore;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.SimulatedDisk;
import io.godwit.persistence.disk.SimulatedJournal;
import io.godwit.persistence.queue.AsideRows;
import io.godwit.persistence.settings.StoreRules;
import io.godwit.persistence.settings.StoreSettings;
import io.godwit.persistence.work.Worker;
import io.godwit.persistence.work.Workers;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the queues that a node's disk has synced, by starting a store on a copy of it. */
final class DiskContents {
    private static final long ROWS_MICROS = 5_000;

    /** By queue id, the clocks of the message ids of its entries. */
    private final Map<Long, Set<Long>> entries = new HashMap<>();

    /** The same of what is set aside. */
    private final Map<Long, Set<Long>> aside = new HashMap<>();

    /** Holds the queue ids of sessions. */
    private final Set<Long> sessions = new HashSet<>();

    /** Holds the keys of subscriptions. */
    private final Set<String> subscriptions = new HashSet<>();

    private DiskContents() {}

    /** Reads what a power cut at this moment leaves. */
    static DiskContents of(SimulatedDisk disk, SimulatedJournal journal, int server) {
        SimulatedDisk left = disk.durable();
        Scheduler time = new Scheduler();
        Worker worker =
                new Worker() {
                    @Override
                    public void execute(Runnable task) {
                        time.background(0, task);
                    }

                    @Override
                    public void schedule(Runnable task, long delayNanos) {
                        time.background(delayNanos / 1_000, task);
                    }
                };
        Workers workers = new Workers(worker, worker, List.of(worker), worker, Worker.NEVER);
        DiskStore store =
                new DiskStore(
                        left,
                        journal.durable(),
                        StoreSettings.DEFAULTS,
                        time,
                        workers,
                        StoreRules.ALL,
                        server);
        store.start(1, new Silent());
        store.open(0, new Silent());
        store.recover(new Silent());
        store.endWindow();
        long end = time.micros() + ROWS_MICROS;
        while (time.micros() < end && time.step()) {}
        DiskContents contents = new DiskContents();
        try {
            contents.read(left);
        } catch (DiskFailure e) {
            throw new IllegalStateException(e);
        }
        return contents;
    }

    private void read(SimulatedDisk disk) throws DiskFailure {
        try (Cursor rows = disk.scan(Family.QUEUES, new byte[0], null)) {
            while (rows.next()) {
                (AsideRows.isAside(rows.key()) ? aside : entries)
                        .computeIfAbsent(Keys.rowQueue(rows.key()), any -> new HashSet<>())
                        .add(Keys.rowClock(rows.key()));
            }
        }
        try (Cursor rows = disk.scan(Family.META, new byte[0], null)) {
            while (rows.next()) {
                byte[] key = rows.key();
                if (key[0] == 'S') {
                    sessions.add(Keys.longAt(key, 1));
                } else if (key[0] == 'B') {
                    subscriptions.add(subscription(key));
                }
            }
        }
    }

    private static String subscription(byte[] key) {
        return new String(key, StandardCharsets.ISO_8859_1);
    }

    boolean hasSession(long queueId) {
        return sessions.contains(queueId);
    }

    boolean hasEntry(long queueId, long messageId) {
        return entries.getOrDefault(queueId, Set.of()).contains(messageId);
    }

    boolean hasAside(long queueId, long messageId) {
        return aside.getOrDefault(queueId, Set.of()).contains(messageId);
    }

    boolean hasSubscription(long queueId, String filter) {
        byte[] name = filter.getBytes(StandardCharsets.US_ASCII);
        return subscriptions.contains(subscription(Keys.subscription(queueId, name)));
    }

    /** Takes what a start tells, and does nothing with it. */
    private static final class Silent implements StoreListener, CommitOutcome, Recovery {
        @Override
        public void onExpired(long queueId, List<ExpiredRow> rows) {}

        @Override
        public void onDiskAlarm(boolean full) {}

        @Override
        public void onFailed(Throwable cause) {
            throw new IllegalStateException(cause);
        }

        @Override
        public void onCommitted(long commit) {}

        @Override
        public void onFailed(long commit, Throwable cause) {
            throw new IllegalStateException(cause);
        }

        @Override
        public void onRows(QueuedMessage[] entries) {}

        @Override
        public void onRead(RowRead read, @Nullable Throwable failure) {}

        @Override
        public void group(TopicFilter filter, KeptGroupPart part) {}

        @Override
        public void session(KeptSession session) {}

        @Override
        public void retained(Message message, HybridId stamp) {}

        @Override
        public void retainedIngress(List<KeptIngress> remembered) {}
    }
}
