package io.godwit.core.codec;

import static io.godwit.core.codec.PacketRefusalTest.Row.row;
import static io.godwit.core.packet.ProtocolVersion.MQTT_3_1;
import static io.godwit.core.packet.ProtocolVersion.MQTT_3_1_1;
import static io.godwit.core.packet.ProtocolVersion.MQTT_5;
import static io.godwit.core.packet.ReasonCode.CLIENT_IDENTIFIER_NOT_VALID;
import static io.godwit.core.packet.ReasonCode.MALFORMED_PACKET;
import static io.godwit.core.packet.ReasonCode.PAYLOAD_FORMAT_INVALID;
import static io.godwit.core.packet.ReasonCode.PROTOCOL_ERROR;
import static io.godwit.core.packet.ReasonCode.TOPIC_ALIAS_INVALID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.netty.buffer.ByteBuf;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is refused, and with which reason code; the good variant of each is taken first. */
class PacketRefusalTest {
    private static final Set<ProtocolVersion> V5 = EnumSet.of(MQTT_5);
    private static final Set<ProtocolVersion> V311 = EnumSet.of(MQTT_3_1_1);
    private static final Set<ProtocolVersion> V3X = EnumSet.of(MQTT_3_1, MQTT_3_1_1);
    private static final Set<ProtocolVersion> V311_AND_5 = EnumSet.of(MQTT_3_1_1, MQTT_5);
    private static final Set<ProtocolVersion> ALL = EnumSet.allOf(ProtocolVersion.class);
    private static final Set<ProtocolVersion> NO_CONNECT_YET = Set.of();

    /**
     * @param versions those in which both variants are tried
     * @param good decoded without complaint
     * @param bad refused
     */
    record Row(
            Role role, Set<ProtocolVersion> versions, String good, String bad, ReasonCode reason) {
        static Row row(
                Role role,
                Set<ProtocolVersion> versions,
                String good,
                String bad,
                ReasonCode reason) {
            return new Row(role, versions, good, bad, reason);
        }
    }

