package io.godwit.core.codec;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.netty.buffer.ByteBuf;

/**
 * Bytes to packets, strictly. One instance serves all connections of a shard, since it keeps
 * nothing of a connection ({@link InboundState} does) but shares the frame and the topics seen
 * lately. Not thread-safe.
 *
 * <p>A packet is decoded when it is there whole; until then {@link #frameLength} tells how long it
 * will be, and refuses one that is too large or may not come now as soon as its fixed header is
 * readable. What cannot be parsed is MALFORMED_PACKET, what parses and says what is not allowed is
 * PROTOCOL_ERROR (MQTT 5.0, 1.2), unless the standard names another reason code. A Topic Name or
 * Topic Filter that breaks the grammar of 4.7 counts as malformed: 0x8F and 0x90 are for
 * well-formed ones that are not accepted.
 */
public final class PacketDecoder {
    /** Answer of {@link #frameLength} while the fixed header is not there whole. */
    public static final int INCOMPLETE = -1;

    private static final int TOPICS = 16 * 1024;

    private final Role role;
    private final FirstByte firstByte;
    private final PacketReader reader;
    private final PublishDecoder publishDecoder;

    /** First byte and length of the fixed header that was read last. */
    private int lastFirst;

    private int headerLength;

    public PacketDecoder(Role role) {
        this(role, TOPICS);
    }

    /** A node's decoder, which takes packets from strangers. */
    public PacketDecoder(Role role, PacketBounds bounds) {
        this(role, TOPICS);
        reader.bounds(bounds);
    }

    /**
     * @param topics how many Topic Names are remembered, a power of two
     */
    public PacketDecoder(Role role, int topics) {
        this(role, topics, new PacketReader());
    }

    PacketDecoder(Role role, int topics, PacketReader reader) {
        this.role = role;
        this.reader = reader;
        this.firstByte = new FirstByte(role);
        this.publishDecoder = new PublishDecoder(role, new TopicCache(topics), reader);
    }

    /**
     * Decodes every packet that is readable whole, until the sink wants no more. The reader index
     * is then at the first byte of the packet that was not decoded; keeps no reference to the
     * buffer.
     *
     * @throws ProtocolViolation the connection is to be closed; the reader index is anywhere
     */
    public void decode(ByteBuf in, InboundState state, PacketSink sink) {
        int index = in.readerIndex();
        int limit = in.writerIndex();
        try {
            while (index < limit && sink.wantsMore()) {
                int length = frameLength(in, index, limit - index, state);
                if (length == INCOMPLETE || length > limit - index) {
                    return;
                }
                int end = index + length;
                in.readerIndex(end);
                decodeOne(in, index + headerLength, end, state, sink);
                index = end;
            }
        } finally {
            publishDecoder.release();
            reader.close();
        }
    }

    /**
     * The length of the whole packet that begins at {@code index}, fixed header included, or {@link
     * #INCOMPLETE} when the header is not there whole.
     *
     * @param available bytes from {@code index} on, 0 or more
     * @throws ProtocolViolation PACKET_TOO_LARGE above {@link InboundState#packetBytesMax}; what
     *     the first byte alone shows to be wrong
     */
    public int frameLength(ByteBuf in, int index, int available, InboundState state) {
        if (available < 1) {
            return INCOMPLETE;
        }
        int first = in.getUnsignedByte(index);
        firstByte.check(first, state.version);
        lastFirst = first;
        int remaining = 0;
        for (int i = 1; i < available; i++) {
            int b = in.getByte(index + i);
            remaining |= (b & 0x7F) << 7 * (i - 1);
            if (b >= 0) {
                if (b == 0 && i > 1 && state.version == ProtocolVersion.MQTT_5) {
                    throw notShortest();
                }
                int length = 1 + i + remaining;
                if (length > state.packetBytesMax) {
                    throw new ProtocolViolation(
                            ReasonCode.PACKET_TOO_LARGE, "packet of " + length + " bytes");
                }
                headerLength = 1 + i;
                return length;
            }
            if (i == 4) {
                throw ProtocolViolation.malformed("Remaining Length of more than four bytes");
            }
        }
        return INCOMPLETE;
    }

    private void decodeOne(ByteBuf in, int body, int end, InboundState state, PacketSink sink) {
        int first = lastFirst;
        PacketType type = PacketType.of(first >> 4);
        ProtocolVersion version = state.version;
        if (version == null) {
            sink.onPacket(connect(in, body, end, state));
            return;
        }
        switch (type) {
            case PUBLISH ->
                    sink.onPublish(publishDecoder.decode(first, in, body, end, state, version));
            case PUBACK, PUBREC, PUBREL, PUBCOMP ->
                    AckDecoder.decode(type, in, body, end, version.isV5(), reader, sink);
            default -> {
                reader.open(in, body, end);
                sink.onPacket(decodeRare(type, version));
            }
        }
    }

    private Packet connect(ByteBuf in, int body, int end, InboundState state) {
        reader.open(in, body, end);
        Packet.Connect connect = ConnectDecoder.decode(reader, state);
        // Only now it is known whether [MQTT-1.5.5-1] binds the length of this packet.
        if (connect.version().isV5() && in.getByte(body - 1) == 0) {
            throw notShortest();
        }
        return connect;
    }

    private Packet decodeRare(PacketType type, ProtocolVersion version) {
        return switch (type) {
            case SUBSCRIBE -> SubscribeDecoder.subscribe(reader, version);
            case UNSUBSCRIBE -> SubscribeDecoder.unsubscribe(reader, version);
            case PINGREQ -> empty(Packet.PingReq.INSTANCE);
            case PINGRESP -> empty(Packet.PingResp.INSTANCE);
            case DISCONNECT -> DisconnectDecoder.disconnect(reader, version, role);
            case AUTH -> DisconnectDecoder.auth(reader, role);
            case CONNACK -> ConnAckDecoder.decode(reader, version);
            case SUBACK -> SubAckDecoder.subAck(reader, version);
            case UNSUBACK -> SubAckDecoder.unsubAck(reader, version);
            case CONNECT, PUBLISH, PUBACK, PUBREC, PUBREL, PUBCOMP ->
                    throw new IllegalStateException(type + " is decoded elsewhere");
        };
    }

    private Packet empty(Packet packet) {
        reader.expectEnd();
        return packet;
    }

    private static ProtocolViolation notShortest() {
        return ProtocolViolation.malformed("Remaining Length is not in its shortest form");
    }
}
