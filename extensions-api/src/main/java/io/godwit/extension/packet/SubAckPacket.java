package io.godwit.extension.packet;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A SUBACK.
 *
 * @param packetId 1..65 535
 * @param reasonCodes one for each filter: the QoS that is granted, 0..2, or 0x80 and above
 * @param reasonString null: none
 */
public record SubAckPacket(
        int packetId,
        List<Integer> reasonCodes,
        @Nullable String reasonString,
        List<UserProperty> userProperties) {
    public SubAckPacket {
        reasonCodes = List.copyOf(reasonCodes);
        userProperties = List.copyOf(userProperties);
    }

    /** Returns the same with other codes, as many as there are. */
    public SubAckPacket withReasonCodes(List<Integer> others) {
        return new SubAckPacket(packetId, others, reasonString, userProperties);
    }

    /** Returns the same with another Reason String, or none. */
    public SubAckPacket withReasonString(@Nullable String other) {
        return new SubAckPacket(packetId, reasonCodes, other, userProperties);
    }

    /** Returns the same with other User Properties. */
    public SubAckPacket withUserProperties(List<UserProperty> others) {
        return new SubAckPacket(packetId, reasonCodes, reasonString, others);
    }
}
