package io.godwit.core.codec;

import io.godwit.core.packet.ReasonCode;

/**
 * The peer broke the protocol: answered with the reason code, counted, and the connection closed.
 */
public final class ProtocolViolation extends RuntimeException {
    private final ReasonCode reason;

    /**
     * @param text what was wrong, in words for the log and the Reason String
     */
    public ProtocolViolation(ReasonCode reason, String text) {
        super(text, null, false, false);
        this.reason = reason;
    }

    public ReasonCode reason() {
        return reason;
    }

    /** The packet cannot be parsed (MQTT 5.0, 1.2). */
    static ProtocolViolation malformed(String text) {
        return new ProtocolViolation(ReasonCode.MALFORMED_PACKET, text);
    }

    /** The packet was parsed and contains what is not allowed, or not now (MQTT 5.0, 1.2). */
    static ProtocolViolation protocolError(String text) {
        return new ProtocolViolation(ReasonCode.PROTOCOL_ERROR, text);
    }
}
