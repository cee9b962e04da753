package io.godwit.core.packet;

import org.jspecify.annotations.Nullable;

/** Properties of MQTT 5.0 with identifier and type (2.2.2.2). */
public enum Property {
    PAYLOAD_FORMAT_INDICATOR(0x01, Type.BYTE),
    MESSAGE_EXPIRY_INTERVAL(0x02, Type.FOUR_BYTES),
    CONTENT_TYPE(0x03, Type.STRING),
    RESPONSE_TOPIC(0x08, Type.STRING),
    CORRELATION_DATA(0x09, Type.BINARY),
    SUBSCRIPTION_IDENTIFIER(0x0B, Type.VARINT),
    SESSION_EXPIRY_INTERVAL(0x11, Type.FOUR_BYTES),
    ASSIGNED_CLIENT_IDENTIFIER(0x12, Type.STRING),
    SERVER_KEEP_ALIVE(0x13, Type.TWO_BYTES),
    AUTHENTICATION_METHOD(0x15, Type.STRING),
    AUTHENTICATION_DATA(0x16, Type.BINARY),
    REQUEST_PROBLEM_INFORMATION(0x17, Type.BYTE),
    WILL_DELAY_INTERVAL(0x18, Type.FOUR_BYTES),
    REQUEST_RESPONSE_INFORMATION(0x19, Type.BYTE),
    RESPONSE_INFORMATION(0x1A, Type.STRING),
    SERVER_REFERENCE(0x1C, Type.STRING),
    REASON_STRING(0x1F, Type.STRING),
    RECEIVE_MAXIMUM(0x21, Type.TWO_BYTES),
    TOPIC_ALIAS_MAXIMUM(0x22, Type.TWO_BYTES),
    TOPIC_ALIAS(0x23, Type.TWO_BYTES),
    MAXIMUM_QOS(0x24, Type.BYTE),
    RETAIN_AVAILABLE(0x25, Type.BYTE),
    USER_PROPERTY(0x26, Type.STRING_PAIR),
    MAXIMUM_PACKET_SIZE(0x27, Type.FOUR_BYTES),
    WILDCARD_SUBSCRIPTION_AVAILABLE(0x28, Type.BYTE),
    SUBSCRIPTION_IDENTIFIER_AVAILABLE(0x29, Type.BYTE),
    SHARED_SUBSCRIPTION_AVAILABLE(0x2A, Type.BYTE);

    /** The form of a value on the wire. */
    public enum Type {
        BYTE,
        TWO_BYTES,
        FOUR_BYTES,
        VARINT,
        STRING,
        BINARY,
        STRING_PAIR
    }

    private static final @Nullable Property[] BY_ID = new Property[0x2B];

    static {
        for (Property property : values()) {
            BY_ID[property.id] = property;
        }
    }

    private final int id;
    private final Type type;

    Property(int id, Type type) {
        this.id = id;
        this.type = type;
    }

    /** The property's identifier; all of today's fit one byte of the Variable Byte Integer. */
    public int id() {
        return id;
    }

    public Type type() {
        return type;
    }

    /**
     * @return null for an identifier that MQTT 5.0 does not define
     */
    public static @Nullable Property of(int id) {
        return id >= 0 && id < BY_ID.length ? BY_ID[id] : null;
    }
}
