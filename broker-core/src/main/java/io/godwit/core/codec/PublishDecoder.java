package io.godwit.core.codec;

import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * PUBLISH into the one {@link PublishFrame} of its decoder (MQTT 5.0, 3.3). Allocates only for a
 * topic that nobody named lately, and for properties that go to subscribers.
 */
final class PublishDecoder {
    private static final int FORWARDED =
            PropertyScope.bit(Property.PAYLOAD_FORMAT_INDICATOR)
                    | PropertyScope.bit(Property.CONTENT_TYPE)
                    | PropertyScope.bit(Property.RESPONSE_TOPIC)
                    | PropertyScope.bit(Property.CORRELATION_DATA)
                    | PropertyScope.bit(Property.USER_PROPERTY);

    private final Role role;
    private final TopicCache topics;
    private final PacketReader reader;
    private final PublishFrame frame = new PublishFrame();

    PublishDecoder(Role role, TopicCache topics, PacketReader reader) {
        this.role = role;
        this.topics = topics;
        this.reader = reader;
    }

    /**
     * @param first the checked first byte
     * @param view the same bytes as {@code in}
     * @param index where the Topic Name begins
     * @param end the first byte behind the packet
     */
    PublishFrame decode(
            int first,
            ByteBuf in,
            ByteBuffer view,
            int index,
            int end,
            InboundState state,
            ProtocolVersion version) {
        int qos = first >> 1 & 3;
        int topicAt = index + 2;
        int topicLength = topicAt > end ? 0 : view.getShort(index) & 0xFFFF;
        int at = topicAt + topicLength;
        int packetId = 0;
        if (qos != 0) {
            at += 2;
            packetId = at > end ? 0 : view.getShort(at - 2) & 0xFFFF;
        }
        if (at > end) {
            throw ProtocolViolation.malformed("PUBLISH ends before its payload");
        }
        if (qos != 0 && packetId == 0) {
            throw ProtocolViolation.protocolError("PUBLISH with Packet Identifier 0");
        }
        PublishFrame into = frame;
        refer(into, in, topicLength == 0 ? null : topic(view, topicAt, topicLength, state));
        into.qos = qos;
        into.routedQos = qos;
        into.dup = (first & 8) != 0;
        into.retain = (first & 1) != 0;
        into.packetId = packetId;
        into.topicAlias = 0;
        into.expirySeconds = -1;
        into.payloadIsText = false;
        if (version.isV5()) {
            if (at < end && view.get(at) == 0) {
                at++;
            } else {
                at = properties(in, at, end);
            }
        }
        if (topicLength == 0 && into.topicAlias == 0) {
            throw ProtocolViolation.protocolError("PUBLISH without Topic Name");
        }
        into.payloadIndex = at;
        into.payloadLength = end - at;
        return into;
    }

    /**
     * Has the frame name the buffer and the topic, and nothing else. What it names already is not
     * written: in an object as old as the frame, each reference that is written costs a fence (G1's
     * barrier), and the packets of one read mostly share both.
     */
    private static void refer(PublishFrame into, ByteBuf in, @Nullable Topic topic) {
        if (into.buffer != in) {
            into.buffer = in;
        }
        if (into.topic != topic) {
            into.topic = topic;
        }
        if (into.forwardedProperties != PublishFrame.NO_PROPERTIES) {
            into.forwardedProperties = PublishFrame.NO_PROPERTIES;
        }
        into.subscriptionIds = null;
    }

    /** Lets go of the buffer. */
    void release() {
        frame.buffer = Unpooled.EMPTY_BUFFER;
    }

    private Topic topic(ByteBuffer in, int index, int length, InboundState state) {
        Topic last = state.lastTopic;
        if (last != null && TopicCache.matches(last, in, index, length)) {
            return last;
        }
        Topic topic = topics.intern(in, index, length, reader);
        if (length <= TopicCache.TOPIC_BYTES_MAX) {
            state.lastTopic = topic;
        }
        return topic;
    }

    /** Returns the index behind the properties. */
    private int properties(ByteBuf in, int from, int end) {
        PacketReader properties = reader;
        properties.open(in, from, end);
        int length = properties.varInt();
        properties.narrow(length);
        int start = properties.index();
        int forwardedBytes = 0;
        int users = 0;
        int seen = 0;
        while (!properties.isAtEnd()) {
            int at = properties.index();
            // [MQTT-3.3.4-4] several Subscription Identifiers are legal, from a server only
            Property property =
                    properties.property(
                            PropertyScope.PUBLISH,
                            seen & ~PropertyScope.bit(Property.SUBSCRIPTION_IDENTIFIER));
            seen |= PropertyScope.bit(property);
            if (property == Property.USER_PROPERTY) {
                properties.admitUserProperty(++users);
            }
            value(properties, property);
            if ((FORWARDED & PropertyScope.bit(property)) != 0) {
                forwardedBytes += properties.index() - at;
            }
        }
        if (forwardedBytes > 0) {
            frame.forwardedProperties = copyForwarded(in, start, length, forwardedBytes);
        }
        return start + length;
    }

    private void value(PacketReader properties, Property property) {
        switch (property) {
            case TOPIC_ALIAS ->
                    frame.topicAlias = (int) PropertiesDecoder.number(properties, property);
            case MESSAGE_EXPIRY_INTERVAL ->
                    frame.expirySeconds = PropertiesDecoder.number(properties, property);
            case PAYLOAD_FORMAT_INDICATOR ->
                    frame.payloadIsText = PropertiesDecoder.number(properties, property) == 1;
            case SUBSCRIPTION_IDENTIFIER -> {
                if (role == Role.SERVER) {
                    // [MQTT-3.3.4-6]
                    throw ProtocolViolation.protocolError(
                            "PUBLISH from a client with a Subscription Identifier");
                }
                frame.subscriptionIds =
                        append(
                                frame.subscriptionIds,
                                (int) PropertiesDecoder.number(properties, property));
            }
            default -> PropertiesDecoder.skipValue(properties, property);
        }
    }

    /** Copies what goes to subscribers, in its order; the rest stands between. */
    private byte[] copyForwarded(ByteBuf in, int start, int length, int bytes) {
        byte[] copy = new byte[bytes];
        if (bytes == length) {
            in.getBytes(start, copy);
            return copy;
        }
        PacketReader properties = reader;
        properties.open(in, start, start + length);
        int filled = 0;
        while (!properties.isAtEnd()) {
            int at = properties.index();
            Property property = properties.property(PropertyScope.PUBLISH, 0);
            PropertiesDecoder.skipValue(properties, property);
            if ((FORWARDED & PropertyScope.bit(property)) != 0) {
                int size = properties.index() - at;
                in.getBytes(at, copy, filled, size);
                filled += size;
            }
        }
        return copy;
    }

    private static int[] append(int @Nullable [] ids, int id) {
        int[] longer = ids == null ? new int[1] : Arrays.copyOf(ids, ids.length + 1);
        longer[longer.length - 1] = id;
        return longer;
    }
}
