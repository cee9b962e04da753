package io.godwit.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.id.SessionKey;
import io.godwit.core.message.CameBefore;
import io.godwit.core.message.Coverage;
import io.godwit.core.message.QueueHandle;
import io.godwit.core.message.Remembered;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.Receiver;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bytes that the journal keeps and other nodes get: what is written here stays so. */
class PartBytesTest extends PartFixture {
    private void one(Op op, Object subject, int packetId, String queueTable, String bytes) {
        encoder.begin();
        encoder.encode(op, subject, packetId);
        assertThat(body()).as("%s", op).isEqualTo("000007" + queueTable + bytes);
    }

    @Test
    void each_operation_has_the_bytes_that_other_versions_know() {
        QueueHandle queue = queue(0x0700_0000_0000_0001L);
        queue.epoch = 5;
        queue.writtenClock = CLOCK - 1;
        queue.writtenServer = LEADER;
        String table = "01" + "0700000000000001" + "05";
        String message = "01" + "000007" + "03" + "ac02" + "0174" + "0178";
        encoder.begin();
        encoder.encode(Op.REMOVE, new Entry(queue.queueId, id(CLOCK), null, 1), 0);
        String firstId = body().substring("000007".length() + table.length() + 6);
        assertThat(firstId).hasSizeBetween(16, 18);

        Entry entry = new Entry(queue.queueId, id(CLOCK), message("x", 1, null), 1, 9);
        one(
                Op.APPEND,
                entry,
                0,
                table,
                "01"
                        + length("00" + "14" + firstId + "02" + "0109" + message)
                        + "00"
                        + "14"
                        + firstId
                        + "02"
                        + "0109"
                        + message);
        String sentAtOnce = "00" + "34" + firstId + "00" + "0109" + message + "ac02";
        one(Op.APPEND, entry, 300, table, "01" + length(sentAtOnce) + sentAtOnce);
        one(
                Op.IN_FLIGHT,
                entry,
                300,
                table,
                "02" + length("00" + firstId + "ac02") + "00" + firstId + "ac02");
        one(
                Op.RELEASED,
                entry,
                1,
                table,
                "03" + length("00" + firstId + "01") + "00" + firstId + "01");
        one(Op.REMOVE, entry, 0, table, "04" + length("00" + firstId) + "00" + firstId);
        one(
                Op.ROW_GONE,
                new Subject.RowGone(queue.queueId, CLOCK, LEADER),
                0,
                table,
                "05" + length("00" + firstId) + "00" + firstId);
        Receiver to = new Receiver(new SessionKey(2, new HybridId(3, 4)), ClientId.of("member"));
        String receiver =
                "0000000000000002" + "0000000000000003" + "000004" + "02" + "06" + "6d656d626572";
        String inFlightTo = "00" + firstId + "01" + receiver;
        one(
                Op.IN_FLIGHT_TO,
                new Subject.InFlightTo(entry, to),
                1,
                table,
                "06" + longLength(inFlightTo) + inFlightTo);
        String got = "00" + firstId + "02" + "000007" + "03" + "ac02";
        one(
                Op.GOT,
                new Subject.Got(queue.queueId, CLOCK, LEADER, 2, LEADER, IngressId.counter(3, 300)),
                0,
                table,
                "07" + length(got) + got);
        one(
                Op.GOT_GONE,
                new Subject.GotGone(queue.queueId, CLOCK, LEADER),
                0,
                table,
                "08" + length("00" + firstId) + "00" + firstId);
        Inbound inbound = new Inbound(queue.queueId, 2, LEADER, IngressId.counter(3, 300));
        one(Op.INBOUND, inbound, 0, table, "0a" + "08" + "00" + "02" + "000007" + "03" + "ac02");
        one(Op.INBOUND_TAKEN, inbound, 0, table, "0b080002" + "000007" + "03" + "ac02");
        one(Op.INBOUND_GONE, inbound, 0, table, "0c080002" + "000007" + "03" + "ac02");
        Remembered ingress =
                new Remembered(queue.queueId, CLOCK, LEADER, 9, IngressId.counter(3, 300));
        String remembered = "00" + firstId + "000009" + "03" + "ac02";
        one(Op.REMEMBERED, ingress, 0, table, "0d" + length(remembered) + remembered);
        one(Op.FORGOTTEN, ingress, 0, table, "0e" + length("00" + firstId) + "00" + firstId);
        String stamp = "0000000000000010" + "000007";
        HybridId at = id(16);
        one(Op.SESSION_GONE, new Subject.OfQueue(queue.queueId, at), 0, table, "150c00" + stamp);
        one(Op.GROUP_GONE, new Subject.OfQueue(queue.queueId, at), 0, table, "190c00" + stamp);
        TopicFilter filter = TopicFilter.of("f");
        one(
                Op.SUBSCRIPTION,
                new Subject.SubscriptionPut(
                        queue.queueId, filter, 2, true, true, new int[] {1}, at),
                0,
                table,
                "16" + "91808000" + "00" + "0166" + stamp + "0e" + "0101");
        one(
                Op.SUBSCRIPTION,
                new Subject.SubscriptionPut(
                        queue.queueId,
                        filter,
                        2,
                        true,
                        true,
                        new int[] {1},
                        at,
                        new CameBefore.Builder().add(9, 3, 2, 300).build()),
                0,
                table,
                "16"
                        + "99808000"
                        + "00"
                        + "0166"
                        + stamp
                        + "1e"
                        + "0101"
                        + "01"
                        + "000009"
                        + "03"
                        + "02"
                        + "ac02");
        one(
                Op.SUBSCRIPTION_GONE,
                new Subject.SubscriptionGone(queue.queueId, filter, at),
                0,
                table,
                "170e00" + "0166" + stamp);
        one(
                Op.PRECEDED_BY,
                new Subject.PrecededBy(queue.queueId, 258),
                0,
                table,
                "1b09" + "00" + "0000000000000102");
        one(Op.GROUP, new Subject.GroupPut(filter, 3, queue.queueId), 0, table, "180400030166");
        one(
                Op.RETAINED,
                new Subject.RetainedPut(message("x", 1, ClientId.of("p")), at),
                0,
                "00",
                "28"
                        + "98808000"
                        + stamp
                        + "21"
                        + "000007"
                        + "03"
                        + "ac02"
                        + "0174"
                        + "0170"
                        + "0178");
        one(
                Op.RETAINED_GONE,
                new Subject.RetainedGone(Topic.of("t"), at),
                0,
                "00",
                "290d" + stamp + "0174");
        one(Op.CLOCK, 16L, 0, "00", "3208" + "0000000000000010");
        one(Op.QUEUE_IDS, 300L, 0, "00", "3302" + "ac02");
        one(Op.STREAM, new Subject.StreamAt(9, 2, 300), 0, "00", "3406" + "000009" + "02" + "ac02");
    }

