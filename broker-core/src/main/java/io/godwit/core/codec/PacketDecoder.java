package io.godwit.core.codec;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.ReasonCode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.IdentityHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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
    private final FilterPace filterPace;

    /** The SUBSCRIBEs and UNSUBSCRIBEs of which a part is decoded. */
    private final Map<InboundState, SubscribeDecoder> begun = new IdentityHashMap<>(0);

    /** First byte and length of the fixed header that was read last. */
    private int lastFirst;

    private int headerLength;

    public PacketDecoder(Role role) {
        this(role, TOPICS);
    }

    /**
     * A node's decoder, which takes packets from strangers.
     *
     * @param filterPace when it is used up, {@link #decode} ends within a packet, see {@link
     *     #isWithin}
     */
    public PacketDecoder(Role role, PacketBounds bounds, FilterPace filterPace) {
        this(role, TOPICS, new PacketReader(), filterPace);
        reader.bounds(bounds);
    }

    /**
     * @param topics how many Topic Names are remembered, a power of two
     */
    public PacketDecoder(Role role, int topics) {
        this(role, topics, new PacketReader());
    }

    PacketDecoder(Role role, int topics, PacketReader reader) {
        this(role, topics, reader, FilterPace.UNBOUNDED);
    }

    private PacketDecoder(Role role, int topics, PacketReader reader, FilterPace filterPace) {
        this.filterPace = filterPace;
        this.role = role;
        this.reader = reader;
        this.firstByte = new FirstByte(role);
        this.publishDecoder = new PublishDecoder(role, new TopicCache(topics), reader);
    }

    /**
     * Decodes every packet that is readable whole, until the sink wants no more or the pace of
     * filters is used up. The reader index is then at the first byte of the packet that was not
     * decoded whole; keeps no reference to the buffer.
     *
     * @throws ProtocolViolation the connection is to be closed; the reader index is anywhere
     * @throws NoMemoryForPacket the same
     */
    public void decode(ByteBuf in, InboundState state, PacketSink sink) {
        int index = in.readerIndex();
        int limit = in.writerIndex();
        ByteBuffer view = view(in, limit);
        try {
            while (index < limit && sink.wantsMore()) {
                int length = frameLength(view, index, limit - index, state);
                if (length == INCOMPLETE || length > limit - index || isUnwanted(sink)) {
                    return;
                }
                int end = index + length;
                in.readerIndex(end);
                if (!decodeOne(in, view, index + headerLength, end, state, sink)) {
                    in.readerIndex(index);
                    return;
                }
                index = end;
            }
        } finally {
            publishDecoder.release();
            reader.close();
        }
    }

    /** Whether the packet whose fixed header was read last is a PUBLISH that must wait. */
    private boolean isUnwanted(PacketSink sink) {
        return isPublish(lastFirst) && !sink.wantsPublish();
    }

    /** Whether a packet with this first byte is a PUBLISH. */
    public static boolean isPublish(int first) {
        return (first & 0xF0) == PacketType.PUBLISH.number() << 4;
    }

    /**
     * The bytes below {@code end} as NIO sees them, at the same indices. A ByteBuf looks at its
     * references with each access, which is much for what is read byte by byte.
     */
    private static ByteBuffer view(ByteBuf in, int end) {
        if (in.nioBufferCount() != 1) {
            return in.nioBuffer(0, end);
        }
        ByteBuffer view = in.internalNioBuffer(0, end);
        return view.position() == 0 ? view : view.slice();
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
        return frameLength(view(in, index + available), index, available, state);
    }

    private int frameLength(ByteBuffer in, int index, int available, InboundState state) {
        if (available < 1) {
            return INCOMPLETE;
        }
        int first = in.get(index) & 0xFF;
        firstByte.check(first, state.version);
        lastFirst = first;
        int remaining = 0;
        for (int i = 1; i < available; i++) {
            int b = in.get(index + i);
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

    /**
     * Whether a part of the next packet is decoded already. Nothing may be decoded before its bytes
     * are there again.
     */
    public boolean isWithin(InboundState state) {
        return !begun.isEmpty() && begun.containsKey(state);
    }

    /** Bytes that the part takes in memory. */
    public long heldBytes(InboundState state) {
        SubscribeDecoder part = begun.isEmpty() ? null : begun.get(state);
        return part == null ? 0 : part.heldBytes();
    }

    /** Forgets the part, since the connection has ended. */
    public void forget(InboundState state) {
        if (!begun.isEmpty()) {
            begun.remove(state);
        }
    }

    /**
     * @return whether it was decoded whole
     */
    private boolean decodeOne(
            ByteBuf in, ByteBuffer view, int body, int end, InboundState state, PacketSink sink) {
        int first = lastFirst;
        PacketType type = PacketType.of(first >> 4);
        ProtocolVersion version = state.version;
        if (version == null) {
            sink.onPacket(connect(in, body, end, state));
            return true;
        }
        switch (type) {
            case PUBLISH -> sink.onPublish(publish(first, in, view, body, end, state, version));
            case PUBACK, PUBREC, PUBREL, PUBCOMP ->
                    AckDecoder.decode(type, in, view, body, end, version.isV5(), reader, sink);
            case SUBSCRIBE, UNSUBSCRIBE -> {
                reader.open(in, body, end);
                Packet packet = filters(type, version, state);
                if (packet == null) {
                    return false;
                }
                sink.onPacket(packet);
            }
            default -> {
                reader.open(in, body, end);
                sink.onPacket(rare(type, version));
            }
        }
        return true;
    }

    /**
     * @return null when the packet is not decoded whole
     */
    private @Nullable Packet filters(PacketType type, ProtocolVersion version, InboundState state) {
        try {
            SubscribeDecoder part = begun.isEmpty() ? null : begun.remove(state);
            if (part == null) {
                part = new SubscribeDecoder(type, reader, version, state.isBridge);
            }
            if (part.goOn(reader, filterPace)) {
                return part.packet();
            }
            begun.put(state, part);
            return null;
        } catch (OutOfMemoryError e) {
            throw NoMemoryForPacket.INSTANCE;
        }
    }

    private PublishFrame publish(
            int first,
            ByteBuf in,
            ByteBuffer view,
            int body,
            int end,
            InboundState state,
            ProtocolVersion version) {
        try {
            return publishDecoder.decode(first, in, view, body, end, state, version);
        } catch (OutOfMemoryError e) {
            throw NoMemoryForPacket.INSTANCE;
        }
    }

    /**
     * Judges a CONNECT that was made in place of a client's, as if the client had sent it.
     *
     * @param packetBytesMax bytes that the whole packet may have
     * @return the same as it is decoded
     */
    public Packet.Connect judged(Packet.Connect made, int packetBytesMax) {
        byte[] body = ConnectBytes.encode(made);
        int length = 1 + VarInt.length(body.length) + body.length;
        if (length > packetBytesMax) {
            throw new ProtocolViolation(
                    ReasonCode.PACKET_TOO_LARGE, "CONNECT of " + length + " bytes");
        }
        reader.open(Unpooled.wrappedBuffer(body), 0, body.length);
        try {
            return ConnectDecoder.decode(reader, new InboundState(packetBytesMax));
        } finally {
            reader.close();
        }
    }

    private Packet connect(ByteBuf in, int body, int end, InboundState state) {
        reader.open(in, body, end);
        Packet.Connect connect;
        try {
            connect = ConnectDecoder.decode(reader, state);
        } catch (OutOfMemoryError e) {
            throw NoMemoryForPacket.INSTANCE;
        }
        // Only now it is known whether [MQTT-1.5.5-1] binds the length of this packet.
        if (connect.version().isV5() && in.getByte(body - 1) == 0) {
            throw notShortest();
        }
        return connect;
    }

    private Packet rare(PacketType type, ProtocolVersion version) {
        try {
            return decodeRare(type, version);
        } catch (OutOfMemoryError e) {
            throw NoMemoryForPacket.INSTANCE;
        }
    }

    private Packet decodeRare(PacketType type, ProtocolVersion version) {
        return switch (type) {
            case PINGREQ -> empty(Packet.PingReq.INSTANCE);
            case PINGRESP -> empty(Packet.PingResp.INSTANCE);
            case DISCONNECT -> DisconnectDecoder.disconnect(reader, version, role);
            case AUTH -> DisconnectDecoder.auth(reader, role);
            case CONNACK -> ConnAckDecoder.decode(reader, version);
            case SUBACK -> SubAckDecoder.subAck(reader, version);
            case UNSUBACK -> SubAckDecoder.unsubAck(reader, version);
            case CONNECT, PUBLISH, PUBACK, PUBREC, PUBREL, PUBCOMP, SUBSCRIBE, UNSUBSCRIBE ->
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
