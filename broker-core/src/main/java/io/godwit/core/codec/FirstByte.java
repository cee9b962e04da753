package io.godwit.core.codec;

import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import org.jspecify.annotations.Nullable;

/**
 * What the first byte of a packet, type and flags, may be (MQTT 5.0, 2.1.3): one look-up in a table
 * for each role and version, so that a packet is refused before its length is read.
 */
final class FirstByte {
    private static final byte GOOD = 0;
    private static final byte RESERVED_TYPE = 1;
    private static final byte WRONG_FLAGS = 2;
    private static final byte WRONG_DIRECTION = 3;
    private static final byte NOT_CONNECT = 4;
    private static final byte SECOND_CONNECT = 5;
    private static final byte WRONG_PUBLISH = 6;

    /** One table for "no CONNECT yet", then one for each version. */
    private final byte[][] verdicts = new byte[1 + ProtocolVersion.values().length][];

    FirstByte(Role role) {
        verdicts[0] = table(role, null);
        for (ProtocolVersion version : ProtocolVersion.values()) {
            verdicts[1 + version.ordinal()] = table(role, version);
        }
    }

    /**
     * @param first 0..255
     */
    void check(int first, @Nullable ProtocolVersion version) {
        byte verdict = verdicts[version == null ? 0 : 1 + version.ordinal()][first];
        if (verdict != GOOD) {
            throw version == null ? foreign(verdict, first) : violation(verdict, first);
        }
    }

    /** Names other protocols that are often spoken to an MQTT port. */
    private static ProtocolViolation foreign(byte verdict, int first) {
        return switch (first) {
            case 0x16 -> ProtocolViolation.malformed("looks like TLS on a listener without TLS");
            case 'G', 'P', 'H', 'O', 'D' -> ProtocolViolation.malformed("looks like HTTP");
            default -> violation(verdict, first);
        };
    }

    private static ProtocolViolation violation(byte verdict, int first) {
        String name = "packet 0x" + Integer.toHexString(first);
        return switch (verdict) {
            case RESERVED_TYPE -> ProtocolViolation.malformed(name + ": reserved type");
            case WRONG_FLAGS -> ProtocolViolation.malformed(name + ": reserved flags");
            case WRONG_PUBLISH ->
                    ProtocolViolation.malformed(name + ": PUBLISH with QoS 3, or DUP and QoS 0");
            case WRONG_DIRECTION ->
                    ProtocolViolation.protocolError(name + ": only the other side sends it");
            case NOT_CONNECT -> ProtocolViolation.protocolError(name + " before CONNECT");
            default -> ProtocolViolation.protocolError("second CONNECT");
        };
    }

    private static byte[] table(Role role, @Nullable ProtocolVersion version) {
        byte[] table = new byte[256];
        for (int first = 0; first < 256; first++) {
            table[first] = verdict(role, version, first >> 4, first & 0x0F);
        }
        return table;
    }

    private static byte verdict(
            Role role, @Nullable ProtocolVersion version, int number, int flags) {
        if (number == 0 || (number == PacketType.AUTH.number() && isBefore5(version))) {
            return RESERVED_TYPE;
        }
        PacketType type = PacketType.of(number);
        if (version == null && type != PacketType.CONNECT) {
            return NOT_CONNECT; // [MQTT-3.1.0-1]
        }
        byte wrongFlags = wrongFlags(type, flags, version);
        if (wrongFlags != GOOD) {
            return wrongFlags; // [MQTT-2.1.3-1]
        }
        if (role == Role.SERVER && type == PacketType.CONNECT && version != null) {
            return SECOND_CONNECT; // [MQTT-3.1.0-2]
        }
        return maySend(role, type, version) ? GOOD : WRONG_DIRECTION;
    }

    private static boolean isBefore5(@Nullable ProtocolVersion version) {
        return version != null && !version.isV5();
    }

    private static byte wrongFlags(PacketType type, int flags, @Nullable ProtocolVersion version) {
        return switch (type) {
            case PUBLISH -> {
                int qos = flags >> 1 & 3;
                boolean dup = (flags & 8) != 0;
                // [MQTT-3.3.1-4] no QoS 3, [MQTT-3.3.1-2] no DUP with QoS 0
                yield qos == 3 || (qos == 0 && dup) ? WRONG_PUBLISH : GOOD;
            }
            case PUBREL, SUBSCRIBE, UNSUBSCRIBE -> {
                // In 3.1 these have QoS 1, and DUP when they are sent again.
                int ignored = version == ProtocolVersion.MQTT_3_1 ? 8 : 0;
                yield (flags & ~ignored) == 2 ? GOOD : WRONG_FLAGS;
            }
            default -> flags == 0 ? GOOD : WRONG_FLAGS;
        };
    }

    /** Whether the side that {@code receiver} listens to may send this packet. */
    private static boolean maySend(
            Role receiver, PacketType type, @Nullable ProtocolVersion version) {
        return switch (type) {
            case CONNECT, SUBSCRIBE, UNSUBSCRIBE, PINGREQ -> receiver == Role.SERVER;
            case CONNACK, SUBACK, UNSUBACK, PINGRESP -> receiver == Role.CLIENT;
            case DISCONNECT -> receiver == Role.SERVER || !isBefore5(version);
            case PUBLISH, PUBACK, PUBREC, PUBREL, PUBCOMP, AUTH -> true;
        };
    }
}
