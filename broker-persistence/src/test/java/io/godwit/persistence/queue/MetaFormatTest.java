package io.godwit.persistence.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.Coverage;
import io.godwit.core.message.Remembered;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.CoverageCodec;
import io.godwit.core.operation.Subject;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.packet.Will;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.KeptWill;
import io.godwit.core.store.SessionRecord;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.journal.QueueHandles;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The bytes of records, as every version of this format has them. */
class MetaFormatTest {
    private static final long QUEUE = 0x0000_0700_0000_0001L;
    private static final String QUEUE_HEX = "0000070000000001";
    private static final HybridId STAMP = new HybridId(3, 4);
    private static final String STAMP_HEX = "0000000000000003" + "000004";
    private static final long COUNTER = IngressId.counter(3, 300);
    private static final String INGRESS = "000007" + "03" + "ac02";

    private final Batch batch = new Batch();
    private final MetaWriter meta = new MetaWriter();

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    /** What the batch puts, key = value; "deleted" for a deletion. */
    private Map<String, String> written() {
        Map<String, String> all = new TreeMap<>();
        Batch.read(
                batch.toBytes(),
                new Batch.Visitor() {
                    @Override
                    public void put(Family family, byte[] key, byte[] value) {
                        all.put(family + " " + hex(key), hex(value));
                    }

                    @Override
                    public void delete(Family family, byte[] key) {
                        all.put(family + " " + hex(key), "deleted");
                    }
                });
        batch.clear();
        return all;
    }

    @Test
    void a_session_without_a_will_and_with_one() {
        SessionRecord plain =
                new SessionRecord(
                        QUEUE,
                        STAMP,
                        new HybridId(5, 6),
                        new Epoch(300, 7),
                        ProtocolVersion.MQTT_5,
                        3600,
                        0,
                        null,
                        List.of());
        String head =
                "0163"
                        + "05"
                        + STAMP_HEX
                        + "0000000000000005"
                        + "000006"
                        + "ac02"
                        + "000007"
                        + "901c"
                        + "00";
        meta.session(batch, new Subject.SessionPut(ClientId.of("c"), plain));
        assertThat(written()).containsExactly(Map.entry("META 53" + QUEUE_HEX, head + "00"));

        SessionRecord withWill =
                new SessionRecord(
                        QUEUE,
                        STAMP,
                        new HybridId(5, 6),
                        new Epoch(300, 7),
                        ProtocolVersion.MQTT_5,
                        3600,
                        0,
                        new KeptWill(
                                new Will(
                                        Topic.of("w"),
                                        2,
                                        true,
                                        new byte[] {'x'},
                                        300,
                                        Properties.builder()
                                                .add(Property.PAYLOAD_FORMAT_INDICATOR, 1)
                                                .build()),
                                new IngressId(7, COUNTER)),
                        List.of());
        meta.session(batch, new Subject.SessionPut(ClientId.of("c"), withWill));
        assertThat(written().values())
                .containsExactly(
                        head + "0e" + INGRESS + "0177" + "0178" + "ac02" + "01" + "01" + "01");
    }

    @Test
    void session_that_is_set_aside_has_bit_5_of_its_flags() {
        SessionRecord aside =
                new SessionRecord(
                        QUEUE,
                        STAMP,
                        new HybridId(5, 6),
                        new Epoch(300, 7),
                        ProtocolVersion.MQTT_5,
                        3600,
                        1,
                        null,
                        List.of(),
                        true,
                        null);
        meta.session(batch, new Subject.SessionPut(ClientId.of("c"), aside));
        assertThat(written().values())
                .containsExactly(
                        "0163"
                                + "05"
                                + STAMP_HEX
                                + "0000000000000005"
                                + "000006"
                                + "ac02"
                                + "000007"
                                + "901c"
                                + "01"
                                + "20");
    }

    @Test
    void subscriptions_and_groups() {
        meta.subscription(
                batch,
                new Subject.SubscriptionPut(
                        QUEUE, TopicFilter.of("t"), 2, true, true, new int[] {9, 300}, STAMP));
        meta.subscription(
                batch,
                new Subject.SubscriptionPut(
                        QUEUE, TopicFilter.of("u"), 1, false, false, new int[0], STAMP));
        meta.group(batch, new Subject.GroupPut(TopicFilter.of("$share/g/t"), 5, QUEUE));
        Map<String, String> all = written();
        String options = all.get("META 42" + QUEUE_HEX + "74");
        assertThat(options).isEqualTo(STAMP_HEX + "0e" + "02" + "09" + "ac02");
        assertThat(all)
                .containsEntry("META 42" + QUEUE_HEX + "75", STAMP_HEX + "01" + "00")
                .containsEntry("META 47" + QUEUE_HEX, "05" + "2473686172652f672f74")
                .hasSize(3);
    }

