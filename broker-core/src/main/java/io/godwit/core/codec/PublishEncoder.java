package io.godwit.core.codec;

import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * PUBLISH from the message path's own form: no value is built, nothing is allocated. A message that
 * goes to many subscribers is written once for each, which is cheaper than to patch a copy; the
 * payload may follow from elsewhere.
 *
 * <p>Arguments that both methods share: {@code topicAlias} 0 = none; {@code expirySeconds} -1 =
 * none; {@code subscriptionIds} may be empty; {@code forwardedProperties} as in {@code
 * PublishFrame}. All four are left out in 3.x.
 */
public final class PublishEncoder {
    /** No topic on the wire: the alias stands for it. */
    public static final byte[] NO_TOPIC = new byte[0];

    private static final int EXPIRY_ID = Property.MESSAGE_EXPIRY_INTERVAL.id();
    private static final int ALIAS_ID = Property.TOPIC_ALIAS.id();
    private static final int SUBSCRIPTION_ID = Property.SUBSCRIPTION_IDENTIFIER.id();

    private PublishEncoder() {}

    /**
     * Bytes of the whole packet, fixed header and payload included; above 268 435 460 it cannot be
     * written.
     *
     * @param topicLength 0 when the alias stands for the topic
     */
    public static int length(
            ProtocolVersion version,
            int qos,
            int topicLength,
            int topicAlias,
            long expirySeconds,
            int[] subscriptionIds,
            int forwardedLength,
            int payloadLength) {
        int remaining = 2 + topicLength + (qos == 0 ? 0 : 2) + payloadLength;
        if (version.isV5()) {
            int properties =
                    propertiesLength(topicAlias, expirySeconds, subscriptionIds, forwardedLength);
            remaining += VarInt.length(properties) + properties;
        }
        return 1 + VarInt.length(remaining) + remaining;
    }

    /**
     * Appends all but the payload, whose bytes the caller writes next.
     *
     * @param topic {@link #NO_TOPIC} when the alias stands for it
     * @param packetId 1..65 535; ignored for QoS 0
     */
    public static void writeHeader(
            ByteBuf out,
            ProtocolVersion version,
            int qos,
            boolean dup,
            boolean retain,
            byte[] topic,
            int packetId,
            int topicAlias,
            long expirySeconds,
            int[] subscriptionIds,
            byte[] forwardedProperties,
            int payloadLength) {
        int remaining = 2 + topic.length + (qos == 0 ? 0 : 2) + payloadLength;
        int properties = 0;
        if (version.isV5()) {
            properties =
                    propertiesLength(
                            topicAlias, expirySeconds, subscriptionIds, forwardedProperties.length);
            remaining += VarInt.length(properties) + properties;
        }
        out.writeByte(0x30 | (dup ? 8 : 0) | qos << 1 | (retain ? 1 : 0));
        VarInt.write(out, remaining);
        out.writeShort(topic.length);
        out.writeBytes(topic);
        if (qos != 0) {
            out.writeShort(packetId);
        }
        if (version.isV5()) {
            VarInt.write(out, properties);
            if (properties > 0) {
                writeProperties(
                        out, topicAlias, expirySeconds, subscriptionIds, forwardedProperties);
            }
        }
    }

    private static int propertiesLength(
            int topicAlias, long expirySeconds, int[] subscriptionIds, int forwardedLength) {
        int length = forwardedLength + (topicAlias == 0 ? 0 : 3) + (expirySeconds < 0 ? 0 : 5);
        for (int id : subscriptionIds) {
            length += 1 + VarInt.length(id);
        }
        return length;
    }

    private static void writeProperties(
            ByteBuf out,
            int topicAlias,
            long expirySeconds,
            int[] subscriptionIds,
            byte[] forwardedProperties) {
        if (topicAlias != 0) {
            out.writeByte(ALIAS_ID);
            out.writeShort(topicAlias);
        }
        if (expirySeconds >= 0) {
            out.writeByte(EXPIRY_ID);
            out.writeInt((int) expirySeconds);
        }
        for (int id : subscriptionIds) {
            out.writeByte(SUBSCRIPTION_ID);
            VarInt.write(out, id);
        }
        out.writeBytes(forwardedProperties);
    }

    /**
     * The properties of a packet in the form that goes to subscribers unaltered.
     *
     * @param properties of a will; those that stand for one hop (expiry, alias) are left out
     */
    public static byte[] forwarded(Properties properties) {
        Properties kept =
                properties
                        .without(Property.MESSAGE_EXPIRY_INTERVAL)
                        .without(Property.WILL_DELAY_INTERVAL)
                        .without(Property.TOPIC_ALIAS);
        byte[] bytes = new byte[PropertiesEncoder.bodyLength(kept)];
        ByteBuf out = Unpooled.wrappedBuffer(bytes).clear();
        PropertiesEncoder.writeBody(out, kept);
        return bytes;
    }
}