    private static List<Row> rows() {
        return List.of(
                // fixed header
                server(ALL, "C0", "C1", MALFORMED_PACKET),
                server(ALL, "C0", "C0 00", MALFORMED_PACKET),
                server(ALL, "C0", "00", MALFORMED_PACKET),
                server(V3X, "C0", "F0", MALFORMED_PACKET),
                server(V5, "F0 18 04 15 $m", "F1 18 04 15 $m", MALFORMED_PACKET),
                server(ALL, "40 0001", "41 0001", MALFORMED_PACKET),
                server(ALL, "50 0001", "52 0001", MALFORMED_PACKET),
                server(ALL, "62 0001", "60 0001", MALFORMED_PACKET),
                server(V311_AND_5, "62 0001", "6A 0001", MALFORMED_PACKET),
                server(ALL, "70 0001", "78 0001", MALFORMED_PACKET),
                server(V3X, "82 0001 $a 00", "80 0001 $a 00", MALFORMED_PACKET),
                server(V3X, "A2 0001 $a", "A0 0001 $a", MALFORMED_PACKET),
                server(V5, "82 0001 00 $a 00", "83 0001 00 $a 00", MALFORMED_PACKET),
                server(V5, "A2 0001 00 $a", "A3 0001 00 $a", MALFORMED_PACKET),
                server(ALL, "E0", "E1", MALFORMED_PACKET),
                // packets of the other side
                server(ALL, "C0", "D0", PROTOCOL_ERROR),
                server(ALL, "C0", "20 00 00", PROTOCOL_ERROR),
                server(ALL, "C0", "90 0001 00", PROTOCOL_ERROR),
                server(ALL, "C0", "B0 0001", PROTOCOL_ERROR),
                server(ALL, "C0", "10 $MQTT 04 02 0000 $c", PROTOCOL_ERROR),
                client(ALL, "D0", "C0", PROTOCOL_ERROR),
                client(ALL, "D0", "82 0001 $a 00", PROTOCOL_ERROR),
                client(ALL, "D0", "A2 0001 $a", PROTOCOL_ERROR),
                client(V3X, "D0", "E0", PROTOCOL_ERROR),
                // PUBLISH
                server(V3X, "30 $a 'xy", "36 $a 0001", MALFORMED_PACKET),
                server(V5, "30 $a 00 'xy", "36 $a 0001 00", MALFORMED_PACKET),
                server(V3X, "3A $a 0001", "38 $a", MALFORMED_PACKET),
                server(V5, "3A $a 0001 00", "38 $a 00", MALFORMED_PACKET),
                server(V3X, "30 $a", "30 -", PROTOCOL_ERROR),
                server(V5, "30 - 03 23 0001", "30 - 00", PROTOCOL_ERROR),
                server(V5, "30 $a 00", "30 $a", MALFORMED_PACKET),
                server(V3X, "30 $a", "30 00", MALFORMED_PACKET),
                server(V3X, "30 $a", "30 0002 'a", MALFORMED_PACKET),
                server(V3X, "32 $a 0001", "32 $a 00", MALFORMED_PACKET),
                server(V3X, "32 $a 0001", "32 $a 0000", PROTOCOL_ERROR),
                server(V5, "34 $a 0001 00", "34 $a 0000 00", PROTOCOL_ERROR),
                server(V3X, "30 $a/b", "30 $a/+", MALFORMED_PACKET),
                server(V5, "30 $a/b 00", "30 $a/# 00", MALFORMED_PACKET),
                server(V5, "30 $a/b 00", "30 $+ 00", MALFORMED_PACKET),
                server(V3X, "30 0003 E282AC", "30 0003 E28228", MALFORMED_PACKET),
                server(V5, "30 0003 E282AC 00", "30 0003 EDA080 00", MALFORMED_PACKET),
                server(V5, "30 0003 616263 00", "30 0003 610063 00", MALFORMED_PACKET),
                server(V5, "30 $a 02 01 01", "30 $a 02 01 02", PROTOCOL_ERROR),
                server(V5, "30 $a 03 23 0001", "30 $a 03 23 0000", TOPIC_ALIAS_INVALID),
                server(V5, "30 $a 02 01 01", "30 $a 02 0B 01", PROTOCOL_ERROR),
                server(V5, "30 $a 02 01 01", "30 $a 02 01", MALFORMED_PACKET),
                server(V5, "30 $a 05 02 00000001", "30 $a 05 02 000001", MALFORMED_PACKET),
                server(V5, "30 $a 05 02 00000001", "30 $a 04 02 00000001", MALFORMED_PACKET),
                server(V5, "30 $a 04 08 $r", "30 $a 04 08 $#", MALFORMED_PACKET),
                server(V5, "30 $a 04 08 $r", "30 $a 03 08 -", MALFORMED_PACKET),
                server(V5, "30 $a 04 03 $r", "30 $a 04 03 0001 FF", MALFORMED_PACKET),
                server(V5, "30 $a 04 09 0001 FF", "30 $a 04 09 0002 FF", MALFORMED_PACKET),
                server(V5, "30 $a 07 26 $n $v", "30 $a 07 26 $n 0001 80", MALFORMED_PACKET),
                server(V5, "30 $a 07 26 $n $v", "30 $a 07 26 0001 00 $v", MALFORMED_PACKET),
                server(V5, "30 $a 02 01 01", "30 $a 8200 01 01", MALFORMED_PACKET),
                server(V5, "30 $a 02 01 01", "30 $a 03 8100 01", MALFORMED_PACKET),
                client(V5, "30 $a 02 0B 01", "30 $a 02 0B 00", PROTOCOL_ERROR),
                client(V5, "30 $a 04 0B 01 0B 01", "30 $a 03 0B 8100", MALFORMED_PACKET),
                // acknowledgements
                server(V3X, "40 0001", "40 0001 00", MALFORMED_PACKET),
                server(ALL, "40 0001", "40 01", MALFORMED_PACKET),
                server(ALL, "40 0001", "40 0000", PROTOCOL_ERROR),
                server(ALL, "50 0001", "50 0000", PROTOCOL_ERROR),
                server(ALL, "62 0001", "62 0000", PROTOCOL_ERROR),
                server(ALL, "70 0001", "70 0000", PROTOCOL_ERROR),
                server(V5, "40 0001 00 00", "40 0001 00 00 00", MALFORMED_PACKET),
                server(V5, "40 0001 00 00", "40 0001 00 01", MALFORMED_PACKET),
                server(V5, "40 0001 80 04 1F $x", "40 0001 80 04 12 $x", MALFORMED_PACKET),
                server(V5, "62 0001 00 04 1F $x", "62 0001 00 08 1F $x 1F $x", PROTOCOL_ERROR),
                // SUBSCRIBE
                server(V3X, "82 0001 $a 02", "82 0000 $a 02", PROTOCOL_ERROR),
                server(V3X, "82 0001 $a 02", "82 0001", PROTOCOL_ERROR),
                server(V3X, "82 0001 $a 02", "82 0001 $a 03", MALFORMED_PACKET),
                server(V3X, "82 0001 $a 02", "82 0001 $a 04", MALFORMED_PACKET),
                server(V3X, "82 0001 $a 02", "82 0001 $a", MALFORMED_PACKET),
                server(V3X, "82 0001 $a 02", "82 0001 - 02", MALFORMED_PACKET),
                server(V3X, "82 0001 $a/+/# 02", "82 0001 $a/#/b 02", MALFORMED_PACKET),
                server(V3X, "82 0001 $a/+/# 02", "82 0001 $a+ 02", MALFORMED_PACKET),
                server(V5, "82 0001 00 $a 02", "82 0001 00", PROTOCOL_ERROR),
                server(V5, "82 0001 00 $a 2E", "82 0001 00 $a 03", PROTOCOL_ERROR),
                server(V5, "82 0001 00 $a 2E", "82 0001 00 $a 30", PROTOCOL_ERROR),
                server(V5, "82 0001 00 $a 2E", "82 0001 00 $a 40", MALFORMED_PACKET),
                server(V5, "82 0001 00 $a 2E", "82 0001 00 $a 80", MALFORMED_PACKET),
                server(
                        V5,
                        "82 0001 00 $$share/g/a 00",
                        "82 0001 00 $$share/g/a 04",
                        PROTOCOL_ERROR),
                server(
                        V5,
                        "82 0001 00 $$share/g/# 00",
                        "82 0001 00 $$share//a 00",
                        MALFORMED_PACKET),
                server(
                        V5,
                        "82 0001 00 $$share/g/# 00",
                        "82 0001 00 $$share/g/ 00",
                        MALFORMED_PACKET),
                server(
                        V5,
                        "82 0001 00 $$share/g/# 00",
                        "82 0001 00 $$share/+/a 00",
                        MALFORMED_PACKET),
                server(V5, "82 0001 00 $$share 00", "82 0001 00 $$share/ 00", MALFORMED_PACKET),
                server(V311, "82 0001 $$share/g/# 00", "82 0001 $$share/g# 00", MALFORMED_PACKET),
                server(V5, "82 0001 02 0B 01 $a 00", "82 0001 02 0B 00 $a 00", PROTOCOL_ERROR),
                server(
                        V5,
                        "82 0001 02 0B 01 $a 00",
                        "82 0001 04 0B 01 0B 02 $a 00",
                        PROTOCOL_ERROR),
                server(V5, "82 0001 00 $a 00", "82 0001 00 0001 00 00", MALFORMED_PACKET),
                server(V5, "82 0001 00 $a 00", "82 0001 00 $a 00 00", MALFORMED_PACKET),
                // UNSUBSCRIBE
                server(V3X, "A2 0001 $a", "A2 0001", PROTOCOL_ERROR),
                server(V5, "A2 0001 00 $a", "A2 0001 00", PROTOCOL_ERROR),
                server(V5, "A2 0001 00 $a", "A2 0000 00 $a", PROTOCOL_ERROR),
                server(V5, "A2 0001 00 $#", "A2 0001 00 $a#", MALFORMED_PACKET),
                server(V3X, "A2 0001 $+", "A2 0001 0001 C0", MALFORMED_PACKET),
                // DISCONNECT
                server(V3X, "E0", "E0 00", MALFORMED_PACKET),
                server(V5, "E0 04", "E0 04 00 00", MALFORMED_PACKET),
                server(V5, "E0 00 05 11 00000000", "E0 00 05 12 00000000", MALFORMED_PACKET),
                client(V5, "E0 8E 00", "E0 8E 05 11 00000000", PROTOCOL_ERROR),
                // AUTH
                server(V5, "F0 18 04 15 $m", "F0 18 00", PROTOCOL_ERROR),
                server(V5, "F0 19 04 15 $m", "F0 19", MALFORMED_PACKET),
                server(V5, "F0 19 04 15 $m", "F0", PROTOCOL_ERROR),
                client(V5, "F0", "F0 19 04 15 $m", PROTOCOL_ERROR),
                // CONNACK, SUBACK, UNSUBACK
                client(V3X, "20 00 05", "20 00 06", PROTOCOL_ERROR),
                client(V311, "20 01 00", "20 01 05", PROTOCOL_ERROR),
                client(V311, "20 01 00", "20 02 00", MALFORMED_PACKET),
                client(V3X, "20 00 00", "20 00 00 00", MALFORMED_PACKET),
                client(V5, "20 01 00 00", "20 01 00", MALFORMED_PACKET),
                client(V5, "20 00 87 00", "20 01 87 00", PROTOCOL_ERROR),
                client(V5, "20 00 00 02 24 01", "20 00 00 02 24 02", PROTOCOL_ERROR),
                client(V5, "20 00 00 02 25 00", "20 00 00 02 25 02", PROTOCOL_ERROR),
                client(V5, "20 00 00 03 21 0001", "20 00 00 03 21 0000", PROTOCOL_ERROR),
                client(V3X, "90 0001 80", "90 0001", PROTOCOL_ERROR),
                client(V3X, "90 0001 80", "90 0001 87", PROTOCOL_ERROR),
                client(V5, "90 0001 00 00 01", "90 0001 00", PROTOCOL_ERROR),
                client(V3X, "B0 0001", "B0 0001 00", MALFORMED_PACKET),
                client(V5, "B0 0001 00 11", "B0 0001 00", PROTOCOL_ERROR),
                client(V5, "B0 0001 00 11", "B0 0000 00 11", PROTOCOL_ERROR));
    }

