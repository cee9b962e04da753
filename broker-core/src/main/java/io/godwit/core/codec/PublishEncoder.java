package io.godwit.core.codec;

import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * PUBLISH from the message path's own form: no value is built, and nothing is allocated unless the
 * topic is long. A message that goes to many subscribers is written once for each, which is cheaper
 * than to patch a copy; the payload may follow from elsewhere.
 *
 * <p>What is short is put together in an array first, since each write into a {@link ByteBuf} costs
 * several times what it does to an array. So an encoder belongs to one thread.
 *
 * <p>Arguments that the methods share: {@code first} is the {@link #first} byte; {@code topic} is
 * {@link #NO_TOPIC} when the alias stands for it; {@code packetId} 1..65 535, ignored for QoS 0;
 * {@code topicAlias} 0 = none; {@code expirySeconds} -1 = none; {@code subscriptionIds} may be
 * empty; {@code forwardedProperties} as in {@code PublishFrame}. The last four are left out in 3.x.
 */
public final class PublishEncoder {
    /** No topic on the wire: the alias stands for it. */
    public static final byte[] NO_TOPIC = new byte[0];

    private static final int EXPIRY_ID = Property.MESSAGE_EXPIRY_INTERVAL.id();
    private static final int ALIAS_ID = Property.TOPIC_ALIAS.id();
    private static final int SUBSCRIPTION_ID = Property.SUBSCRIPTION_IDENTIFIER.id();

    /** Longer packets are written in parts. */
    private static final int SHORT_BYTES = 1024;

    /** Bytes of all fields but topic, subscription ids, forwarded properties and payload. */
    private static final int FIELD_BYTES_MAX = 1 + 4 + 2 + 2 + 4 + 3 + 5;

    private static final int ID_BYTES_MAX = 1 + 4;

    private final byte[] shortBytes = new byte[SHORT_BYTES];
    private byte[] bytes = shortBytes;

    /** The first byte of a PUBLISH: its type and flags. */
    public static int first(int qos, boolean dup, boolean retain) {
        return 0x30 | (dup ? 8 : 0) | qos << 1 | (retain ? 1 : 0);
    }

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
     * Appends the packet.
     *
     * @param withPayload whether to its end; else the caller writes the payload's bytes next
     */
    public void write(
            ByteBuf out,
            ProtocolVersion version,
            int first,
            byte[] topic,
            int packetId,
            int topicAlias,
            long expirySeconds,
            int[] subscriptionIds,
            byte[] forwardedProperties,
            byte[] payload,
            boolean withPayload) {
        int forwarded = version.isV5() ? forwardedProperties.length : 0;
        int end =
                head(
                        version,
                        first,
                        topic,
                        packetId,
                        topicAlias,
                        expirySeconds,
                        subscriptionIds,
                        forwarded,
                        payload.length);
        byte[] head = bytes;
        int more = withPayload ? payload.length : 0;
        if (forwarded == 0 && head == shortBytes && more <= SHORT_BYTES - end) {
            System.arraycopy(payload, 0, head, end, more);
            out.writeBytes(head, 0, end + more);
        } else {
            out.writeBytes(head, 0, end);
            out.writeBytes(forwardedProperties, 0, forwarded);
            out.writeBytes(payload, 0, more);
            bytes = shortBytes;
        }
    }

    /**
     * Puts everything into the array that stands before the forwarded properties.
     *
     * @return its length
     */
    private int head(
            ProtocolVersion version,
            int first,
            byte[] topic,
            int packetId,
            int topicAlias,
            long expirySeconds,
            int[] subscriptionIds,
            int forwardedLength,
            int payloadLength) {
        boolean isAcknowledged = (first & 6) != 0;
        int remaining = 2 + topic.length + (isAcknowledged ? 2 : 0) + payloadLength;
        int properties = 0;
        if (version.isV5()) {
            properties =
                    propertiesLength(topicAlias, expirySeconds, subscriptionIds, forwardedLength);
            remaining += VarInt.length(properties) + properties;
        }
        byte[] to = bytes;
        int most = FIELD_BYTES_MAX + topic.length + subscriptionIds.length * ID_BYTES_MAX;
        if (most > to.length) {
            to = new byte[most];
            bytes = to;
        }
        to[0] = (byte) first;
        int at = VarInt.put(to, 1, remaining);
        at = putShort(to, at, topic.length);
        System.arraycopy(topic, 0, to, at, topic.length);
        at += topic.length;
        if (isAcknowledged) {
            at = putShort(to, at, packetId);
        }
        if (version.isV5()) {
            at = VarInt.put(to, at, properties);
            if (properties > 0) {
                at = putProperties(to, at, topicAlias, expirySeconds, subscriptionIds);
            }
        }
        return at;
    }

    private static int putProperties(
            byte[] to, int index, int topicAlias, long expirySeconds, int[] subscriptionIds) {
        int at = index;
        if (topicAlias != 0) {
            to[at] = (byte) ALIAS_ID;
            at = putShort(to, at + 1, topicAlias);
        }
        if (expirySeconds >= 0) {
            to[at] = (byte) EXPIRY_ID;
            at = putShort(to, at + 1, (int) (expirySeconds >> 16));
            at = putShort(to, at, (int) expirySeconds);
        }
        for (int id : subscriptionIds) {
            to[at] = (byte) SUBSCRIPTION_ID;
            at = VarInt.put(to, at + 1, id);
        }
        return at;
    }

    private static int putShort(byte[] to, int at, int value) {
        to[at] = (byte) (value >> 8);
        to[at + 1] = (byte) value;
        return at + 2;
    }

    private static int propertiesLength(
            int topicAlias, long expirySeconds, int[] subscriptionIds, int forwardedLength) {
        int length = forwardedLength + (topicAlias == 0 ? 0 : 3) + (expirySeconds < 0 ? 0 : 5);
        for (int id : subscriptionIds) {
            length += 1 + VarInt.length(id);
        }
        return length;
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