    /** The length of an operation that leaves four bytes for it. */
    private static String longLength(String hex) {
        return String.format("%02x808000", hex.length() / 2 | 0x80);
    }

    private static String length(String hex) {
        return String.format("%02x", hex.length() / 2);
    }

    @Test
    void a_range_of_a_copy_has_these_bytes_and_needs_the_format_that_brought_it() {
        Coverage coverage = new Coverage();
        coverage.add(7, 15, 17);
        HybridId above = new HybridId(16, 7);
        HybridId upTo = new HybridId(17, 9);
        String intervals = "01" + "000007" + "01" + "000000000000000f" + "02";
        String fields = "00" + "02" + hex(above) + hex(upTo) + intervals;
        Subject.CopyRange range =
                new Subject.CopyRange(5, above, upTo, false, false, HybridId.NONE, coverage);
        one(
                Op.COPY_RANGE,
                range,
                0,
                "01" + "0000000000000005" + "00",
                "1c" + longLength(fields) + fields);
        assertThat(encoder.format()).isEqualTo(4);
        String gone = "00" + "0d" + "00";
        one(
                Op.COPY_RANGE,
                Subject.CopyRange.gone(5, HybridId.NONE),
                0,
                "01" + "0000000000000005" + "00",
                "1c" + longLength(gone) + gone);
        PartDecoder in = decoder();
        assertThat(in.next()).isTrue();
        assertThat(in.subject).isEqualTo(Subject.CopyRange.gone(5, HybridId.NONE));
        assertThat(in.format()).isEqualTo(4);
    }

