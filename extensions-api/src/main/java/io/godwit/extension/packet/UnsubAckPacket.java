package io.godwit.extension.packet;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An UNSUBACK.
 *
 * @param packetId 1..65 535
 * @param reasonCodes one for each filter: 0, 0x11 if there was no subscription, or 0x80 and above;
 *     none before MQTT 5.0
 * @param reasonString null: none
 */
public record UnsubAckPacket(
        int packetId,
        List<Integer> reasonCodes,
        @Nullable String reasonString,
        List<UserProperty> userProperties) {
    public UnsubAckPacket {
        reasonCodes = List.copyOf(reasonCodes);
        userProperties = List.copyOf(userProperties);
    }

    /** Returns the same with other codes, as many as there are. */
    public UnsubAckPacket withReasonCodes(List<Integer> others) {
        return new UnsubAckPacket(packetId, others, reasonString, userProperties);
    }

    /** Returns the same with another Reason String, or none. */
    public UnsubAckPacket withReasonString(@Nullable String other) {
        return new UnsubAckPacket(packetId, reasonCodes, other, userProperties);
    }

    /** Returns the same with other User Properties. */
    public UnsubAckPacket withUserProperties(List<UserProperty> others) {
        return new UnsubAckPacket(packetId, reasonCodes, reasonString, others);
    }
}
