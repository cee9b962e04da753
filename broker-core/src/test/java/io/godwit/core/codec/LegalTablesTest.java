package io.godwit.core.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tables 2-4 and 3-1 to 3-11 of MQTT 5.0: which property and which reason code stands where. */
class LegalTablesTest {
    private static final HexFormat HEX = HexFormat.of();

    /** Packets with a hole for the properties: P is their length and they themselves. */
    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "CONNECT, SERVER, 10 $MQTT 05 02 0000 P $c, 11 17 19 15 16 21 22 27 26",
        "WILL, SERVER, 10 $MQTT 05 06 0000 00 $c P $w -, 01 02 03 08 09 18 26",
        "CONNACK, CLIENT, 20 00 00 P," + " 11 12 13 15 16 1A 1C 1F 21 22 24 25 27 28 29 2A 26",
        "PUBLISH, CLIENT, 30 $t P, 01 02 03 08 09 0B 23 26",
        "PUBACK, SERVER, 40 0001 00 P, 1F 26",
        "PUBREC, SERVER, 50 0001 00 P, 1F 26",
        "PUBREL, SERVER, 62 0001 00 P, 1F 26",
        "PUBCOMP, SERVER, 70 0001 00 P, 1F 26",
        "SUBSCRIBE, SERVER, 82 0001 P $f 00, 0B 26",
        "SUBACK, CLIENT, 90 0001 P 00, 1F 26",
        "UNSUBSCRIBE, SERVER, A2 0001 P $f, 26",
        "UNSUBACK, CLIENT, B0 0001 P 00, 1F 26",
        "DISCONNECT, SERVER, E0 00 P, 11 1C 1F 26",
        "AUTH, CLIENT, F0 00 P, 15 16 1F 26"
    })
    void a_property_stands_where_table_2_4_has_it_and_once(
            String name, Role role, String packet, String legal) {
        // Those that are legal only beside another one bring it along.
        for (int id = 0; id < 0x80; id++) {
            String hex = HEX.toHexDigits((byte) id).toUpperCase(Locale.ROOT);
            boolean isLegal = Set.of(legal.split(" ")).contains(hex);
            String value = value(Property.of(id));
            boolean needsMethod = name.equals("AUTH") || (name.equals("CONNECT") && id == 0x16);
            String with = needsMethod ? "15 $m " : "";
            String once = (hex.equals("15") ? "" : with) + hex + " " + value;
            ReasonCode reason = decode(role, packet, once);
            String twice = decode(role, packet, once + " " + hex + " " + value) + "";
            if (!isLegal) {
                assertThat(reason).as("%s %s", name, hex).isEqualTo(ReasonCode.MALFORMED_PACKET);
                continue;
            }
            assertThat(reason).as("%s %s", name, hex).isNull();
            boolean mayRepeat = hex.equals("26") || (hex.equals("0B") && name.equals("PUBLISH"));
            assertThat(twice)
                    .as("%s %s", name, hex)
                    .isEqualTo(mayRepeat ? "null" : "PROTOCOL_ERROR");
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "CONNACK, CLIENT, 20 00 R 00,"
                + " 00 80 81 82 83 84 85 86 87 88 89 8A 8C 90 95 97 99 9A 9B 9C 9D 9F",
        "PUBACK, SERVER, 40 0001 R, 00 10 80 83 87 90 91 97 99",
        "PUBREC, SERVER, 50 0001 R, 00 10 80 83 87 90 91 97 99",
        "PUBREL, SERVER, 62 0001 R, 00 92",
        "PUBCOMP, SERVER, 70 0001 R, 00 92",
        "SUBACK, CLIENT, 90 0001 00 R, 00 01 02 80 83 87 8F 91 97 9E A1 A2",
        "UNSUBACK, CLIENT, B0 0001 00 R, 00 11 80 83 87 8F 91",
        "DISCONNECT, SERVER, E0 R, 00 04 80 81 82 83 90 93 94 95 96 97 98 99",
        "DISCONNECT, CLIENT, E0 R, 00 80 81 82 83 87 89 8B 8D 8E 8F 90 93 94 95 96 97 98 99"
                + " 9A 9B 9C 9D 9E 9F A0 A1 A2",
        "AUTH, SERVER, F0 R 04 15 $m, 18 19",
        "AUTH, CLIENT, F0 R 04 15 $m, 00 18"
    })
    void a_packet_carries_the_reason_codes_of_its_table(
            String name, Role role, String packet, String legal) {
        Set<String> taken = new TreeSet<>();
        for (int code = 0; code < 256; code++) {
            String hex = HEX.toHexDigits((byte) code).toUpperCase(Locale.ROOT);
            ReasonCode reason = decode(role, packet.replace("R", hex), "");
            assertThat(reason).isIn(null, ReasonCode.PROTOCOL_ERROR);
            if (reason == null) {
                taken.add(hex);
            }
        }
        assertThat(taken).isEqualTo(new TreeSet<>(Set.of(legal.split(" "))));
    }

    @ParameterizedTest
    @EnumSource(
            value = ProtocolVersion.class,
            names = {"MQTT_3_1", "MQTT_3_1_1"})
    void a_suback_of_3x_grants_or_says_0x80(ProtocolVersion version) {
        for (int code = 0; code < 256; code++) {
            String packet = "90 0001 " + HEX.toHexDigits((byte) code);
            InboundState state = new InboundState(100);
            state.version = version;
            PacketDecoder decoder = new PacketDecoder(Role.CLIENT, 2);
            var decoding =
                    assertThatCode(
                            () -> decoder.decode(Bytes.packet(packet), state, new RecordingSink()));
            if (code <= 2 || code == 0x80) {
                decoding.doesNotThrowAnyException();
            } else {
                decoding.isInstanceOf(ProtocolViolation.class);
            }
        }
    }

    private static String value(@Nullable Property property) {
        if (property == null) {
            return "01";
        }
        return switch (property.type()) {
            case BYTE, VARINT -> "01";
            case TWO_BYTES -> "0001";
            case FOUR_BYTES -> "00000001";
            case STRING -> "$s";
            case BINARY -> "0001 FF";
            case STRING_PAIR -> "$n $v";
        };
    }

    private static @Nullable ReasonCode decode(Role role, String packet, String properties) {
        int length = properties.isEmpty() ? 0 : Bytes.raw(properties).readableBytes();
        String filled =
                packet.replace(" P", " " + HEX.toHexDigits((byte) length) + " " + properties);
        InboundState state = new InboundState(1 << 20);
        state.version = filled.startsWith("10") ? null : ProtocolVersion.MQTT_5;
        RecordingSink sink = new RecordingSink();
        try {
            new PacketDecoder(role, 2).decode(Bytes.packet(filled.strip()), state, sink);
        } catch (ProtocolViolation violation) {
            return violation.reason();
        }
        assertThat(sink.packets).hasSize(1);
        return null;
    }
}