    @Test
    void a_range_of_a_copy_says_when_its_queue_has_ended() {
        HybridId ended = new HybridId(16, 7);
        String fields = "00" + "1d" + hex(ended) + "00";
        one(
                Op.COPY_RANGE,
                Subject.CopyRange.gone(5, ended),
                0,
                "01" + "0000000000000005" + "00",
                "1c" + longLength(fields) + fields);
        PartDecoder in = decoder();
        assertThat(in.next()).isTrue();
        assertThat(in.subject).isEqualTo(Subject.CopyRange.gone(5, ended));
    }

    private static String hex(HybridId id) {
        return String.format("%016x%06x", id.clock(), id.server());
    }

    @Test
    void a_record_has_parts_and_each_says_how_long_it_is() {
        encoder.begin();
        encoder.encode(Op.QUEUE_IDS, 1L, 0);
        ByteWriter record = new ByteWriter(16);
        Part.writeOwn(record, 2, List.of(new Part.Member(9, 300)), encoder);
        Part.writeLocal(record, encoder);
        byte[] body = HexFormat.of().parseHex("000007" + "00" + "330101");
        Part.writeForeign(record, new Subject.ForeignPart(9, 4, 300, body, 2));
        assertThat(HexFormat.of().formatHex(record.toBytes()))
                .isEqualTo(
                        "01"
                                + "02"
                                + "8e808000"
                                + "02"
                                + "01"
                                + "000009"
                                + "ac02"
                                + "000007"
                                + "00"
                                + "330101"
                                + "03"
                                + "02"
                                + "87808000"
                                + "000007"
                                + "00"
                                + "330101"
                                + "02"
                                + "02"
                                + "8d808000"
                                + "000009"
                                + "04"
                                + "ac02"
                                + "000007"
                                + "00"
                                + "330101");
        List<Part> parts = Part.of(record.toBytes());
        assertThat(parts)
                .extracting(Part::kind)
                .containsExactly(Part.Kind.OWN, Part.Kind.LOCAL, Part.Kind.FOREIGN);
        assertThat(parts.get(0).replicaSet()).isEqualTo(2);
        assertThat(parts.get(0).members()).containsExactly(new Part.Member(9, 300));
        assertThat(parts.get(2).start()).isEqualTo(4);
        assertThat(parts.get(2).position()).isEqualTo(300);
        for (Part each : parts) {
            PartDecoder in = each.decode();
            assertThat(in.next()).isTrue();
            assertThat(in.op).isEqualTo(Op.QUEUE_IDS);
            assertThat(in.next()).isFalse();
        }
    }

    @Test
    void what_a_later_version_has_added_is_skipped() {
        byte[] body =
                HexFormat.of()
                        .parseHex("000007" + "00" + "3f" + "02" + "abcd" + "33" + "03" + "05ffff");
        PartDecoder in = new PartDecoder(body, 0, body.length);
        assertThat(in.next()).isTrue();
        assertThat(in.op).isEqualTo(Op.QUEUE_IDS);
        assertThat(in.subject).isEqualTo(5L);
        assertThat(in.next()).isFalse();
        assertThat(in.unknown).isEqualTo(1);

        byte[] unknownKind = HexFormat.of().parseHex("09" + "01" + "02" + "ffff");
        assertThat(Part.of(unknownKind)).isEmpty();
        for (String format : List.of("01", "05")) {
            byte[] other = HexFormat.of().parseHex("03" + format + "04" + "00000700");
            assertThatThrownBy(() -> Part.of(other)).isInstanceOf(Part.UnknownFormat.class);
        }
    }

    @Test
    void a_part_says_the_oldest_version_that_can_read_it() {
        Entry entry = new Entry(5, id(CLOCK), message("x", 1, null), 1);
        encoder.begin();
        encoder.encode(Op.APPEND, entry, 0);
        encoder.encode(Op.IN_FLIGHT, entry, 300);
        assertThat(formatOfPart()).isEqualTo(2);

        encoder.begin();
        encoder.encode(Op.APPEND, entry, 300);
        assertThat(formatOfPart()).isEqualTo(3);

        encoder.begin();
        Entry released = new Entry(5, id(CLOCK), null, 2);
        released.packetId = 300;
        encoder.encode(Op.APPEND, released, 300);
        assertThat(formatOfPart()).isEqualTo(2);
    }

    private int formatOfPart() {
        ByteWriter record = new ByteWriter(16);
        Part.writeOwn(record, 0, List.of(), encoder);
        assertThat(Part.of(record.toBytes())).hasSize(1);
        return record.toBytes()[1];
    }
}
