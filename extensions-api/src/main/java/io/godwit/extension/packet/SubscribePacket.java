package io.godwit.extension.packet;

import java.util.List;

/**
 * A SUBSCRIBE.
 *
 * @param packetId 1..65 535
 * @param subscriptions in their order
 * @param subscriptionId Subscription Identifier, 1..268 435 455; 0: none
 */
public record SubscribePacket(
        int packetId,
        List<Subscription> subscriptions,
        int subscriptionId,
        List<UserProperty> userProperties) {
    public SubscribePacket {
        subscriptions = List.copyOf(subscriptions);
        userProperties = List.copyOf(userProperties);
    }

    /** Returns the same with other filters, as many as there are. */
    public SubscribePacket withSubscriptions(List<Subscription> others) {
        return new SubscribePacket(packetId, others, subscriptionId, userProperties);
    }

    /** Returns the same with other User Properties, which the next interceptors see. */
    public SubscribePacket withUserProperties(List<UserProperty> others) {
        return new SubscribePacket(packetId, subscriptions, subscriptionId, others);
    }
}
