package io.godwit.persistence;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.group.GroupRecovery;
import io.godwit.core.id.HybridId;
import io.godwit.core.node.SettableTime;
import io.godwit.core.node.TestClient;
import io.godwit.core.node.TestNode;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.queue.ClientQueue;
import io.godwit.core.store.QueueDepth;
import io.godwit.core.store.Recovery.KeptGroupPart;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.files.FileJournal;
import io.godwit.persistence.inspect.StoreBackup;
import io.godwit.persistence.inspect.StoreVerify;
import io.godwit.persistence.rocks.RocksDisk;
import io.godwit.persistence.settings.StoreRules;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A frozen queue that goes before another one, on a real disk and through restarts. */
class PredecessorOnDiskTest {
    private static final int SERVER = 1;

    @TempDir Path folder;

    private final SettableTime time = new SettableTime();
    private int starts;
    private StepWorkers workers = new StepWorkers();

    private RocksDisk disk;

    private FileJournal journal;

    private DiskStore store;

    private TestNode node;

    @BeforeEach
    void first() throws Exception {
        start(folder.resolve("0"));
    }

    private void start(Path at) throws Exception {
        workers = new StepWorkers();
        disk = RocksDisk.open(at);
        journal = SmallStore.journal(disk, at);
        store =
                new DiskStore(
                        disk,
                        journal,
                        StoreFixture.SETTINGS,
                        workers,
                        workers.workers,
                        StoreRules.ALL,
                        SERVER);
        node = TestNode.restarted(store, time);
        settle();
    }

