package io.godwit.persistence;

import static io.godwit.persistence.LookedAt.killed;
import static io.godwit.persistence.LookedAt.verify;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.Digest;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueueHandle;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.MessageCodec;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredDepth;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.inspect.OpenedStore;
import io.godwit.persistence.rocks.RocksDisk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VerifyTest {
    @TempDir Path temp;

    @Test
    void verify_names_each_kind_of_fault() throws Exception {
        Path killed = killed(temp);
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
                                assertThat(rows.next()).isTrue();
                                assertThat(rows.next()).isTrue();
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
                            byte[] uses = uses(key(disk, Family.PAYLOADS, 0));
                            batch.put(Family.META, uses, new ByteWriter(1).varint(3).toBytes());
                        }))
                .hasSize(1)
                .allMatch(each -> each.endsWith("2 rows refer to it, 3 counted"));
        assertThat(
                        planted((batch, disk) ->
                                batch.delete(Family.META, uses(key(disk, Family.PAYLOADS, 0)))))
                .as("a payload without a count")
                .hasSize(1)
                .allMatch(each ->
                        each.matches("payload 7:\\d+: 2 rows refer to it, but it has no count"));
        assertThat(
                        planted((batch, disk) -> {
                            batch.put(
                                    Family.META,
                                    Keys.uses(7, 99_999),
                                    new ByteWriter(1).varint(1).toBytes());
                        }))
                .as("a count without a payload")
                .containsExactly("payload 7:99999: 0 rows refer to it, 1 counted");
        assertThat(
                        planted((batch, disk) -> {
                            Message nobodys = message(99_999);
                            ByteWriter value = new ByteWriter(64);
                            MessageCodec.write(value, nobodys);
                            batch.put(Family.PAYLOADS, Keys.payload(7, 99_999), value.toBytes());
                        }))
                .as("a payload without a count and without a row")
                .containsExactly("payload 7:99999 is referred to by no row");
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
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
        return problems;
    }

    /** The key of a payload's count. */
    private static byte[] uses(byte[] payload) {
        byte[] key = new byte[13];
        key[0] = 'U';
        System.arraycopy(payload, 0, key, 1, 12);
        return key;
    }

    private static Message message(long ingressCounter) {
        return new Message(
                Topic.of("t"),
                new byte[] {1},
                PublishFrame.NO_PROPERTIES,
                1,
                false,
                Message.NEVER,
                null,
                7,
                ingressCounter);
    }

    private static byte[] key(Disk disk, Family family, int index) throws Exception {
        try (var cursor = disk.scan(family, new byte[0], null)) {
            for (int i = 0; i <= index; i++) {
                assertThat(cursor.next()).isTrue();
            }
            return cursor.key();
        }
    }
}
