package io.godwit.core.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.UserProperty;
import io.godwit.core.packet.Will;
import io.godwit.core.store.KeptWill;
import io.godwit.core.store.SessionRecord;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The record of a session: its bytes stay so. */
class SessionCodecTest {
    @Test
    void a_session_keeps_its_will_and_those_that_it_owes_with_the_ingress_ids_of_their_connects() {
        Properties properties =
                Properties.builder()
                        .add(Property.MESSAGE_EXPIRY_INTERVAL, 5)
                        .add(Property.CONTENT_TYPE, "text")
                        .add(Property.CORRELATION_DATA, new byte[] {1, 2})
                        .add(new UserProperty("a", "b"))
                        .build();
        Will will = new Will(Topic.of("w"), 2, true, new byte[] {9}, 4_294_967_295L, properties);
        SessionRecord record =
                new SessionRecord(
                        -5,
                        new HybridId(1L << 60, 8),
                        new HybridId(2, 7),
                        new Epoch(Epoch.number(1, 3), 7),
                        ProtocolVersion.MQTT_5,
                        4_294_967_295L,
                        77,
                        new KeptWill(will, new IngressId(7, IngressId.counter(3, 4))),
                        List.of(
                                new KeptWill(
                                        new Will(
                                                Topic.of("o"),
                                                1,
                                                true,
                                                new byte[] {8},
                                                2,
                                                Properties.NONE),
                                        new IngressId(9, IngressId.counter(1, 2)))));
        ByteWriter out = new ByteWriter(16);
        SessionCodec.write(out, record);
        assertThat(HexFormat.of().formatHex(out.toBytes()))
                .isEqualTo(
                        "05"
                                + "1000000000000000"
                                + "000008"
                                + "0000000000000002"
                                + "000007"
                                + "838010"
                                + "000007"
                                + "ffffffff0f"
                                + "4d"
                                + "1e"
                                + "000007"
                                + "03"
                                + "04"
                                + "0177"
                                + "0109"
                                + "ffffffff0f"
                                + "04"
                                + "02"
                                + "05"
                                + "03"
                                + "0474657874"
                                + "09"
                                + "020102"
                                + "26"
                                + "0161"
                                + "0162"
                                + "01"
                                + "0d"
                                + "000009"
                                + "01"
                                + "02"
                                + "016f"
                                + "0108"
                                + "02"
                                + "00");
        SessionRecord read = SessionCodec.read(new ByteReader(out.toBytes()), -5);
        KeptWill kept = read.will();
        assertThat(kept).isNotNull();
        if (kept != null) {
            Will again = kept.will();
            assertThat(kept.ingress()).isEqualTo(new IngressId(7, IngressId.counter(3, 4)));
            assertThat(again.properties().number(Property.MESSAGE_EXPIRY_INTERVAL, 0)).isEqualTo(5);
            assertThat(again.properties().text(Property.CONTENT_TYPE)).isEqualTo("text");
            assertThat(again.properties().userProperties())
                    .containsExactly(new UserProperty("a", "b"));
            assertThat(again.payload()).containsExactly(9);
            assertThat(again.delaySeconds()).isEqualTo(4_294_967_295L);
        }
        assertThat(read.generation()).isEqualTo(record.generation());
        assertThat(read.stamp()).isEqualTo(record.stamp());
        assertThat(read.epoch()).isEqualTo(record.epoch());
        KeptWill owed = read.owedWills().getFirst();
        assertThat(owed.ingress()).isEqualTo(new IngressId(9, IngressId.counter(1, 2)));
        assertThat(owed.will().topic()).hasToString("o");
        assertThat(owed.will().qos()).isEqualTo(1);
        assertThat(owed.will().retain()).isTrue();
        assertThat(owed.will().payload()).containsExactly(8);
        assertThat(read.disconnectedAtMs()).isEqualTo(77);
    }

    @Test
    void a_record_keeps_that_its_session_is_set_aside() {
        SessionRecord record =
                new SessionRecord(
                        5,
                        new HybridId(1, 8),
                        new HybridId(2, 7),
                        new Epoch(3, 7),
                        ProtocolVersion.MQTT_5,
                        60,
                        0,
                        null,
                        List.of(),
                        true,
                        null);
        ByteWriter out = new ByteWriter(16);
        SessionCodec.write(out, record);
        assertThat(HexFormat.of().formatHex(out.toBytes()))
                .isEqualTo(
                        ("05" + "0000000000000001000008" + "0000000000000002000007")
                                + ("03" + "000007" + "3c" + "00" + "20"));
        assertThat(SessionCodec.read(new ByteReader(out.toBytes()), 5)).isEqualTo(record);
    }

    @Test
    void a_record_keeps_whose_its_session_is() {
        SessionRecord record =
                new SessionRecord(
                        5,
                        new HybridId(1, 8),
                        new HybridId(2, 7),
                        new Epoch(3, 7),
                        ProtocolVersion.MQTT_5,
                        60,
                        0,
                        null,
                        List.of(),
                        false,
                        "ann\u00e9");
        ByteWriter out = new ByteWriter(16);
        SessionCodec.write(out, record);
        assertThat(HexFormat.of().formatHex(out.toBytes()))
                .isEqualTo(
                        ("05" + "0000000000000001000008" + "0000000000000002000007")
                                + ("03" + "000007" + "3c" + "00" + "40" + "05" + "616e6ec3a9"));
        assertThat(SessionCodec.read(new ByteReader(out.toBytes()), 5)).isEqualTo(record);
    }
}
