package io.godwit.extension.packet;

/** Reason codes that extensions give (MQTT 5.0, 2.4). Older versions get what comes nearest. */
public enum ReasonCode {
    UNSPECIFIED_ERROR(0x80),
    IMPLEMENTATION_SPECIFIC_ERROR(0x83),
    CLIENT_IDENTIFIER_NOT_VALID(0x85),
    BAD_USER_NAME_OR_PASSWORD(0x86),
    NOT_AUTHORIZED(0x87),
    SERVER_UNAVAILABLE(0x88),
    SERVER_BUSY(0x89),
    BANNED(0x8A),
    BAD_AUTHENTICATION_METHOD(0x8C),
    TOPIC_FILTER_INVALID(0x8F),
    TOPIC_NAME_INVALID(0x90),
    PACKET_TOO_LARGE(0x95),
    QUOTA_EXCEEDED(0x97),
    ADMINISTRATIVE_ACTION(0x98),
    PAYLOAD_FORMAT_INVALID(0x99),
    RETAIN_NOT_SUPPORTED(0x9A),
    QOS_NOT_SUPPORTED(0x9B),
    USE_ANOTHER_SERVER(0x9C),
    SERVER_MOVED(0x9D),
    CONNECTION_RATE_EXCEEDED(0x9F);

    private final int code;

    ReasonCode(int code) {
        this.code = code;
    }

    /** The code on the wire, 0x80..0xFF. */
    public int code() {
        return code;
    }
}
