package io.godwit.core.codec;

import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;

/** Which reason codes each packet may carry, and from which side. */
public final class LegalReasons {
    /** Codes of CONNACK [MQTT-3.2.2-8]. */
    static final boolean[] CONNACK =
            codes(
                    0x00, 0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8A, 0x8C,
                    0x90, 0x95, 0x97, 0x99, 0x9A, 0x9B, 0x9C, 0x9D, 0x9F);

    /** Codes of SUBACK [MQTT-3.9.3-2]. */
    static final boolean[] SUBACK =
            codes(0x00, 0x01, 0x02, 0x80, 0x83, 0x87, 0x8F, 0x91, 0x97, 0x9E, 0xA1, 0xA2);

    static final boolean[] SUBACK_3X = codes(0x00, 0x01, 0x02, 0x80);

    /** Codes of UNSUBACK [MQTT-3.11.3-2]. */
    static final boolean[] UNSUBACK = codes(0x00, 0x11, 0x80, 0x83, 0x87, 0x8F, 0x91);

    /** Codes of a DISCONNECT from a client [MQTT-3.14.2-1]. */
    private static final boolean[] DISCONNECT_FROM_CLIENT =
            codes(
                    0x00, 0x04, 0x80, 0x81, 0x82, 0x83, 0x90, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98,
                    0x99);

    private static final boolean[] DISCONNECT_FROM_SERVER =
            codes(
                    0x00, 0x80, 0x81, 0x82, 0x83, 0x87, 0x89, 0x8B, 0x8D, 0x8E, 0x8F, 0x90, 0x93,
                    0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9A, 0x9B, 0x9C, 0x9D, 0x9E, 0x9F, 0xA0,
                    0xA1, 0xA2);

    /** Codes of an AUTH from a client [MQTT-3.15.2-1]. */
    private static final boolean[] AUTH_FROM_CLIENT = codes(0x18, 0x19);

    private static final boolean[] AUTH_FROM_SERVER = codes(0x00, 0x18);

    /** Codes of PUBACK and PUBREC [MQTT-3.4.2-1] [MQTT-3.5.2-1]. */
    private static final boolean[] RECEIVED =
            codes(0x00, 0x10, 0x80, 0x83, 0x87, 0x90, 0x91, 0x97, 0x99);

    /** Codes of PUBREL and PUBCOMP [MQTT-3.6.2-1] [MQTT-3.7.2-1]. */
    private static final boolean[] RELEASED = codes(0x00, 0x92);

    private LegalReasons() {}

    /**
     * Returns the code with which a 5.0 client is told that its request is refused: the reason, or
     * where the answer may not carry that, UNSPECIFIED_ERROR.
     *
     * @param type CONNACK, PUBACK, PUBREC, SUBACK or DISCONNECT
     */
    public static ReasonCode ofRefusal(PacketType type, ReasonCode reason) {
        boolean[] legal =
                switch (type) {
                    case CONNACK -> CONNACK;
                    case SUBACK -> SUBACK;
                    case DISCONNECT -> DISCONNECT_FROM_SERVER;
                    default -> RECEIVED;
                };
        return reason.isError() && legal[reason.code()] ? reason : ReasonCode.UNSPECIFIED_ERROR;
    }

    /**
     * Whether a packet that a server sends may carry the code.
     *
     * @param type CONNACK, SUBACK, UNSUBACK, DISCONNECT, or an acknowledgement of a PUBLISH
     */
    public static boolean mayBeSent(PacketType type, int code, ProtocolVersion version) {
        if (code < 0 || code > 0xFF) {
            return false;
        }
        if (!version.isV5()) {
            return type == PacketType.SUBACK && SUBACK_3X[code];
        }
        return switch (type) {
            case CONNACK -> CONNACK[code];
            case SUBACK -> SUBACK[code];
            case UNSUBACK -> UNSUBACK[code];
            case DISCONNECT -> DISCONNECT_FROM_SERVER[code];
            case PUBACK, PUBREC, PUBREL, PUBCOMP -> ofAck(type)[code];
            default -> false;
        };
    }

    /** Codes of PUBACK, PUBREC, PUBREL and PUBCOMP. */
    static boolean[] ofAck(PacketType type) {
        return type == PacketType.PUBACK || type == PacketType.PUBREC ? RECEIVED : RELEASED;
    }

    static boolean[] ofDisconnect(Role receiver) {
        return receiver == Role.SERVER ? DISCONNECT_FROM_CLIENT : DISCONNECT_FROM_SERVER;
    }

    static boolean[] ofAuth(Role receiver) {
        return receiver == Role.SERVER ? AUTH_FROM_CLIENT : AUTH_FROM_SERVER;
    }

    /**
     * @throws ProtocolViolation PROTOCOL_ERROR
     */
    static void check(boolean[] legal, int code, PacketType type) {
        if (!legal[code]) {
            throw ProtocolViolation.protocolError(
                    type + " with reason code 0x" + Integer.toHexString(code));
        }
    }

    /** A checked code as the enum; every legal one is there. */
    static ReasonCode reason(boolean[] legal, int code, PacketType type) {
        check(legal, code, type);
        ReasonCode reason = ReasonCode.of(code);
        if (reason == null) {
            throw new IllegalStateException("reason code " + code);
        }
        return reason;
    }

    private static boolean[] codes(int... codes) {
        boolean[] legal = new boolean[256];
        for (int code : codes) {
            legal[code] = true;
        }
        return legal;
    }
}
