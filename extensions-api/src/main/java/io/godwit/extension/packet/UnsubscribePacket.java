package io.godwit.extension.packet;

import java.util.List;

/**
 * An UNSUBSCRIBE.
 *
 * @param packetId 1..65 535
 * @param topicFilters in their order, each whole, with {@code $share/group/} if it is shared
 */
public record UnsubscribePacket(
        int packetId, List<String> topicFilters, List<UserProperty> userProperties) {
    public UnsubscribePacket {
        topicFilters = List.copyOf(topicFilters);
        userProperties = List.copyOf(userProperties);
    }

    /** Returns the same with other filters, as many as there are. */
    public UnsubscribePacket withTopicFilters(List<String> others) {
        return new UnsubscribePacket(packetId, others, userProperties);
    }

    /** Returns the same with other User Properties, which the next interceptors see. */
    public UnsubscribePacket withUserProperties(List<UserProperty> others) {
        return new UnsubscribePacket(packetId, topicFilters, others);
    }
}
