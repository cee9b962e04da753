package io.godwit.persistence;

import static io.godwit.persistence.StoreFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.packet.Topic;
import io.godwit.core.store.RowRead;
import io.godwit.persistence.StoreFixture.Entry;
import io.godwit.persistence.disk.Family;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What rows of a whole store look like, where one writer puts several records. */
class StoredBytesTest {
    private static final String QUEUE_1 = "0000070000000001";
    private static final String QUEUE_2 = "0000070000000002";
    private static final String X_200 = "78".repeat(200);

    private StoreFixture store = new StoreFixture();

    private static String hex(long number) {
        return HexFormat.of().toHexDigits(number);
    }

    private Map<String, String> rows(Family family) {
        Map<String, String> all = new TreeMap<>();
        store.disk
                .rows(family)
                .forEach((key, value) ->
                        all.put(HexFormat.of().formatHex(key), HexFormat.of().formatHex(value)));
        return all;
    }

    @Test
    void a_payload_of_two_queues_stands_once_with_its_uses_and_its_expiries() {
        store.connect(0, 1);
        store.connect(0, 2);
        long expiresAtMs = store.time.wallMs() + 3_600_000;
        Message message = store.message("x".repeat(200), 1, expiresAtMs);
        Entry one = store.append(0, queue(1), message);
        Entry two = store.append(0, queue(2), message);
        store.commit();
        store.materialise();

        // Server 7, start 1, number 1; expiry as varint; 64 and what the message takes: 2 bytes.
        String ingress = "000007" + "01" + "01";
        String expires = varint(expiresAtMs);
        String bytes = varint(one.bytes);
        assertThat(bytes).hasSize(4);
        String id1 = hex(one.messageId) + "00000007";
        String id2 = hex(two.messageId) + "00000007";
        String reference = "18" + ingress + bytes + expires;
        assertThat(rows(Family.QUEUES))
                .containsExactly(
                        Map.entry(QUEUE_1 + "01" + id1, reference),
                        Map.entry(QUEUE_2 + "01" + id2, reference));
        assertThat(rows(Family.PAYLOADS))
                .containsExactly(
                        Map.entry(
                                "00000007" + "0000400000000001",
                                "09" + ingress + "0174" + expires + "c801" + X_200));
        assertThat(rows(Family.META)).containsEntry("55" + "00000007" + "0000400000000001", "02");
        assertThat(rows(Family.EXPIRY))
                .containsExactly(
                        Map.entry(hex(expiresAtMs) + QUEUE_1 + id1, bytes),
                        Map.entry(hex(expiresAtMs) + QUEUE_2 + id2, bytes));

        store = store.afterCrash();
        assertThat(store.texts(queue(2))).containsExactly("x".repeat(200));
    }

    @Test
    void what_is_in_flight_is_a_row_a_marker_with_its_row_or_what_PUBREC_left() {
        store.connect(0, 1);
        Entry marked = store.append(0, queue(1), store.message("m", 2, Message.NEVER));
        store.commit();
        store.materialise();
        Entry whole = store.append(0, queue(1), store.message("w", 1, Message.NEVER));
        Entry released = store.append(0, queue(1), store.message("r", 2, Message.NEVER));
        int packetId = 300;
        for (Entry each : new Entry[] {marked, whole, released}) {
            each.packetId = packetId++;
            store.shard(0).inFlight(each);
        }
        store.shard(0).released(released);
        store.commit();
        store.materialise();

        String server = "00000007";
        assertThat(rows(Family.QUEUES))
                .containsExactly(
                        Map.entry(QUEUE_1 + "00" + hex(marked.messageId) + server, "81" + "ac02"),
                        Map.entry(
                                QUEUE_1 + "00" + hex(whole.messageId) + server,
                                "20" + "ad02" + "01" + "000007" + "01" + "02" + "0174" + "0177"),
                        Map.entry(
                                QUEUE_1 + "00" + hex(released.messageId) + server,
                                "80" + "ae02" + "000007" + "01" + "03"),
                        Map.entry(
                                QUEUE_1 + "01" + hex(marked.messageId) + server,
                                "01" + "02" + "000007" + "01" + "01" + "0174" + "016d"));

        store = store.afterCrash();
        assertThat(store.read(queue(1), RowRead.Section.IN_FLIGHT).entries)
                .extracting(Entry::text)
                .containsExactly("m", "w", "-");
    }

    @Test
    void a_retained_message_stands_under_its_topic() {
        Message message = store.message("r");
        store.shard(0).putRetained(message, new HybridId(3, 4));
        store.commit();
        store.materialise();
        assertThat(rows(Family.RETAINED))
                .containsExactly(
                        Map.entry(
                                HexFormat.of().formatHex(Topic.of("t").bytes()),
                                "0000000000000003"
                                        + "000004"
                                        + "01"
                                        + "000007"
                                        + "01"
                                        + "01"
                                        + "0174"
                                        + "0172"));
    }

    /** Seven bits a byte, least first, written down once more. */
    private static String varint(long value) {
        StringBuilder out = new StringBuilder();
        long rest = value;
        while (rest > 0x7F) {
            out.append(HexFormat.of().toHexDigits((byte) (rest | 0x80)));
            rest >>>= 7;
        }
        return out.append(HexFormat.of().toHexDigits((byte) rest)).toString();
    }
}
