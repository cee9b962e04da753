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
}
