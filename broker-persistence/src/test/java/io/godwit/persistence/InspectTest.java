package io.godwit.persistence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.SessionKey;
import io.godwit.core.message.Digest;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueueHandle;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.Receiver;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredDepth;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.StoreUnusable;
import io.godwit.persistence.files.FileJournal;
import io.godwit.persistence.inspect.OpenedStore;
import io.godwit.persistence.inspect.QueuePeek;
import io.godwit.persistence.inspect.QueuePurge;
import io.godwit.persistence.inspect.Queues;
import io.godwit.persistence.inspect.SetAside;
import io.godwit.persistence.inspect.StoreBackup;
import io.godwit.persistence.inspect.StoreExport;
import io.godwit.persistence.inspect.StoreImport;
import io.godwit.persistence.inspect.StoreItem;
import io.godwit.persistence.inspect.StoreSummary;
import io.godwit.persistence.inspect.StoreVerify;
import io.godwit.persistence.inspect.StoreView;
import io.godwit.persistence.rocks.RocksDisk;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InspectTest {
    private static final long LATER = StepWorkers.START_MS + 1_000_000_000L;
    private static final String LARGE = "x".repeat(3000);

    @TempDir Path temp;

    /** Two sessions, a group, a retained message; rows and what only the journal has. */
    private Path killed() throws Exception {
        try (SmallStore store = new SmallStore(temp.resolve("live"))) {
            store.session(1);
            store.session(2);
            store.subscribe(1, "t/+");
            store.subscribe(1, "u");
            store.ops().putGroup(TopicFilter.of("$share/g/t"), 0, SmallStore.queue(3));
            store.ops()
                    .putRetained(
                            new Message(
                                    Topic.of("kept"),
                                    new byte[] {0, -1},
                                    new byte[0],
                                    1,
                                    true,
                                    Message.NEVER,
                                    null,
                                    7,
                                    5),
                            store.stamp());
            Message shared = store.message(LARGE);
            store.append(1, shared);
            store.append(2, shared);
            store.append(1, store.message("expires", 1, LATER));
            var qos2 = store.append(1, store.message("two", 2, Message.NEVER));
            var lent = store.append(3, store.message("lent", 2, Message.NEVER));
            store.materialise();
            qos2.packetId = 4;
            store.ops().inFlight(qos2);
            lent.packetId = 5;
            store.ops()
                    .inFlightTo(
                            lent,
                            new Receiver(
                                    new SessionKey(SmallStore.queue(1), new HybridId(1, 7)),
                                    false,
                                    new int[0]));
            store.ops().putMarker(SmallStore.queue(1), qos2.messageId + 1_000, 7, 6, 1, 7);
            store.materialise();
            store.ops().putInbound(new Inbound(SmallStore.queue(1), 9, 7, 77));
            store.append(2, store.message("journal only"));
            store.commit();
            return store.killed(temp.resolve("killed"));
        }
    }

    private static List<String> items(Disk disk) throws Exception {
        List<String> items = new ArrayList<>();
        new StoreExport(
                        disk,
                        item -> {
                            if (!(item instanceof StoreItem.Floors)) {
                                items.add(text(item));
                            }
                        })
                .run();
        return items;
    }

    private static String text(Message message) {
        return message.topic
                + " "
                + Arrays.toString(message.payload).hashCode()
                + " "
                + Arrays.toString(message.properties)
                + message.qos
                + message.retain
                + message.expiresAtMs
                + " "
                + message.ingressServer
                + ":"
                + message.ingressCounter;
    }

    /** Everything of an item; arrays by what is in them. */
    private static String text(StoreItem item) {
        return switch (item) {
            case StoreItem.Subscription each ->
                    "subscription "
                            + each.queueId()
                            + each.filter()
                            + each.qos()
                            + each.noLocal()
                            + each.retainAsPublished()
                            + Arrays.toString(each.ids());
            case StoreItem.InboundPublish each ->
                    "inbound "
                            + each.queueId()
                            + ":"
                            + each.packetId()
                            + ":"
                            + each.ingress().counter()
                            + each.taken();
            case StoreItem.ReplicaSet each -> "set " + each;
            case StoreItem.Predecessor each -> "before " + each;
            case StoreItem.Remembered each ->
                    "remembered " + each.queueId() + ":" + each.id() + ":" + each.ingress();
            case StoreItem.Payload each -> "payload " + text(each.message());
            case StoreItem.Retained each -> "retained " + text(each.message());
            case StoreItem.Queued each ->
                    "queued "
                            + each.queueId()
                            + ":"
                            + Queues.text(each.id())
                            + each.idle()
                            + each.qos()
                            + each.retain()
                            + Arrays.toString(each.ids())
                            + each.packetId()
                            + (each.body() instanceof StoreItem.Body.Own own
                                    ? text(own.message())
                                    : each.body());
            default -> item.toString();
        };
    }

    private static List<String> verify(Path store) throws Exception {
        try (StoreView view = StoreView.open(store)) {
            List<String> problems = new ArrayList<>(view.problems());
            new StoreVerify(view.disk(), problems::add).run();
            return problems;
        }
    }

    private static List<String> texts(Path store, int queue) throws Exception {
        List<String> texts = new ArrayList<>();
        try (StoreView view = StoreView.open(store)) {
            new QueuePeek(view.disk())
                    .show(
                            SmallStore.queue(queue),
                            100,
                            seen -> {
                                Message message = seen.message();
                                texts.add(
                                        seen.state()
                                                + " "
                                                + seen.packetId()
                                                + " "
                                                + (message == null
                                                        ? "-"
                                                        : new String(
                                                                message.payload,
                                                                java.nio.charset.StandardCharsets
                                                                        .UTF_8)));
                            });
        }
        return texts;
    }

    /** Content of every file but RocksDB's own reports. */
    private static TreeMap<String, Integer> contents(Path folder) throws IOException {
        TreeMap<String, Integer> contents = new TreeMap<>();
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.filter(Files::isRegularFile).toList()) {
                contents.put(
                        folder.relativize(each).toString(),
                        Arrays.hashCode(Files.readAllBytes(each)));
            }
        }
        return contents;
    }

    @Test
    void looking_shows_the_journal_too_and_changes_no_file() throws Exception {
        Path store = killed();
        TreeMap<String, Integer> before = contents(store);

        assertThat(verify(store)).isEmpty();
        assertThat(texts(store, 2)).containsExactly("idle 0 " + LARGE, "idle 0 journal only");
        assertThat(texts(store, 1))
                .containsExactly(
                        "in-flight 4 two", "released 6 -", "idle 0 " + LARGE, "idle 0 expires");
        try (StoreView view = StoreView.open(store)) {
            List<StoreSummary.SessionLine> lines = new ArrayList<>();
            new StoreSummary(view.disk()).sessions(ClientId.of("c1"), lines::add);
            assertThat(lines).hasSize(1);
            assertThat(lines.getFirst().subscriptions()).isEqualTo(2);
            assertThat(lines.getFirst().inbound()).isEqualTo(1);
            assertThat(lines.getFirst().waiting().messages()).isEqualTo(4);
            assertThat(lines.getFirst().waiting().inFlight()).isEqualTo(2);
            assertThat(lines.getFirst().waiting().oldestMs())
                    .isBetween(StepWorkers.START_MS, StepWorkers.START_MS + 60_000);
            assertThat(new StoreSummary(view.disk()).groups().getFirst().waiting().messages())
                    .isEqualTo(1);
        }
        assertThat(contents(store)).isEqualTo(before);
    }

    @Test
    void what_was_taken_out_and_brought_back_is_the_same() throws Exception {
        Path store = killed();
        List<StoreItem> all = new ArrayList<>();
        List<String> before;
        try (StoreView view = StoreView.open(store)) {
            new StoreExport(view.disk(), all::add).run();
            before = items(view.disk());
        }
        Path other = temp.resolve("other");
        try (RocksDisk target = RocksDisk.open(other)) {
            StoreImport to = new StoreImport(target);
            for (StoreItem each : all) {
                to.item(each);
            }
            to.finish();
            assertThat(to.dropped()).isEmpty();
        }
        assertThat(verify(other)).isEmpty();
        try (StoreView view = StoreView.open(other)) {
            assertThat(items(view.disk())).isEqualTo(before).hasSize(20);
        }
        try (SmallStore started = new SmallStore(other)) {
            assertThat(started.floor.clock()).isGreaterThanOrEqualTo(clock(all));
            assertThat(started.texts(2)).containsExactly(LARGE, "journal only");
            assertThat(started.recovered.session(SmallStore.queue(1)).subscriptions()).hasSize(2);
            assertThat(started.recovered.retained).containsKey("kept");
        }
    }

    private static long clock(List<StoreItem> all) {
        long clock = 0;
        for (StoreItem each : all) {
            clock =
                    each instanceof StoreItem.Queued row
                            ? Math.max(clock, row.id().clock())
                            : clock;
        }
        assertThat(clock).isPositive();
        return clock;
    }

    private interface Fault {
        void plant(Batch batch, Disk disk) throws Exception;
    }

    private List<String> planted(Fault fault) throws Exception {
        Path store = temp.resolve("planted");
        SmallStore.copy(temp.resolve("whole"), store);
        try (RocksDisk disk = RocksDisk.open(store)) {
            Batch batch = new Batch();
            fault.plant(batch, disk);
            disk.write(batch);
            disk.flush();
        }
        List<String> problems = verify(store);
        try (Stream<Path> all = Files.walk(store)) {
            for (Path each : all.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
        return problems;
    }

    private static byte[] key(Disk disk, Family family, int index) throws Exception {
        try (var cursor = disk.scan(family, new byte[0], null)) {
            for (int i = 0; i <= index; i++) {
                assertThat(cursor.next()).isTrue();
            }
            return cursor.key();
        }
    }

    @Test
    void verify_names_each_kind_of_fault() throws Exception {
        Path killed = killed();
        OpenedStore.open(killed, StepWorkers.START_MS, 1).close();
        Files.move(killed, temp.resolve("whole"));

        assertThat(planted((batch, disk) -> {})).isEmpty();
        String queue2 = "queue 0000070000000002 (client c2): ";
        assertThat(
                        planted((batch, disk) -> {
                            try (var rows =
                                    disk.scan(
                                            Family.QUEUES,
                                            Keys.rowsStart(SmallStore.queue(2)),
                                            null)) {
                                assertThat(rows.next() && rows.next()).isTrue();
                                batch.delete(Family.QUEUES, rows.key());
                            }
                        }))
                .hasSize(1)
                .allMatch(each -> each.startsWith(queue2 + "messages: 1 in rows, 2 counted"));
        assertThat(
                        planted((batch, disk) ->
                                batch.put(
                                        Family.META,
                                        Keys.meta('D', SmallStore.queue(2)),
                                        new StoredDepth(
                                                        QueueHandle.Kind.SESSION,
                                                        5,
                                                        0,
                                                        1,
                                                        -1L >>> 1,
                                                        7,
                                                        0,
                                                        new Digest())
                                                .toBytes())))
                .hasSize(1)
                .allMatch(each -> each.contains("messages: 2 in rows, 5 counted"))
                .allMatch(each -> each.contains("in flight: 0 in rows, 1 counted"));
        assertThat(
                        planted((batch, disk) -> {
                            byte[] payload = key(disk, Family.PAYLOADS, 0);
                            byte[] uses = new byte[13];
                            uses[0] = 'U';
                            System.arraycopy(payload, 0, uses, 1, 12);
                            batch.put(Family.META, uses, new ByteWriter(1).varint(3).toBytes());
                        }))
                .hasSize(1)
                .allMatch(each -> each.endsWith("2 rows refer to it, 3 counted"));
        assertThat(
                        planted((batch, disk) ->
                                batch.delete(Family.PAYLOADS, key(disk, Family.PAYLOADS, 0))))
                .hasSize(2)
                .allMatch(each -> each.endsWith("which is missing"));
        assertThat(
                        planted((batch, disk) ->
                                batch.delete(Family.EXPIRY, key(disk, Family.EXPIRY, 0))))
                .hasSize(2)
                .anyMatch(each -> each.contains("the index of expiries doesn't have it"));
        assertThat(
                        planted((batch, disk) ->
                                batch.delete(Family.META, Keys.meta('S', SmallStore.queue(2)))))
                .as("a copy of a queue whose session lives elsewhere")
                .isEmpty();
    }

    @Test
    void a_purge_empties_one_queue_and_leaves_everything_else() throws Exception {
        Path store = killed();
        try (OpenedStore opened = OpenedStore.open(store, StepWorkers.START_MS, 1)) {
            assertThat(new QueuePurge(opened.disk(), SmallStore.queue(1)).run()).isEqualTo(4);
            assertThat(new QueuePurge(opened.disk(), SmallStore.queue(9)).run()).isZero();
        }
        assertThat(verify(store)).isEmpty();
        assertThat(texts(store, 1)).isEmpty();
        assertThat(texts(store, 2)).containsExactly("idle 0 " + LARGE, "idle 0 journal only");
        assertThat(texts(store, 3)).containsExactly("in-flight 5 lent");
        try (SmallStore started = new SmallStore(store)) {
            assertThat(started.recovered.session(SmallStore.queue(1)).subscriptions()).hasSize(2);
        }
    }

    /** 40 commits in several segments, all of them in the journal alone. */
    private Path journalOnly() throws Exception {
        try (SmallStore store = new SmallStore(temp.resolve("live"))) {
            store.session(1);
            for (int i = 0; i < 100; i++) {
                store.append(1, store.message(i + LARGE));
                store.commit();
            }
            return store.killed(temp.resolve("killed"));
        }
    }

    private static void flip(Path file, long at) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.seek(at);
            int b = open.read();
            open.seek(at);
            open.write(b ^ 0x10);
        }
    }

    private static List<Path> files(Path folder, String ending) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(each -> each.toString().endsWith(ending)).sorted().toList();
        }
    }

    @Test
    void of_a_damaged_journal_everything_that_can_be_read_is_kept() throws Exception {
        Path store = journalOnly();
        List<Path> segments = files(store.resolve(FileJournal.FOLDER), ".segment");
        assertThat(segments).hasSizeGreaterThan(4);
        flip(segments.get(2), 30_000);
        assertThatThrownBy(() -> new SmallStore(store))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("set-aside");
        assertThat(verify(store)).anyMatch(each -> each.contains("the journal is damaged"));
        // One record can't be read: those behind it can.
        int readable = texts(store, 1).size();
        assertThat(readable).isEqualTo(99);

        Path aside = temp.resolve("aside");
        TreeMap<String, Integer> before = contents(store);
        SetAside.Outcome outcome = SetAside.run(store, aside, 5);

        assertThat(contents(aside)).isEqualTo(before);
        assertThat(outcome.floorsAreLost()).isFalse();
        assertThat(outcome.givenUp())
                .singleElement()
                .asString()
                .contains("the journal is damaged", "where the record of position");
        assertThat(verify(store)).isEmpty();
        assertThat(texts(store, 1)).hasSize(readable);
        try (SmallStore started = new SmallStore(store)) {
            assertThat(started.texts(1)).hasSize(readable).first().isEqualTo("0" + LARGE);
            started.append(1, started.message("new"));
            started.materialise();
            assertThat(started.texts(1)).hasSize(readable + 1).last().isEqualTo("new");
        }
        assertThat(verify(store)).isEmpty();
    }

    @Test
    void of_a_damaged_table_what_lies_around_the_damage_is_kept() throws Exception {
        Path live = temp.resolve("live");
        Path store;
        try (SmallStore made = new SmallStore(live)) {
            for (int queue = 1; queue <= 20; queue++) {
                made.session(queue);
                for (int i = 0; i < 20; i++) {
                    byte[] noise = new byte[200];
                    new java.util.Random(queue * 100 + i).nextBytes(noise);
                    made.append(queue, made.message(i + Arrays.toString(noise)));
                }
            }
            made.materialise();
            made.append(20, made.message("journal only"));
            made.commit();
            store = made.killed(temp.resolve("killed"));
        }
        Path table = null;
        for (Path each : files(store, ".sst")) {
            table = table == null || Files.size(each) > Files.size(table) ? each : table;
        }
        assertThat(table).isNotNull();
        flip(table, Files.size(table) / 2);
        assertThat(verify(store)).isNotEmpty();

        SetAside.Outcome outcome = SetAside.run(store, temp.resolve("aside"), 5);

        assertThat(outcome.givenUp())
                .anyMatch(each -> each.contains("entries of the queues 00000700000000"));
        assertThat(verify(store)).isEmpty();
        int kept = 0;
        try (SmallStore started = new SmallStore(store)) {
            assertThat(started.recovered.sessions).hasSize(20);
            for (int queue = 1; queue <= 20; queue++) {
                kept += started.texts(queue).size();
            }
            assertThat(started.texts(1)).hasSize(20);
            assertThat(started.texts(20)).hasSize(21).last().isEqualTo("journal only");
        }
        assertThat(kept).isBetween(300, 400);
    }

    @Test
    void a_damaged_first_block_leaves_what_other_tables_have() throws Exception {
        Path store;
        try (SmallStore made = new SmallStore(temp.resolve("live"))) {
            made.session(1);
            made.session(2);
            made.append(1, made.message("one"));
            made.materialise();
            made.append(2, made.message("two and more"));
            made.materialise();
            store = made.killed(temp.resolve("killed"));
        }
        // The newest table of queues holds one block: queue 2.
        Path damaged = null;
        try (StoreView view = StoreView.open(store)) {
            for (var each : view.rocks().tables()) {
                if (each.family() == Family.QUEUES
                        && Keys.rowQueue(each.smallest()) == SmallStore.queue(2)) {
                    damaged = store.resolve(each.name());
                }
            }
        }
        assertThat(damaged).isNotNull();
        flip(damaged, 10);

        SetAside.Outcome outcome = SetAside.run(store, temp.resolve("aside"), 5);

        assertThat(outcome.givenUp()).hasSize(1);
        assertThat(verify(store)).isEmpty();
        assertThat(texts(store, 1)).containsExactly("idle 0 one");
        assertThat(texts(store, 2)).isEmpty();
    }

    @Test
    void of_a_table_that_nobody_can_open_the_other_families_are_kept() throws Exception {
        Path store = killed();
        Path damaged = null;
        try (StoreView view = StoreView.open(store)) {
            for (var each : view.rocks().tables()) {
                damaged = each.family() == Family.PAYLOADS ? store.resolve(each.name()) : damaged;
            }
        }
        assertThat(damaged).isNotNull();
        flip(damaged, Files.size(damaged) - 30);

        SetAside.Outcome outcome = SetAside.run(store, temp.resolve("aside"), 5);

        assertThat(outcome.givenUp())
                .anyMatch(each -> each.contains("can't be read at all"))
                .contains("queue 0000070000000001: 1 messages whose payload can't be read")
                .contains("queue 0000070000000002: 1 messages whose payload can't be read");
        assertThat(verify(store)).isEmpty();
        assertThat(texts(store, 2)).containsExactly("idle 0 journal only");
        assertThat(texts(store, 1))
                .containsExactly("in-flight 4 two", "released 6 -", "idle 0 expires");
    }

    @Test
    void of_a_store_without_its_list_of_files_nothing_is_moved() throws Exception {
        Path store = killed();
        Files.delete(store.resolve("CURRENT"));
        TreeMap<String, Integer> before = contents(store);

        assertThatThrownBy(() -> SetAside.run(store, temp.resolve("aside"), 5))
                .isInstanceOf(StoreUnusable.class);

        assertThat(contents(store)).isEqualTo(before);
        assertThat(temp.resolve("aside")).doesNotExist();
    }

    @Test
    void an_attempt_that_was_cut_between_its_moves_is_known_and_ended() throws Exception {
        Path store = killed();
        Files.move(store, temp.resolve("killed.readable"));
        assertThat(SetAside.isCut(store)).isTrue();

        SetAside.finish(store);

        assertThat(SetAside.isCut(store)).isFalse();
        assertThat(verify(store)).isEmpty();
    }

    @Test
    void a_copy_of_an_open_store_is_a_store() throws Exception {
        try (SmallStore store = new SmallStore(temp.resolve("live"))) {
            store.session(1);
            for (int i = 0; i < 50; i++) {
                store.append(1, store.message(i + LARGE));
                if (i == 20) {
                    store.materialise();
                }
                store.commit();
            }
            Path copy = temp.resolve("copy");
            assertThat(StoreBackup.take(store.disk, store.journal, copy)).isPositive();
            assertThatThrownBy(() -> StoreBackup.take(store.disk, store.journal, copy))
                    .hasMessageContaining("is there already");
            store.append(1, store.message("later"));
            store.materialise();

            assertThat(verify(copy)).isEmpty();
            Path restored = temp.resolve("restored");
            StoreBackup.restore(copy, restored);
            try (SmallStore started = new SmallStore(restored)) {
                assertThat(started.texts(1)).hasSize(50).last().isEqualTo("49" + LARGE);
            }
            assertThat(verify(restored)).isEmpty();
            assertThat(store.texts(1)).hasSize(51);
        }
    }

    @Test
    void a_copy_whose_rows_are_newer_than_any_record_starts() throws Exception {
        try (SmallStore store = new SmallStore(temp.resolve("live"))) {
            StoreBackup.take(store.disk, store.journal, temp.resolve("empty"));
            store.session(1);
            store.append(1, store.message("one"));
            store.materialise();
            StoreBackup.take(store.disk, store.journal, temp.resolve("copy"));
        }
        try (SmallStore started = new SmallStore(temp.resolve("empty"))) {
            assertThat(started.recovered.sessions).isEmpty();
        }
        try (SmallStore started = new SmallStore(temp.resolve("copy"))) {
            assertThat(started.texts(1)).containsExactly("one");
        }
    }
}
