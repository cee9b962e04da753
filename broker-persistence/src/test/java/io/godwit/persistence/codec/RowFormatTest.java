package io.godwit.persistence.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.id.SessionKey;
import io.godwit.core.message.Digest;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueueHandle;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.store.Receiver;
import java.util.HexFormat;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The bytes of rows and their keys, as every version of this format has them. */
class RowFormatTest {
    private static final long QUEUE = 0x0000_0700_0000_0001L;
    private static final String QUEUE_HEX = "0000070000000001";
    private static final long COUNTER = IngressId.counter(3, 300);

    /** Server 7, start number 3, number 300. */
    private static final String INGRESS = "000007" + "03" + "ac02";

    /** QoS 1, topic t, payload x. */
    private static final String PLAIN = "01" + INGRESS + "0174" + "0178";

    private static final SessionKey MEMBER = new SessionKey(QUEUE, new HybridId(3, 4));
    private static final String MEMBER_HEX = QUEUE_HEX + "0000000000000003" + "000004";

    private final StoredRow row = new StoredRow();

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex);
    }

    private static String written(Consumer<ByteWriter> by) {
        ByteWriter out = new ByteWriter(16);
        by.accept(out);
        return hex(out.toBytes());
    }

    private static Message plain() {
        return message(1, false, Message.NEVER, new byte[0], null);
    }

    private static Message message(
            int qos,
            boolean retain,
            long expiresAtMs,
            byte[] properties,
            @Nullable ClientId publisher) {
        return new Message(
                Topic.of("t"),
                new byte[] {'x'},
                properties,
                qos,
                retain,
                expiresAtMs,
                publisher,
                7,
                COUNTER);
    }

    @Nested
    class A_row {
        @Test
        void of_the_shortest_kind() {
            String is = "00" + PLAIN;
            assertThat(written(to -> StoredRow.write(to, 1, false, new int[0], 0, plain())))
                    .isEqualTo(is);
            row.read(bytes(is));
            assertThat(row.isMarker).isFalse();
            assertThat(row.isReference).isFalse();
            assertThat(row.qos).isEqualTo(1);
            assertThat(row.retain).isFalse();
            assertThat(row.ids).isEmpty();
            assertThat(row.packetId).isZero();
            assertThat(row.receiver).isNull();
            assertThat(row.server).isEqualTo(7);
            assertThat(row.counter).isEqualTo(COUNTER);
            assertThat(row.expiresAtMs).isEqualTo(Message.NEVER);
            assertThat(row.bytes).isEqualTo(64 + plain().accountedBytes());
        }

        @Test
        void with_everything() {
            // QoS 2, retain, expiry, properties; in flight under 300, with two ids.
            String message = "1e" + INGRESS + "0174" + "e807" + "020101" + "0178";
            String is = "27" + "ac02" + "02" + "09" + "ac02" + message;
            Message all = message(2, true, 1000, new byte[] {1, 1}, ClientId.of("p"));
            assertThat(written(to -> StoredRow.write(to, 2, true, new int[] {9, 300}, 300, all)))
                    .isEqualTo(is);
            row.read(bytes(is));
            assertThat(row.qos).isEqualTo(2);
            assertThat(row.retain).isTrue();
            assertThat(row.ids).containsExactly(9, 300);
            assertThat(row.packetId).isEqualTo(300);
            assertThat(row.expiresAtMs).isEqualTo(1000);
            Message read = row.message;
            assertThat(read).isNotNull();
            assertThat(hex(read.properties)).isEqualTo("0101");
            assertThat(read.publisher).as("of what is retained only").isNull();
        }

        @Test
        void that_refers_to_a_payload() {
            String is = "08" + INGRESS + "ac02";
            assertThat(
                            written(to ->
                                    StoredRow.writeReference(
                                            to,
                                            1,
                                            false,
                                            new int[0],
                                            0,
                                            7,
                                            COUNTER,
                                            300,
                                            Message.NEVER)))
                    .isEqualTo(is);
            row.read(bytes(is));
            assertThat(row.isReference).isTrue();
            assertThat(row.message).isNull();
            assertThat(row.bytes).isEqualTo(300);
            assertThat(row.counter).isEqualTo(COUNTER);

            String expires = "39" + "05" + INGRESS + "ac02" + "e807";
            assertThat(
                            written(to ->
                                    StoredRow.writeReference(
                                            to, 2, false, new int[0], 5, 7, COUNTER, 300, 1000)))
                    .isEqualTo(expires);
            row.read(bytes(expires));
            assertThat(row.qos).isEqualTo(2);
            assertThat(row.packetId).isEqualTo(5);
            assertThat(row.expiresAtMs).isEqualTo(1000);
        }

        @Test
        void that_ends_too_early_is_refused() {
            String whole = "27" + "ac02" + "02" + "09" + "ac02" + PLAIN;
            for (int length = 0; length < whole.length(); length += 2) {
                byte[] cut = bytes(whole.substring(0, length));
                assertThatThrownBy(() -> row.read(cut))
                        .isInstanceOf(IndexOutOfBoundsException.class);
            }
        }
    }

    @Nested
    class A_marker {
        private void is(int kind, String hex) {
            row.read(bytes(hex));
            assertThat(row.isMarker).isTrue();
            assertThat(row.kind).isEqualTo(kind);
            assertThat(row.packetId).isEqualTo(300);
            assertThat(row.bytes).isEqualTo(64);
        }

        @Test
        void that_points_to_an_idle_row() {
            String alone = "81" + "ac02";
            assertThat(written(to -> StoredRow.writeMarker(to, 300))).isEqualTo(alone);
            is(StoredRow.IDLE_ROW, alone);
            assertThat(row.hasIdleRow()).isTrue();
            assertThat(row.receiver).isNull();
        }

        @Test
        void of_a_group_s_entry_that_is_in_flight_to_a_member() {
            Receiver receiver = new Receiver(MEMBER, ClientId.of("member"));
            String is = "82" + "ac02" + MEMBER_HEX + "02" + "06" + "6d656d626572";
            assertThat(written(to -> StoredRow.writeToMember(to, 300, receiver))).isEqualTo(is);
            is(StoredRow.TO_MEMBER, is);
            assertThat(row.hasIdleRow()).isTrue();
            assertThat(row.receiver).usingRecursiveComparison().isEqualTo(receiver);
        }

        @Test
        void that_says_that_PUBREC_came() {
            String is = "80" + "ac02" + INGRESS;
            assertThat(written(to -> StoredRow.writeReleased(to, 300, 7, COUNTER))).isEqualTo(is);
            is(StoredRow.RELEASED, is);
            assertThat(row.hasIdleRow()).isFalse();
            assertThat(row.server).isEqualTo(7);
            assertThat(row.counter).isEqualTo(COUNTER);
        }

        @Test
        void of_what_a_session_has_got_of_a_group() {
            String is = "83" + "ac02" + INGRESS;
            assertThat(written(to -> StoredRow.writeGot(to, 300, 7, COUNTER))).isEqualTo(is);
            is(StoredRow.GOT, is);
            assertThat(row.hasIdleRow()).isFalse();
            assertThat(row.server).isEqualTo(7);
            assertThat(row.counter).isEqualTo(COUNTER);
        }
    }

    @Test
    void a_depth() {
        String is =
                "02"
                        + "ac02"
                        + "e807"
                        + "05"
                        + "0000000000010000"
                        + "000007"
                        + "02"
                        + "0000000000000011"
                        + "0000000000000022";
        StoredDepth depth =
                new StoredDepth(
                        QueueHandle.Kind.GROUP_PART,
                        300,
                        1000,
                        5,
                        0x1_0000,
                        7,
                        0xFFFE,
                        new Digest(0x11, 0x22));
        assertThat(hex(depth.toBytes())).isEqualTo(is);
        StoredDepth read = StoredDepth.of(bytes(is));
        assertThat(hex(read.toBytes())).isEqualTo(is);
        assertThat(read.kind()).isEqualTo(QueueHandle.Kind.GROUP_PART);
        assertThat(read.first()).isEqualTo(0xFFFE);
        assertThat(read.lastServer()).isEqualTo(7);
        assertThatThrownBy(() -> StoredDepth.of(bytes("03" + is.substring(2))))
                .as("a kind of queue that a later version has")
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void a_retained_message_and_one_that_was_deleted() {
        String stamp = "0000000000000003" + "000004";
        HybridId at = new HybridId(3, 4);
        Message message = message(1, true, Message.NEVER, new byte[0], ClientId.of("p"));
        String is = stamp + "25" + INGRESS + "0174" + "0170" + "0178";
        assertThat(written(to -> StoredRetained.write(to, at, message))).isEqualTo(is);
        StoredRetained read = StoredRetained.of(bytes(is));
        assertThat(read.stamp()).isEqualTo(at);
        Message kept = read.message();
        assertThat(kept).isNotNull();
        assertThat(kept.publisher).isEqualTo(ClientId.of("p"));

        assertThat(written(to -> StoredRetained.write(to, at, null))).isEqualTo(stamp);
        assertThat(StoredRetained.of(bytes(stamp)).message()).isNull();
    }

    @Test
    void keys_have_ids_of_twelve_bytes_and_sort_by_them() {
        String id = "0102030405060708" + "00000007";
        long clock = 0x0102_0304_0506_0708L;
        byte[] idle = Keys.row(QUEUE, Keys.IDLE, clock, 7);
        assertThat(hex(idle)).isEqualTo(QUEUE_HEX + "01" + id);
        assertThat(hex(Keys.row(QUEUE, Keys.IN_FLIGHT, clock, 7))).isEqualTo(QUEUE_HEX + "00" + id);
        assertThat(Keys.rowQueue(idle)).isEqualTo(QUEUE);
        assertThat(Keys.rowId(idle)).isEqualTo(new HybridId(clock, 7));
        assertThat(hex(Keys.expiry(1000, QUEUE, clock, 7)))
                .isEqualTo("00000000000003e8" + QUEUE_HEX + id);
        assertThat(hex(Keys.payload(7, COUNTER))).isEqualTo("00000007" + "0000c0000000012c");
        assertThat(hex(Keys.uses(7, COUNTER))).isEqualTo("55" + "00000007" + "0000c0000000012c");
        assertThat(hex(Keys.meta('S', QUEUE))).isEqualTo("53" + QUEUE_HEX);
        assertThat(hex(Keys.meta('D', QUEUE))).isEqualTo("44" + QUEUE_HEX);
        assertThat(hex(Keys.meta('Q', QUEUE))).isEqualTo("51" + QUEUE_HEX);
        assertThat(hex(Keys.meta('P', QUEUE))).isEqualTo("50" + QUEUE_HEX);
        assertThat(hex(Keys.inbound(QUEUE, 300))).isEqualTo("49" + QUEUE_HEX + "012c");
        assertThat(hex(Keys.subscription(QUEUE, new byte[] {'t'})))
                .isEqualTo("42" + QUEUE_HEX + "74");
        assertThat(hex(Keys.stream(7))).isEqualTo("54" + "000007");
        assertThat(hex(Keys.position(1000))).isEqualTo("00000000000003e8");
    }
}
