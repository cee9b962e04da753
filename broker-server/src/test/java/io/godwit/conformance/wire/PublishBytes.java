package io.godwit.conformance.wire;

import static io.godwit.conformance.wire.Bytes.concat;
import static io.godwit.conformance.wire.Bytes.packet;
import static io.godwit.conformance.wire.Bytes.props;
import static io.godwit.conformance.wire.Bytes.u16;
import static io.godwit.conformance.wire.Bytes.utf8;

/** A PUBLISH packet in the making. */
public final class PublishBytes implements Sendable {
    private static final byte[] NONE = {};

    private final boolean v5;
    private int firstByte = 0x30;
    private byte[] topic;
    private byte[] packetId = NONE;
    private byte[] properties = NONE;
    private byte[] payload = NONE;

    private PublishBytes(boolean v5, byte[] topic) {
        this.v5 = v5;
        this.topic = topic;
    }

    /** QoS 0, no properties, no payload. */
    public static PublishBytes v5(String topic) {
        return new PublishBytes(true, utf8(topic));
    }

    public static PublishBytes v311(String topic) {
        return new PublishBytes(false, utf8(topic));
    }

    /** QoS 1 or 2 with its Packet Identifier. */
    public PublishBytes qos(int qos, int packetId) {
        firstByte |= qos << 1;
        this.packetId = u16(packetId);
        return this;
    }

    public PublishBytes dup() {
        return flags(0x08);
    }

    public PublishBytes retain() {
        return flags(0x01);
    }

    /** Sets these bits of the first byte. */
    public PublishBytes flags(int bits) {
        firstByte |= bits;
        return this;
    }

    /**
     * @param withLength the whole field
     */
    public PublishBytes topic(byte[] withLength) {
        topic = withLength;
        return this;
    }

    public PublishBytes properties(byte[]... more) {
        properties = concat(properties, concat(more));
        return this;
    }

    public PublishBytes payload(String text) {
        return payload(Bytes.text(text));
    }

    public PublishBytes payload(byte[] bytes) {
        payload = bytes;
        return this;
    }

    @Override
    public byte[] bytes() {
        return v5
                ? packet(firstByte, topic, packetId, props(properties), payload)
                : packet(firstByte, topic, packetId, payload);
    }
}
