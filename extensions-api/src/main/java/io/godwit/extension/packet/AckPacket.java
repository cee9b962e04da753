package io.godwit.extension.packet;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A PUBACK, PUBREC, PUBREL or PUBCOMP.
 *
 * @param packetId 1..65 535
 * @param reasonCode the code on the wire; 0 before MQTT 5.0
 * @param reasonString null: none
 */
public record AckPacket(
        int packetId,
        int reasonCode,
        @Nullable String reasonString,
        List<UserProperty> userProperties) {
    public AckPacket {
        userProperties = List.copyOf(userProperties);
    }

    /** Returns the same with another reason. */
    public AckPacket withReason(int code, @Nullable String text) {
        return new AckPacket(packetId, code, text, userProperties);
    }

    /** Returns the same with other User Properties. */
    public AckPacket withUserProperties(List<UserProperty> others) {
        return new AckPacket(packetId, reasonCode, reasonString, others);
    }
}
