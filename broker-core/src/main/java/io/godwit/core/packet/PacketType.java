package io.godwit.core.packet;

/**
 * MQTT control packet types; the ordinal plus 1 is the number in the fixed header (MQTT 5.0,
 * 2.1.2).
 */
public enum PacketType {
    CONNECT,
    CONNACK,
    PUBLISH,
    PUBACK,
    PUBREC,
    PUBREL,
    PUBCOMP,
    SUBSCRIBE,
    SUBACK,
    UNSUBSCRIBE,
    UNSUBACK,
    PINGREQ,
    PINGRESP,
    DISCONNECT,
    AUTH;

    private static final PacketType[] VALUES = values();

    /** The number of the type in the fixed header, 1..15. */
    public int number() {
        return ordinal() + 1;
    }

    /**
     * @param number 1..15
     */
    public static PacketType of(int number) {
        return VALUES[number - 1];
    }
}
