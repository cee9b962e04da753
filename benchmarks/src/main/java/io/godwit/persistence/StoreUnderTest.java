package io.godwit.persistence;

import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridClock;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IdFloor;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.CommitOutcome;
import io.godwit.core.store.ExpiredRow;
import io.godwit.core.store.Recovery;
import io.godwit.core.store.RowRead;
import io.godwit.core.store.SessionRecord;
import io.godwit.core.store.ShardStore;
import io.godwit.core.store.Store;
import io.godwit.core.store.StoreListener;
import io.godwit.core.time.TimeSource;
import io.godwit.persistence.disk.StoreUnusable;
import io.godwit.persistence.settings.StoreSettings;
import io.godwit.server.NodeStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A real store in a folder of its own with one shard, which the calling thread is. What a shard
 * would do with a commit's outcome is waiting for it.
 */
final class StoreUnderTest implements AutoCloseable {
    static final int SERVER = 7;
    private static final byte[] NONE = new byte[0];
    private static final int[] NO_IDS = new int[0];

    /** An entry as a session's queue has it. */
    static final class Entry extends QueuedMessage {
        Entry(long queueId, long messageId, @Nullable Message message) {
            super(queueId, messageId, message, 1, false, NO_IDS);
        }
    }

    /** One page. */
    static final class Page extends RowRead {
        final List<Entry> entries = new ArrayList<>();
        @Nullable Throwable failure;

        Page(long queueId, long after, long upTo, int messagesMax) {
            super(
                    queueId,
                    Section.IDLE,
                    HybridId.lastOf(after),
                    HybridId.lastOf(upTo),
                    messagesMax,
                    Long.MAX_VALUE);
        }

        @Override
        public void row(
                long messageId,
                int qos,
                boolean retain,
                int[] ids,
                @Nullable Message message,
                int packetId,
                @Nullable Object note) {
            Entry entry = new Entry(queueId, messageId, message);
            entry.note = note;
            entry.server = server;
            entry.stored(QueuedMessage.FREE, QueuedMessage.ROW);
            entries.add(entry);
        }

        @Override
        public void marker(long messageId, int packetId) {
            throw new IllegalStateException("no marker is idle");
        }

        @Override
        public void onRead(@Nullable Throwable failed) {
            failure = failed;
        }
    }

    private final Path folder;
    private final Store store;
    private final ShardStore shard;
    private final HybridClock clock = new HybridClock(0, 1);
    private final Object told = new Object();
    private final AtomicLong rows = new AtomicLong();
    private final ArrayDeque<RowRead> pages = new ArrayDeque<>();
    private final byte[] payload;
    private final Topic topic = Topic.of("plant/03/line-17/state");
    private long committed;
    private @Nullable Throwable failure;
    private long ingress;

    /**
     * @param folderOfTest its disk counts
     */
    StoreUnderTest(Path folderOfTest, StoreSettings settings, int queues, int payloadBytes)
            throws StoreUnusable {
        folder = folderOfTest;
        payload = new byte[payloadBytes];
        store =
                NodeStore.open(
                        folder.resolve("store"),
                        settings,
                        new NodeStore.Limits(0, 0, 0, 60_000),
                        new Clock(),
                        SERVER);
        IdFloor floor = store.start(1, new Listener());
        clock.observe(floor.clock());
        shard = store.open(0, new Outcome());
        store.recover(new Nothing());
        for (int q = 1; q <= queues; q++) {
            shard.putSession(
                    new ClientId(("client-" + q).getBytes(StandardCharsets.UTF_8)),
                    new SessionRecord(
                            q,
                            new HybridId(q, SERVER),
                            new HybridId(q, SERVER),
                            new Epoch(1, SERVER),
                            ProtocolVersion.MQTT_5,
                            3600,
                            0,
                            null,
                            List.of()));
        }
        commit();
    }

    Store store() {
        return store;
    }

    ShardStore shard() {
        return shard;
    }

    /** Appends a message of its own to a queue, numbered from 1. */
    Entry append(long queueId) {
        Message message =
                new Message(topic, payload, NONE, 1, false, Message.NEVER, null, SERVER, ++ingress);
        Entry entry = new Entry(queueId, clock.next(System.currentTimeMillis()), message);
        shard.append(entry);
        return entry;
    }

    /** Closes the open commit and waits until it is as durable as the store promises. */
    void commit() {
        long number = shard.openCommit();
        shard.commit();
        synchronized (told) {
            while (committed < number && failure == null) await();
            if (failure != null) throw new IllegalStateException(failure);
        }
    }

    /** Ends the window and waits until so many entries, from the beginning, have become rows. */
    void awaitRows(long count) {
        store.endWindow();
        synchronized (told) {
            while (rows.get() < count && failure == null) await();
            if (failure != null) throw new IllegalStateException(failure);
        }
    }

    /** Asks for a page. */
    Page ask(long queueId, long after, long upTo, int messagesMax) {
        Page page = new Page(queueId, after, upTo, messagesMax);
        shard.read(page);
        return page;
    }

    /** Waits for a page that was asked for. */
    void await(Page page) {
        synchronized (told) {
            while (!pages.remove(page) && failure == null) await();
            if (failure != null) throw new IllegalStateException(failure);
        }
        if (page.failure != null) throw new IllegalStateException(page.failure);
    }

    private void await() {
        try {
            told.wait();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private void fail(Throwable cause) {
        synchronized (told) {
            failure = cause;
            told.notifyAll();
        }
    }

    @Override
    public void close() {
        store.close();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private final class Outcome implements CommitOutcome {
        @Override
        public void onCommitted(long commit) {
            synchronized (told) {
                committed = commit;
                told.notifyAll();
            }
        }

        @Override
        public void onFailed(long commit, Throwable cause) {
            fail(cause);
        }

        @Override
        public void onRows(QueuedMessage[] entries) {
            synchronized (told) {
                rows.addAndGet(entries.length);
                told.notifyAll();
            }
        }

        @Override
        public void onRead(RowRead read, @Nullable Throwable failed) {
            read.onRead(failed);
            synchronized (told) {
                pages.add(read);
                told.notifyAll();
            }
        }
    }

    private final class Listener implements StoreListener {
        @Override
        public void onExpired(long queueId, List<ExpiredRow> rows) {
            fail(new IllegalStateException("nothing expires here"));
        }

        @Override
        public void onDiskAlarm(boolean full) {}

        @Override
        public void onFailed(Throwable cause) {
            fail(cause);
        }
    }

    /** A new folder keeps nothing. */
    private static final class Nothing implements Recovery {
        @Override
        public void group(TopicFilter filter, KeptGroupPart part) {
            throw new IllegalStateException("an empty store");
        }

        @Override
        public void session(KeptSession session) {
            throw new IllegalStateException("an empty store");
        }

        @Override
        public void retained(Message message, HybridId stamp) {
            throw new IllegalStateException("an empty store");
        }
    }

    private static final class Clock implements TimeSource {
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
    }
}
