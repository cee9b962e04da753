package io.godwit.extension.packet;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An AUTH.
 *
 * @param reasonCode 0: success; 0x18: continue; 0x19: re-authenticate
 * @param method Authentication Method
 * @param data Authentication Data; null: none
 * @param reasonString null: none
 */
public record AuthPacket(
        int reasonCode,
        String method,
        @Nullable Bytes data,
        @Nullable String reasonString,
        List<UserProperty> userProperties) {
    public AuthPacket {
        userProperties = List.copyOf(userProperties);
    }

    /** Returns the same with other Authentication Data, or none. */
    public AuthPacket withData(@Nullable Bytes other) {
        return new AuthPacket(reasonCode, method, other, reasonString, userProperties);
    }

    /** Returns the same with another Reason String, or none. */
    public AuthPacket withReasonString(@Nullable String other) {
        return new AuthPacket(reasonCode, method, data, other, userProperties);
    }

    /** Returns the same with other User Properties. */
    public AuthPacket withUserProperties(List<UserProperty> others) {
        return new AuthPacket(reasonCode, method, data, reasonString, others);
    }
}