    @Test
    void inbound_publishes() {
        String key = "META 49" + QUEUE_HEX + "012c";
        Inbound inbound = new Inbound(QUEUE, 300, 7, COUNTER);
        Inbounds.put(batch, inbound);
        assertThat(written()).containsExactly(Map.entry(key, INGRESS + "00"));
        Inbounds.taken(batch, inbound);
        assertThat(written()).containsExactly(Map.entry(key, INGRESS + "01"));
        byte[] keyBytes = HexFormat.of().parseHex(key.substring("META ".length()));
        Inbound read = Inbounds.read(keyBytes, HexFormat.of().parseHex(INGRESS + "01"));
        assertThat(read.queueId).isEqualTo(QUEUE);
        assertThat(read.packetId).isEqualTo(300);
        assertThat(read.ingressServer).isEqualTo(7);
        assertThat(read.ingressCounter).isEqualTo(COUNTER);
        assertThat(read.taken).isTrue();
        Inbounds.gone(batch, inbound);
        assertThat(written()).containsExactly(Map.entry(key, "deleted"));
    }

    @Test
    void what_a_queue_remembers() {
        IngressRows rows = new IngressRows();
        Remembered each = new Remembered(QUEUE, 0x0102_0304_0506_0708L, 9, 7, COUNTER);
        rows.put(batch, each);
        String key = "META 52" + QUEUE_HEX + "0102030405060708" + "000009";
        assertThat(written()).containsExactly(Map.entry(key, INGRESS));
        byte[] keyBytes = HexFormat.of().parseHex(key.substring("META ".length()));
        KeptIngress read = IngressRows.of(keyBytes, HexFormat.of().parseHex(INGRESS));
        assertThat(read.id()).isEqualTo(new HybridId(0x0102_0304_0506_0708L, 9));
        assertThat(read.ingress()).isEqualTo(new IngressId(7, COUNTER));
        rows.put(batch, each);
        assertThat(written()).as("once").isEmpty();
        rows.delete(batch, each);
        assertThat(written()).containsExactly(Map.entry(key, "deleted"));
        assertThat(rows.find(QUEUE)).isNull();
    }

    @Test
    void predecessors() {
        QueueRecords records = new QueueRecords(new QueueHandles());
        records.put(batch, new Subject.PrecededBy(QUEUE, 258));
        String before = "META 45" + QUEUE_HEX;
        assertThat(written()).containsExactly(Map.entry(before, "0000000000000102"));
        assertThat(records.predecessor(QUEUE)).isEqualTo(258);
        records.gone(batch, 258);
        assertThat(written()).containsExactly(Map.entry(before, "deleted"));
        assertThat(records.predecessor(QUEUE)).isZero();
    }

    @Test
    void ceilings_streams_and_what_is_gone() {
        meta.queueIds(batch, 300);
        meta.stream(batch, new Subject.StreamAt(9, 3, 300));
        meta.queueGone(batch, QUEUE);
        assertThat(written())
                .containsEntry("META " + hex(Keys.QUEUE_IDS), "ac02")
                .containsEntry("META 54" + "000009", "03" + "ac02")
                .containsEntry("META 53" + QUEUE_HEX, "deleted")
                .containsEntry("META 47" + QUEUE_HEX, "deleted")
                .containsEntry("META 50" + QUEUE_HEX, "");
    }

    @Test
    void coverage() {
        Coverage coverage = new Coverage();
        coverage.add(7, 10, 20);
        coverage.add(7, 25, 325);
        coverage.add(9, 1, 2);
        ByteWriter out = new ByteWriter(16);
        CoverageCodec.write(out, coverage);
        assertThat(hex(out.toBytes()))
                .isEqualTo(
                        "02"
                                + "000007"
                                + "02"
                                + "000000000000000a"
                                + "0a"
                                + "0000000000000019"
                                + "ac02"
                                + "000009"
                                + "01"
                                + "0000000000000001"
                                + "01");
    }
}
