package io.godwit.extension.packet;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A CONNACK.
 *
 * @param reasonCode the code on the wire: 0 lets the client in; 0x80 and above do not, of MQTT 3.x
 *     1 to 5
 * @param sessionPresent whether the client's session goes on
 * @param reasonString null: none
 * @param responseInformation null: none
 * @param serverReference another server for the client; null: none
 */
public record ConnAckPacket(
        int reasonCode,
        boolean sessionPresent,
        @Nullable String reasonString,
        @Nullable String responseInformation,
        @Nullable String serverReference,
        List<UserProperty> userProperties) {
    public ConnAckPacket {
        userProperties = List.copyOf(userProperties);
    }

    /** Returns the same with another reason. */
    public ConnAckPacket withReason(int code, @Nullable String text) {
        return new ConnAckPacket(
                code, sessionPresent, text, responseInformation, serverReference, userProperties);
    }

    /** Returns the same with another Response Information, or none. */
    public ConnAckPacket withResponseInformation(@Nullable String other) {
        return new ConnAckPacket(
                reasonCode, sessionPresent, reasonString, other, serverReference, userProperties);
    }

    /** Returns the same with another Server Reference, or none. */
    public ConnAckPacket withServerReference(@Nullable String other) {
        return new ConnAckPacket(
                reasonCode,
                sessionPresent,
                reasonString,
                responseInformation,
                other,
                userProperties);
    }

    /** Returns the same with other User Properties. */
    public ConnAckPacket withUserProperties(List<UserProperty> others) {
        return new ConnAckPacket(
                reasonCode,
                sessionPresent,
                reasonString,
                responseInformation,
                serverReference,
                others);
    }
}
