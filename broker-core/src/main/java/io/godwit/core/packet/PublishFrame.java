package io.godwit.core.packet;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * A received PUBLISH as the router takes it: one instance per decoder, filled anew for each packet
 * and valid only during {@code PacketSink.onPublish}. The payload is a range of the receive buffer,
 * so nothing is copied and nothing allocated; what must outlive the call is copied to its exact
 * size.
 */
public final class PublishFrame {
    public static final byte[] NO_PROPERTIES = new byte[0];

    /** The interned topic, or null when a Topic Alias stands for it. */
    public @Nullable Topic topic;

    /** QoS that the client is answered by. */
    public int qos;

    /** QoS of the message: the same, unless somebody has changed it. */
    public int routedQos;

    public boolean dup;
    public boolean retain;

    /** Packet Identifier, 1..65 535 for QoS 1 and 2, else 0. */
    public int packetId;

    /** Topic Alias, 1..65 535, or 0 when absent. */
    public int topicAlias;

    /** Message Expiry Interval in seconds, 0..4 294 967 295, or -1 when absent. */
    public long expirySeconds;

    /** Payload Format Indicator 1: the payload claims to be UTF-8, which nobody has checked yet. */
    public boolean payloadIsText;

    /**
     * The properties that go to subscribers unaltered, as on the wire without the length: Payload
     * Format, Content Type, Response Topic, Correlation Data, User Property, in the order in which
     * they came.
     */
    public byte[] forwardedProperties = NO_PROPERTIES;

    /** Subscription Identifiers; only ever there when a client decodes what a server sent. */
    public int @Nullable [] subscriptionIds;

    /**
     * The receive buffer; the payload is its {@code payloadLength} bytes from {@code payloadIndex}
     * on.
     */
    @SuppressWarnings("NullAway.Init")
    public ByteBuf buffer;

    /** The payload by itself, when it was copied already; null in what is decoded. */
    public byte @Nullable [] copiedPayload;

    public int payloadIndex;
    public int payloadLength;

    /** A copy of the payload, exactly its size; when it was copied before, that. */
    public byte[] copyPayload() {
        byte[] before = copiedPayload;
        if (before != null) {
            return before;
        }
        byte[] copy = new byte[payloadLength];
        buffer.getBytes(payloadIndex, copy);
        return copy;
    }

    /** Copies the payload to where there is room for it. */
    public void copyPayload(byte[] to, int at) {
        buffer.getBytes(payloadIndex, to, at, payloadLength);
    }
}
