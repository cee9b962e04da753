package io.godwit.persistence;

import io.godwit.core.id.HybridClock;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IdFloor;
import io.godwit.core.id.IngressId;
import io.godwit.core.id.QueueId;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.SessionRef;
import io.godwit.core.routing.Subscription;
import io.godwit.core.store.ExpiredRow;
import io.godwit.core.store.RowRead;
import io.godwit.core.store.SessionRecord;
import io.godwit.core.store.ShardStore;
import io.godwit.core.store.StoreListener;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.StoreUnusable;
import io.godwit.persistence.files.FileJournal;
import io.godwit.persistence.inspect.StoreBackup;
import io.godwit.persistence.rocks.RocksDisk;
import io.godwit.persistence.settings.StoreRules;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A real store in a folder, worked step by step. */
final class SmallStore implements AutoCloseable {
    static final int SEGMENT_BYTES = 64 << 10;

    final StepWorkers time = new StepWorkers();
    final Path folder;
    final RocksDisk disk;
    final FileJournal journal;
    final DiskStore store;
    final Recovered recovered = new Recovered();
    final StoreFixture.Shard shard = new StoreFixture.Shard();
    final IdFloor floor;
    private final HybridClock clock = new HybridClock(0, 1);
    private long ingress;

    SmallStore(Path folder) throws StoreUnusable {
        this(folder, false);
    }

    /** Opens a store whose queues have copies at other nodes, and are divided into copy sets. */
    static SmallStore divided(Path folder) throws StoreUnusable {
        return new SmallStore(folder, true);
    }

    private SmallStore(Path folder, boolean isDivided) throws StoreUnusable {
        this.folder = folder;
        disk = RocksDisk.serve(folder, 0);
        journal = journal(disk, folder);
        store =
                new DiskStore(
                        disk,
                        journal,
                        StoreFixture.SETTINGS,
                        time,
                        time.workers,
                        StoreRules.ALL,
                        7);
        floor =
                store.start(
                        1,
                        new StoreListener() {
                            @Override
                            public void onExpired(long queueId, List<ExpiredRow> rows) {}

                            @Override
                            public void onDiskAlarm(boolean full) {}

                            @Override
                            public void onFailed(Throwable cause) {
                                throw new AssertionError(cause);
                            }
                        });
        shard.store = store.open(0, shard);
        if (isDivided) {
            store.ship((number, copySet, body) -> {});
        }
        store.recover(recovered);
        clock.observe(floor.clock());
        ingress = IngressId.counter(floor.startNumber(), 0);
    }

    static FileJournal journal(Disk disk, Path folder) throws StoreUnusable {
        try {
            return FileJournal.open(folder.resolve(FileJournal.FOLDER), SEGMENT_BYTES, 4711, 0);
        } catch (StoreUnusable e) {
            disk.close();
            throw e;
        }
    }

    static long queue(int number) {
        return QueueId.of(7, number);
    }

    ShardStore ops() {
        return shard.store;
    }

    void session(int number) {
        ops().putSession(
                        ClientId.of("c" + number),
                        StoreFixture.record(queue(number), stamp(), number));
    }

    /** Writes that a session is set aside. */
    void setAside(int number) {
        SessionRecord session = StoreFixture.record(queue(number), stamp(), number);
        ops().putSession(ClientId.of("c" + number), StoreFixture.aside(session));
    }

    @SuppressWarnings("NullAway") // the store never looks at the session
    void subscribe(int number, String filter) {
        SessionRef nobody = null;
        ops().putSubscription(
                        queue(number),
                        new Subscription(
                                nobody, TopicFilter.of(filter), 1, false, true, new int[] {number}),
                        stamp());
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

    Message message(String text) {
        return message(text, 1, Message.NEVER);
    }

    HybridId stamp() {
        return new HybridId(nextId(), 7);
    }

    long nextId() {
        return clock.next(time.wallMs());
    }

    StoreFixture.Entry append(int number, Message message) {
        StoreFixture.Entry entry =
                new StoreFixture.Entry(queue(number), nextId(), message, Math.max(1, message.qos));
        ops().append(entry);
        return entry;
    }

    void commit() {
        if (ops().isDirty()) {
            ops().commit();
        }
        time.pass(2);
    }

    /** Everything becomes rows, in table files. */
    void materialise() throws Exception {
        commit();
        store.endWindow();
        time.pass(2);
        disk.flush();
    }

    /** Texts of what waits in a queue. */
    List<String> texts(int number) {
        return textsOf(queue(number));
    }

    List<String> textsOf(long queueId) {
        StoreFixture.Page page =
                new StoreFixture.Page(queueId, RowRead.Section.IDLE, HybridId.NONE, 1000);
        ops().read(page);
        while (!page.isRead && time.step()) {}
        if (page.failure != null) {
            throw new AssertionError(page.failure);
        }
        return page.entries.stream().map(StoreFixture.Entry::text).toList();
    }

    /** Its rows and its journal as kill -9 leaves them, in another folder. */
    Path killed(Path to) throws Exception {
        StoreBackup.take(StoreBackup.of(disk, journal), to);
        return to;
    }

    static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path each : all.toList()) {
                Files.copy(each, to.resolve(from.relativize(each).toString()));
            }
        }
    }

    @Override
    public void close() {
        store.close();
    }
}