    /** What was committed is there again. */
    private void killed() throws Exception {
        Path to = folder.resolve("" + ++starts);
        StoreBackup.take(StoreBackup.of(disk, journal), to);
        workers.halt();
        store.close();
        start(to);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void settle() {
        for (int i = 0; i < 20; i++) {
            node.settle();
            workers.pass(2);
        }
        node.settle();
    }

    private void rows() throws Exception {
        settle();
        store.endWindow();
        settle();
        disk.flush();
    }

    private TestClient connect(String clientId, int receiveMaximum) {
        TestClient client = node.client(0, clientId, 3600, receiveMaximum);
        settle();
        return client;
    }

    private void member(String clientId, int qos, String filter) {
        TestClient client = connect(clientId, 0);
        client.subscribe(1, qos, filter);
        settle();
        client.cut();
        settle();
    }

    private void publish(String topic, int qos, int from, int to) {
        TestClient publisher = connect("p", 0);
        for (int i = from; i <= to; i++) {
            publisher.publish(topic, qos, i, topic + i);
            settle();
            if (qos == 2) {
                publisher.ack(PacketType.PUBREL, i);
            }
        }
        publisher.cut();
        settle();
    }

    private static List<Packet.Publish> publishes(TestClient client) {
        return client.packets().stream()
                .filter(Packet.Publish.class::isInstance)
                .map(Packet.Publish.class::cast)
                .toList();
    }

    /** Completes so many deliveries, one after the other. */
    private void take(TestClient client, int count) {
        for (int i = 0; i < count; i++) {
            Packet.Publish next = publishes(client).get(i);
            if (next.qos() == 1) {
                client.ack(PacketType.PUBACK, next.packetId());
            } else {
                client.ack(PacketType.PUBREC, next.packetId());
                settle();
                client.ack(PacketType.PUBCOMP, next.packetId());
            }
            settle();
        }
    }

    private static QueueDepth depth(long queueId, long messages, long bytes, long last) {
        return new QueueDepth(queueId, messages, bytes, 0, HybridId.NONE, HybridId.lastOf(last));
    }

    private void assertSound() throws Exception {
        rows();
        List<String> problems = new ArrayList<>();
        new StoreVerify(disk, problems::add).run();
        assertThat(problems).isEmpty();
    }

    @Test
    void a_session_s_is_drained_first_across_a_restart_and_given_up() throws Exception {
        member("old", 1, "a");
        publish("a", 1, 1, 5);
        member("s", 1, "b");
        publish("b", 1, 1, 3);
        rows();
        ClientQueue old = node.session("old").queue();
        QueueDepth depth = depth(old.queueId(), old.messages(), old.bytes(), old.lastMessageId());
        node.change(node.session("s"), own -> own.precededBy(depth, List.of()));
        settle();
        killed();
        assertThat(node.session("s").queue().messages()).isEqualTo(8);

        TestClient first = connect("s", 2);
        assertThat(first.payloads()).containsExactly("a1", "a2");
        take(first, 1);
        rows();
        killed();
        TestClient second = connect("s", 2);
        assertThat(second.payloads()).containsExactly("a2", "a3");
        publish("b", 1, 4, 4);
        take(second, 8);
        assertThat(second.payloads())
                .containsExactly("a2", "a3", "a4", "a5", "b1", "b2", "b3", "b4");
        assertThat(predecessors()).isEmpty();
        assertSound();
        killed();
        assertThat(connect("s", 0).payloads()).isEmpty();
        assertThat(queues(row -> {})).isEmpty();
    }

    /** Before the parts of one group go the queues of the same parts of another. */
    @Test
    void that_of_a_group_s_part_is_drained_first_across_restarts_and_given_up() throws Exception {
        member("o", 2, "$share/h/old");
        publish("old", 2, 1, 6);
        List<KeptGroupPart> before = parts();
        member("m", 2, "$share/g/new");
        publish("new", 1, 7, 30);
        rows();
        GroupRecovery group = node.group("$share/g/new").recovery();
        node.execute(0, () -> before.forEach(group::precededBy));
        settle();
        killed();

        TestClient first = connect("m", 2);
        assertThat(first.payloads()).containsExactly("old1", "old2");
        take(first, 1);
        assertThat(first.payloads()).containsExactly("old1", "old2", "old3");
        List<Packet.Publish> sent = publishes(first);
        first.ack(PacketType.PUBREC, sent.get(1).packetId());
        rows();
        killed();
        TestClient second = connect("m", 2);
        assertThat(second.payloads()).as("old2 was got, and waits for PUBCOMP").startsWith("old3");
        assertThat(publishes(second).getFirst().packetId()).isEqualTo(sent.get(2).packetId());
        assertThat(publishes(second).getFirst().dup()).isTrue();
        second.ack(PacketType.PUBCOMP, sent.get(1).packetId());
        settle();
        take(second, 4 + 24);
        List<String> expected = new ArrayList<>();
        for (int i = 3; i <= 30; i++) {
            expected.add((i <= 6 ? "old" : "new") + i);
        }
        assertThat(second.payloads()).containsExactlyElementsOf(expected);
        assertThat(predecessors()).isEmpty();
        killed();
        assertThat(connect("m", 0).payloads()).isEmpty();
        assertSound();
    }

    /** The parts of the one group that there is. */
    private List<KeptGroupPart> parts() throws Exception {
        rows();
        List<KeptGroupPart> all = new ArrayList<>();
        meta(
                'G',
                each -> {
                    long queueId = Keys.longAt(each.key(), 1);
                    all.add(
                            new KeptGroupPart(
                                    each.value()[0],
                                    depth(queueId, 1, 100, 0),
                                    List.of(),
                                    List.of(),
                                    null));
                });
        return all;
    }

    private List<Long> predecessors() throws Exception {
        rows();
        List<Long> all = new ArrayList<>();
        meta('E', each -> all.add(Keys.longAt(each.value(), 0)));
        return all;
    }

    private interface Row {
        byte[] key();

        byte[] value();
    }

    private void meta(char letter, Consumer<Row> to) throws Exception {
        DiskView view = disk;
        try (Cursor cursor =
                view.scan(
                        Family.META,
                        new byte[] {(byte) letter},
                        new byte[] {(byte) (letter + 1)})) {
            while (cursor.next()) {
                byte[] key = cursor.key();
                byte[] value = cursor.value();
                to.accept(
                        new Row() {
                            @Override
                            public byte[] key() {
                                return key;
                            }

                            @Override
                            public byte[] value() {
                                return value;
                            }
                        });
            }
        }
    }

    /** Queue ids of all rows. */
    private Set<Long> queues(Consumer<byte[]> each) throws Exception {
        rows();
        Set<Long> all = new LinkedHashSet<>();
        try (Cursor cursor =
                disk.scan(Family.QUEUES, new byte[] {0}, new byte[] {(byte) 0xFF, (byte) 0xFF})) {
            while (cursor.next()) {
                all.add(Keys.rowQueue(cursor.key()));
                each.accept(cursor.key());
            }
        }
        return all;
    }
}
