package io.godwit.persistence;

import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridClock;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IdFloor;
import io.godwit.core.id.IngressId;
import io.godwit.core.id.QueueId;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import io.godwit.core.store.CommitOutcome;
import io.godwit.core.store.ExpiredRow;
import io.godwit.core.store.RowRead;
import io.godwit.core.store.SessionRecord;
import io.godwit.core.store.ShardStore;
import io.godwit.core.store.StoreListener;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.settings.Durability;
import io.godwit.persistence.settings.StoreRules;
import io.godwit.persistence.settings.StoreSettings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One store over memory, and everything it has told. */
final class StoreFixture {
    static final StoreSettings SETTINGS =
            new StoreSettings(Durability.COMMIT, 100, 500_000, 2_000, 64 << 20, 256 << 20, 0, 0);

    private static final int SERVER = 7;

    final StepWorkers time;

    final MemoryDisk disk;

    final MemoryJournal journal;

    final DiskStore store;

    final IdFloor floor;

    final List<Shard> shards = new ArrayList<>();

    final List<String> expired = new ArrayList<>();

    final List<ExpiredRow> expiredRows = new ArrayList<>();

    final Recovered recovered = new Recovered();

    @Nullable Throwable failure;

    private final HybridClock clock;

    private long ingress;

    StoreFixture() {
        this(new StepWorkers(), new MemoryDisk(), new MemoryJournal(), SETTINGS, StoreRules.ALL);
    }

    StoreFixture(
            StepWorkers time,
            MemoryDisk disk,
            MemoryJournal journal,
            StoreSettings settings,
            StoreRules rules) {
        this(time, disk, journal, settings, rules, SERVER);
    }

    /** Another node's. */
    StoreFixture(int serverId) {
        this(
                new StepWorkers(),
                new MemoryDisk(),
                new MemoryJournal(),
                SETTINGS,
                StoreRules.ALL,
                serverId);
    }

    private StoreFixture(
            StepWorkers time,
            MemoryDisk disk,
            MemoryJournal journal,
            StoreSettings settings,
            StoreRules rules,
            int serverId) {
        this.time = time;
        this.disk = disk;
        this.journal = journal;
        store = new DiskStore(disk, journal, settings, time, time.workers, rules, serverId);
        floor =
                store.start(
                        2,
                        new StoreListener() {
                            @Override
                            public void onExpired(long queueId, List<ExpiredRow> rows) {
                                for (ExpiredRow row : rows) {
                                    expired.add(queueId + ":" + row.messageId());
                                    expiredRows.add(row);
                                }
                            }

                            @Override
                            public void onDiskAlarm(boolean full) {}

                            @Override
                            public void onFailed(Throwable cause) {
                                failure = cause;
                            }
                        });
        for (int i = 0; i < 2; i++) {
            Shard shard = new Shard();
            shard.store = store.open(i, shard);
            shards.add(shard);
        }
        store.recover(recovered);
        clock = new HybridClock(0, 1);
        clock.observe(floor.clock());
        ingress = IngressId.counter(floor.startNumber(), 0);
    }

    /** A start on what a power cut leaves. */
    StoreFixture afterCrash() {
        return afterCrash(StoreRules.ALL);
    }

    /**
     * @param left what it leaves
     */
    StoreFixture afterCrash(MemoryDisk left) {
        time.halt();
        return new StoreFixture(time, left, journal.crashed(), SETTINGS, StoreRules.ALL);
    }

    StoreFixture afterCrash(StoreRules rules) {
        time.halt();
        return new StoreFixture(time, disk.crashed(), journal.crashed(), SETTINGS, rules);
    }

    /** A start on what a power cut leaves, with other settings than {@link #SETTINGS}. */
    StoreFixture afterCrash(StoreSettings settings, StoreRules rules) {
        time.halt();
        return new StoreFixture(time, disk.crashed(), journal.crashed(), settings, rules);
    }

    /** Another node's, with rules that do not hold. */
    StoreFixture(int serverId, StoreRules rules) {
        this(new StepWorkers(), new MemoryDisk(), new MemoryJournal(), SETTINGS, rules, serverId);
    }

    /** What a disk held at some moment. */
    record Left(MemoryDisk disk, MemoryJournal journal) {}

    /** Everything that is on the disk for certain now. */
    Left left() {
        return new Left(disk.crashed(), journal.crashed());
    }

    /** A start of the same node on what its disk held before. */
    StoreFixture setBack(Left to, int serverId) {
        time.halt();
        return new StoreFixture(time, to.disk, to.journal, SETTINGS, StoreRules.ALL, serverId);
    }

    /** As after a restore: on what the store holds, another node goes on. */
    StoreFixture afterCrashAs(int serverId) {
        time.halt();
        return new StoreFixture(
                time, disk.crashed(), journal.crashed(), SETTINGS, StoreRules.ALL, serverId);
    }

    static long queue(int number) {
        return QueueId.of(7, number);
    }

    Message message(String text) {
        return message(text, 1, Message.NEVER);
    }

    Message message(String text, int qos, long expiresAtMs) {
        return new Message(
                Topic.of("t"),
                text.getBytes(StandardCharsets.UTF_8),
                PublishFrame.NO_PROPERTIES,
                qos,
                false,
                expiresAtMs,
                null,
                7,
                ++ingress);
    }

