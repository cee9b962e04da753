package io.godwit.extension.packet;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A DISCONNECT.
 *
 * @param reasonCode the code on the wire; 0 before MQTT 5.0
 * @param sessionExpirySeconds 0..4 294 967 295; -1: as in CONNECT. The broker sends none
 * @param reasonString null: none
 * @param serverReference another server for the client; null: none. Clients send none
 */
public record DisconnectPacket(
        int reasonCode,
        long sessionExpirySeconds,
        @Nullable String reasonString,
        @Nullable String serverReference,
        List<UserProperty> userProperties) {
    public DisconnectPacket {
        userProperties = List.copyOf(userProperties);
    }

    /** Returns the same with another reason. */
    public DisconnectPacket withReason(int code, @Nullable String text) {
        return new DisconnectPacket(
                code, sessionExpirySeconds, text, serverReference, userProperties);
    }

    /** Returns the same with another session expiry. */
    public DisconnectPacket withSessionExpirySeconds(long other) {
        return new DisconnectPacket(
                reasonCode, other, reasonString, serverReference, userProperties);
    }

    /** Returns the same with another Server Reference, or none. */
    public DisconnectPacket withServerReference(@Nullable String other) {
        return new DisconnectPacket(
                reasonCode, sessionExpirySeconds, reasonString, other, userProperties);
    }

    /** Returns the same with other User Properties. */
    public DisconnectPacket withUserProperties(List<UserProperty> others) {
        return new DisconnectPacket(
                reasonCode, sessionExpirySeconds, reasonString, serverReference, others);
    }
}
