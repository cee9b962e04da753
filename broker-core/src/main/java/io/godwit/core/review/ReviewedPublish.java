package io.godwit.core.review;

import io.godwit.core.packet.Topic;

/**
 * A PUBLISH that is reviewed.
 *
 * @param payload not to be changed
 * @param properties those that go to subscribers, as {@link
 *     io.godwit.core.packet.PublishFrame#forwardedProperties}
 * @param expirySeconds Message Expiry Interval, 0..4 294 967 295, or -1
 * @param payloadIsText Payload Format Indicator 1
 * @param packetId 1..65 535; 0 for QoS 0
 */
public record ReviewedPublish(
        Topic topic,
        byte[] payload,
        byte[] properties,
        int qos,
        boolean retain,
        boolean dup,
        long expirySeconds,
        boolean payloadIsText,
        int packetId) {
    /** About how many bytes it takes in memory. */
    public long accountedBytes() {
        return 200L + topic.length() + payload.length + properties.length;
    }
}