    private static List<Row> connects() {
        String v5 = "10 $MQTT 05 ";
        String v311 = "10 $MQTT 04 ";
        String v31 = "10 $MQIsdp 03 ";
        return List.of(
                connect(v5 + "02 003C 00 $c", v5 + "03 003C 00 $c", MALFORMED_PACKET),
                connect(v311 + "02 003C $c", v311 + "03 003C $c", MALFORMED_PACKET),
                connect(v31 + "03 003C $c", v31 + "1A 003C $c", MALFORMED_PACKET),
                connect(v5 + "02 003C 00 $c", "30 $a 00", PROTOCOL_ERROR),
                connect(v5 + "02 003C 00 $c", "C0", PROTOCOL_ERROR),
                connect(v5 + "02 003C 00 $c", "11 $MQTT 05 02 003C 00 $c", MALFORMED_PACKET),
                connect(v5 + "02 003C 00 $c", v5 + "02 003C 00 $c 00", MALFORMED_PACKET),
                connect(v5 + "02 003C 00 $c", v5 + "02 003C 00", MALFORMED_PACKET),
                connect(v5 + "02 003C 00 $c", v5 + "02 003C", MALFORMED_PACKET),
                connect(v5 + "02 003C 00 $c", v5 + "02 003C 00 0001 FF", MALFORMED_PACKET),
                connect(v5 + "02 003C 00 -", v5 + "02 003C 00 00", MALFORMED_PACKET),
                connect(v311 + "02 0000 -", v311 + "00 0000 -", CLIENT_IDENTIFIER_NOT_VALID),
                connect(v31 + "02 0000 $c", v31 + "02 0000 -", CLIENT_IDENTIFIER_NOT_VALID),
                // will
                connect(v311 + "06 0000 $c $w $p", v311 + "06 0000 $c - $p", MALFORMED_PACKET),
                connect(v311 + "06 0000 $c $w $p", v311 + "06 0000 $c $w/# $p", MALFORMED_PACKET),
                connect(v311 + "16 0000 $c $w $p", v311 + "1E 0000 $c $w $p", MALFORMED_PACKET),
                connect(v311 + "06 0000 $c $w $p", v311 + "0A 0000 $c", MALFORMED_PACKET),
                connect(v5 + "26 0000 00 $c 00 $w $p", v5 + "22 0000 00 $c", MALFORMED_PACKET),
                connect(v5 + "06 0000 00 $c 00 $w -", v5 + "06 0000 00 $c 00 $w", MALFORMED_PACKET),
                connect(
                        v5 + "06 0000 00 $c 02 01 01 $w $p",
                        v5 + "06 0000 00 $c 02 01 01 $w 0001 FF",
                        PAYLOAD_FORMAT_INVALID),
                connect(
                        v5 + "06 0000 00 $c 02 01 01 $w $p",
                        v5 + "06 0000 00 $c 04 01 01 01 01 $w $p",
                        PROTOCOL_ERROR),
                connect(
                        v5 + "06 0000 00 $c 05 18 00000001 $w $p",
                        v5 + "06 0000 05 18 00000001 $c 00 $w $p",
                        MALFORMED_PACKET),
                // user name and password
                connect(v311 + "C2 0000 $c $u $p", v311 + "42 0000 $c $p", MALFORMED_PACKET),
                connect(v31 + "C2 0000 $c $u $p", v31 + "42 0000 $c $p", MALFORMED_PACKET),
                connect(v5 + "42 0000 00 $c $p", v5 + "42 0000 00 $c", MALFORMED_PACKET),
                connect(v311 + "82 0000 $c $u", v311 + "82 0000 $c", MALFORMED_PACKET),
                connect(v311 + "82 0000 $c $u", v311 + "82 0000 $c 0001 00", MALFORMED_PACKET),
                connect(v311 + "02 0000 $c", v311 + "02 0000 $c $u", MALFORMED_PACKET),
                // properties
                connect(v5 + "02 0000 03 21 0001 $c", v5 + "02 0000 03 21 0000 $c", PROTOCOL_ERROR),
                connect(
                        v5 + "02 0000 05 27 00000001 $c",
                        v5 + "02 0000 05 27 00000000 $c",
                        PROTOCOL_ERROR),
                connect(v5 + "02 0000 02 17 01 $c", v5 + "02 0000 02 17 02 $c", PROTOCOL_ERROR),
                connect(v5 + "02 0000 02 19 00 $c", v5 + "02 0000 02 19 02 $c", PROTOCOL_ERROR),
                connect(
                        v5 + "02 0000 08 15 $m 16 $d $c",
                        v5 + "02 0000 04 16 $d $c",
                        PROTOCOL_ERROR));
    }