    long nextId() {
        return clock.next(time.wallMs());
    }

    Entry append(int shard, long queueId, Message message) {
        return append(shard, new Entry(queueId, nextId(), message, Math.max(1, message.qos)));
    }

    Entry append(int shard, Entry entry) {
        shards.get(shard).store.append(entry);
        return entry;
    }

    /** The entry's queue remembers it, as after an append that its publisher waits for. */
    Remembered remember(int shard, Entry entry) {
        Remembered ingress =
                new Remembered(
                        entry.queueId,
                        entry.messageId,
                        7,
                        entry.ingressServer(),
                        entry.ingressCounter());
        shards.get(shard).store.remember(ingress);
        return ingress;
    }

    /** Counters of the ingress ids that a queue remembers, as the last start was told. */
    List<Long> remembered(long queueId) {
        return Objects.requireNonNull(recovered.remembered.get(queueId)).stream()
                .map(each -> each.ingress().counter())
                .toList();
    }

    ShardStore shard(int index) {
        return shards.get(index).store;
    }

    /** Closes both shards' commits and lets the store write them. */
    void commit() {
        for (Shard shard : shards) {
            if (shard.store.isDirty()) {
                shard.store.commit();
            }
        }
        time.pass(2);
    }

    /** Everything becomes rows. */
    void materialise() {
        store.endWindow();
        time.pass(2);
    }

    Page read(long queueId, RowRead.Section section) {
        return read(queueId, section, HybridId.NONE, 1000);
    }

    Page read(long queueId, RowRead.Section section, HybridId after, int messages) {
        Page page = new Page(queueId, section, after, messages);
        shards.get(0).store.read(page);
        while (!page.isRead && time.step()) {}
        return page;
    }

    List<String> texts(long queueId) {
        List<String> texts = new ArrayList<>();
        for (Entry entry : read(queueId, RowRead.Section.IDLE).entries) {
            texts.add(entry.text());
        }
        return texts;
    }

    SessionRecord session(long queueId) {
        return record(queueId, stamp(), 0);
    }

    static SessionRecord record(long queueId, HybridId generation, long disconnectedAtMs) {
        return new SessionRecord(
                queueId,
                generation,
                generation,
                new Epoch(Epoch.number(0, 1), 7),
                ProtocolVersion.MQTT_5,
                3600,
                disconnectedAtMs,
                null,
                List.of());
    }

    static SessionRecord aside(SessionRecord session) {
        return new SessionRecord(
                session.queueId(),
                session.generation(),
                session.stamp(),
                session.epoch(),
                session.version(),
                session.expirySeconds(),
                session.disconnectedAtMs(),
                session.will(),
                session.owedWills(),
                true,
                session.owner());
    }

    HybridId stamp() {
        return new HybridId(nextId(), 7);
    }

    void connect(int shard, int queue) {
        shard(shard).putSession(ClientId.of("c" + queue), session(queue(queue)));
    }

    /** Writes that the session of a queue is set aside. */
    void setAside(int shard, int queue) {
        shard(shard).putSession(ClientId.of("c" + queue), aside(session(queue(queue))));
    }

    int rows(Family family) {
        return disk.rows(family).size();
    }

    /** A queue's entry, as core has it. */
    static final class Entry extends QueuedMessage {
        Entry(long queueId, long messageId, @Nullable Message message, int qos) {
            super(queueId, messageId, message, qos, false, new int[0]);
        }

        String text() {
            Message there = message;
            return there == null ? "-" : new String(there.payload, StandardCharsets.UTF_8);
        }
    }

    /** What one shard hears. */
    static final class Shard implements CommitOutcome {
        @SuppressWarnings("NullAway.Init") // set once the store is open
        ShardStore store;

        long committed;
        final List<Long> failed = new ArrayList<>();
        final List<QueuedMessage> rows = new ArrayList<>();

        @Override
        public void onCommitted(long commit) {
            if (commit <= committed) {
                throw new IllegalStateException(commit + " after " + committed);
            }
            committed = commit;
        }

        @Override
        public void onFailed(long commit, Throwable cause) {
            failed.add(commit);
        }

        @Override
        public void onRows(QueuedMessage[] entries) {
            rows.addAll(List.of(entries));
        }

        @Override
        public void onRead(RowRead read, @Nullable Throwable failure) {
            read.onRead(failure);
        }
    }

    /** A page that was asked for. */
    static class Page extends RowRead {
        final List<Entry> entries = new ArrayList<>();
        final List<String> markers = new ArrayList<>();
        boolean isRead;
        @Nullable Throwable failure;

        Page(long queueId, Section section, HybridId after, int messages) {
            super(queueId, section, after, HybridId.MAX, messages, Long.MAX_VALUE);
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
            Entry entry = new Entry(queueId, messageId, message, qos);
            entry.packetId = packetId;
            entry.note = note;
            entry.server = server;
            entry.ingress(ingressServer, ingressCounter);
            entry.stored(QueuedMessage.FREE, QueuedMessage.ROW);
            entries.add(entry);
        }

        @Override
        public void marker(long messageId, int packetId) {
            markers.add(messageId + " " + packetId + " " + ingressServer + ":" + ingressCounter);
        }

        @Override
        public void onRead(@Nullable Throwable cause) {
            isRead = true;
            failure = cause;
        }
    }
}
