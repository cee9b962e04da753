package io.godwit.persistence.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.packet.UserProperty;
import io.godwit.core.packet.Will;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.SessionRecord;
import io.godwit.persistence.codec.ByteReader;
import io.godwit.persistence.codec.ByteWriter;
import io.godwit.persistence.codec.SessionCodec;
import io.godwit.persistence.queue.KeptEntry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OpCodecTest {
    private final ByteWriter out = new ByteWriter(16);
    private final OpEncoder encoder = new OpEncoder(out);
    private final List<String> read = new ArrayList<>();

    private final OpDecoder.Target target =
            new OpDecoder.Target() {
                @Override
                public void append(
                        long queueId,
                        long messageId,
                        int qos,
                        boolean retain,
                        int[] ids,
                        @Nullable Message message) {
                    read.add(appended(queueId, messageId, qos, retain, ids, text(message)));
                }

                @Override
                public void entry(Op op, long queueId, long messageId, int packetId) {
                    read.add(op + " " + queueId + " " + messageId + " " + packetId);
                }

                @Override
                public void inbound(Op op, long queueId, int packetId, long ingressCounter) {
                    read.add(op + " " + queueId + " " + packetId + " " + ingressCounter);
                }

                @Override
                public void other(Op op, Object subject) {
                    read.add(op + " " + shown(subject));
                }
            };

    private static String appended(
            long queueId, long messageId, int qos, boolean retain, int[] ids, String message) {
        return "APPEND "
                + queueId
                + " "
                + messageId
                + " "
                + qos
                + retain
                + Arrays.toString(ids)
                + message;
    }

    private static String text(@Nullable Message m) {
        return m == null
                ? "-"
                : m.topic
                        + Arrays.toString(m.payload)
                        + Arrays.toString(m.properties)
                        + m.qos
                        + m.retain
                        + m.expiresAtMs
                        + ":"
                        + m.ingressServer
                        + ":"
                        + m.ingressCounter;
    }

    private static String shown(Object subject) {
        return switch (subject) {
            case Message message -> text(message);
            case Subject.Lent lent ->
                    lent.memberQueueId
                            + " "
                            + lent.groupQueueId
                            + " "
                            + lent.messageId
                            + " "
                            + lent.packetId
                            + lent.released;
            case Subject.SubscriptionPut put ->
                    put.queueId()
                            + put.filter().toString()
                            + put.qos()
                            + put.noLocal()
                            + put.retainAsPublished()
                            + Arrays.toString(put.ids());
            default -> subject.toString();
        };
    }

    private static Message message(Random random) {
        byte[] payload = new byte[random.nextInt(200)];
        random.nextBytes(payload);
        return new Message(
                Topic.of("a/" + random.nextInt(5)),
                payload,
                random.nextBoolean() ? new byte[] {1, 1} : new byte[0],
                random.nextInt(3),
                random.nextBoolean(),
                random.nextBoolean() ? Message.NEVER : random.nextLong(1L << 45),
                null,
                random.nextInt(1 << 24),
                random.nextLong());
    }

    @Test
    void what_is_written_is_read_whatever_comes_in_whatever_order() {
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            read.clear();
            encoder.begin();
            List<String> written = new ArrayList<>();
            List<Message> messages = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                messages.add(message(random));
            }
            for (int i = 0; i < 40; i++) {
                written.add(one(random, messages));
            }
            OpDecoder.decode(out.toBytes(), target);
            assertThat(read).isEqualTo(written);
        }
    }

    private String one(Random random, List<Message> messages) {
        long queueId = random.nextLong();
        long id = random.nextLong() >>> 1;
        int packetId = 1 + random.nextInt(65_535);
        Message message = random.nextInt(9) == 0 ? null : messages.get(random.nextInt(5));
        int[] ids = random.nextBoolean() ? new int[0] : new int[] {1, 268_435_455};
        TopicFilter filter = TopicFilter.of("f/" + random.nextInt());
        Op op = Op.of(random.nextInt(Op.values().length));
        KeptEntry entry =
                KeptEntry.journaled(
                        queueId, id, message, 1 + random.nextInt(2), random.nextBoolean(), ids);
        Object subject =
                switch (op) {
                    case APPEND, IN_FLIGHT, RELEASED, REMOVE -> entry;
                    case ROW_GONE -> new Subject.RowGone(queueId, id);
                    case LENT ->
                            new Subject.Lent(
                                    queueId, random.nextLong(), id, packetId, random.nextBoolean());
                    case LENT_GONE -> new Subject.LentGone(queueId, id);
                    case INBOUND, INBOUND_TAKEN, INBOUND_GONE -> new Inbound(queueId, packetId, id);
                    case SESSION ->
                            new Subject.SessionPut(
                                    ClientId.of("c"),
                                    new SessionRecord(
                                            queueId, id, ProtocolVersion.MQTT_3_1_1, 7, 0, null));
                    case SESSION_GONE, GROUP_GONE -> new Subject.OfQueue(queueId);
                    case SUBSCRIPTION ->
                            new Subject.SubscriptionPut(
                                    queueId, filter, 2, random.nextBoolean(), true, ids);
                    case SUBSCRIPTION_GONE -> new Subject.SubscriptionGone(queueId, filter);
                    case GROUP -> new Subject.GroupPut(filter, queueId);
                    case RETAINED -> messages.get(0);
                    case RETAINED_GONE -> messages.get(0).topic;
                    case CLOCK -> id;
                };
        encoder.encode(op, subject, packetId);
        return switch (op) {
            case APPEND -> appended(queueId, id, entry.qos, entry.retain, entry.ids, text(message));
            case IN_FLIGHT, RELEASED -> op + " " + queueId + " " + id + " " + packetId;
            case REMOVE, ROW_GONE -> op + " " + queueId + " " + id + " 0";
            case INBOUND, INBOUND_TAKEN, INBOUND_GONE ->
                    op + " " + queueId + " " + packetId + " " + id;
            default -> op + " " + shown(subject);
        };
    }

    @Test
    void a_message_of_many_queues_is_written_once() {
        encoder.begin();
        Message message = message(new Random(1));
        for (int i = 0; i < 1000; i++) {
            encoder.encode(
                    Op.APPEND,
                    KeptEntry.journaled(
                            (7L << 40) + i, (1L << 60) + i, message, 1, false, new int[0]),
                    0);
        }
        assertThat(out.length()).isLessThan(message.payload.length + 60 + 1000 * 4);
    }

    @Test
    void bytes_that_end_too_early_are_refused() {
        encoder.begin();
        encoder.encode(Op.RETAINED, message(new Random(2)), 0);
        byte[] bytes = out.toBytes();
        for (int length = 1; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> OpDecoder.decode(cut, target))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void a_session_keeps_its_will() {
        Properties properties =
                Properties.builder()
                        .add(Property.MESSAGE_EXPIRY_INTERVAL, 5)
                        .add(Property.CONTENT_TYPE, "text")
                        .add(Property.CORRELATION_DATA, new byte[] {1, 2})
                        .add(new UserProperty("a", "b"))
                        .build();
        Will will = new Will(Topic.of("w"), 2, true, new byte[] {9}, 4_294_967_295L, properties);
        SessionRecord record =
                new SessionRecord(-5, 1L << 60, ProtocolVersion.MQTT_5, 4_294_967_295L, 77, will);
        out.clear();
        SessionCodec.write(out, record);
        SessionRecord read = SessionCodec.read(new ByteReader(out.toBytes()), -5);

        Will again = read.will();
        assertThat(again).isNotNull();
        if (again != null) {
            assertThat(again.properties().number(Property.MESSAGE_EXPIRY_INTERVAL, 0)).isEqualTo(5);
            assertThat(again.properties().text(Property.CONTENT_TYPE)).isEqualTo("text");
            assertThat(again.properties().binary(Property.CORRELATION_DATA)).containsExactly(1, 2);
            assertThat(again.properties().userProperties())
                    .containsExactly(new UserProperty("a", "b"));
            assertThat(again.payload()).containsExactly(9);
            assertThat(again.delaySeconds()).isEqualTo(4_294_967_295L);
            assertThat(again.retain()).isTrue();
            assertThat(again.qos()).isEqualTo(2);
        }
        assertThat(read.expirySeconds()).isEqualTo(record.expirySeconds());
        assertThat(read.disconnectedAtMs()).isEqualTo(77);
        assertThat(read.generation()).isEqualTo(1L << 60);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_session_keeps_the_wills_that_it_owes(boolean alsoHasOne) {
        Will own = new Will(Topic.of("own"), 0, false, new byte[] {1}, 7, Properties.NONE);
        SessionRecord record =
                new SessionRecord(
                        -5,
                        1L << 60,
                        ProtocolVersion.MQTT_5,
                        0,
                        77,
                        alsoHasOne ? own : null,
                        List.of(
                                new Will(
                                        Topic.of("a"),
                                        1,
                                        true,
                                        new byte[] {2, 3},
                                        0,
                                        Properties.builder()
                                                .add(Property.CONTENT_TYPE, "text")
                                                .build()),
                                new Will(
                                        Topic.of("b"), 2, false, new byte[0], 9, Properties.NONE)));
        out.clear();
        SessionCodec.write(out, record);
        byte[] bytes = out.toBytes();
        SessionRecord read = SessionCodec.read(new ByteReader(bytes), -5);

        assertThat(read.will() == null).isEqualTo(!alsoHasOne);
        assertThat(read.isOver()).isTrue();
        assertThat(read.owedWills())
                .extracting(will -> will.topic().toString(), Will::qos, Will::retain)
                .containsExactly(tuple("a", 1, true), tuple("b", 2, false));
        assertThat(read.owedWills().getFirst().payload()).containsExactly(2, 3);
        assertThat(read.owedWills().getFirst().properties().text(Property.CONTENT_TYPE))
                .isEqualTo("text");
        assertThat(read.owedWills().getLast().delaySeconds()).isEqualTo(9);
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> SessionCodec.read(new ByteReader(cut), -5))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void a_session_that_owes_nothing_has_the_bytes_that_it_had_before_wills_were_owed() {
        Will will = new Will(Topic.of("w"), 2, true, new byte[] {9}, 3, Properties.NONE);
        out.clear();
        SessionCodec.write(out, new SessionRecord(-5, 6, ProtocolVersion.MQTT_5, 300, 77, will));
        assertThat(HexFormat.of().formatHex(out.toBytes()))
                .isEqualTo(
                        "05"
                                + "0000000000000006"
                                + "ac02"
                                + "4d"
                                + "0e"
                                + "0177"
                                + "0109"
                                + "0300");
        out.clear();
        SessionCodec.write(out, new SessionRecord(-5, 6, ProtocolVersion.MQTT_5, 300, 77, null));
        assertThat(HexFormat.of().formatHex(out.toBytes()))
                .isEqualTo("05" + "0000000000000006" + "ac02" + "4d" + "00");
    }
}