    private static Stream<Row> all() {
        return Stream.concat(rows().stream(), connects().stream());
    }

    @ParameterizedTest
    @MethodSource("all")
    void what_breaks_a_rule_is_refused_with_its_reason_code(Row row) {
        for (ProtocolVersion version : ProtocolVersion.values()) {
            if (row.versions.contains(version)) {
                check(row, version);
            }
        }
        if (row.versions.isEmpty()) {
            check(row, null);
        }
    }

    private static void check(Row row, @Nullable ProtocolVersion version) {
        RecordingSink sink = new RecordingSink();
        ByteBuf good = Bytes.packet(row.good);
        decode(row.role, version, good, sink);
        assertThat(sink.packets).as(row.good).hasSize(1);
        assertThat(good.isReadable()).isFalse();

        RecordingSink nothing = new RecordingSink();
        ProtocolViolation violation =
                catchThrowableOfType(
                        ProtocolViolation.class,
                        () -> decode(row.role, version, Bytes.packet(row.bad), nothing));
        assertThat(violation).as(row.bad).isNotNull();
        assertThat(violation.reason()).as(violation.getMessage()).isEqualTo(row.reason);
        assertThat(violation.getMessage()).isNotBlank();
        assertThat(nothing.packets).isEmpty();
    }

    private static void decode(
            Role role, @Nullable ProtocolVersion version, ByteBuf in, RecordingSink sink) {
        InboundState state = new InboundState(1 << 20);
        state.version = version;
        new PacketDecoder(role, 2).decode(in, state, sink);
    }

    private static Row server(
            Set<ProtocolVersion> versions, String good, String bad, ReasonCode reason) {
        return row(Role.SERVER, versions, good, bad, reason);
    }

    private static Row client(
            Set<ProtocolVersion> versions, String good, String bad, ReasonCode reason) {
        return row(Role.CLIENT, versions, good, bad, reason);
    }

    private static Row connect(String good, String bad, ReasonCode reason) {
        return row(Role.SERVER, NO_CONNECT_YET, good, bad, reason);
    }
}
