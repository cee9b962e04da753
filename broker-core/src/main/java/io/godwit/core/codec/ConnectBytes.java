package io.godwit.core.codec;

import io.godwit.core.packet.Packet;
import io.netty.buffer.Unpooled;

/**
 * Turns a CONNECT into bytes for another node and back. It was judged when its client sent it, so
 * no bounds for strangers apply.
 */
public final class ConnectBytes {
    private ConnectBytes() {}

    /** Encodes a CONNECT without its fixed header. */
    public static byte[] encode(Packet.Connect connect) {
        byte[] bytes = new byte[ConnectEncoder.bodyLength(connect)];
        ConnectEncoder.writeBody(Unpooled.wrappedBuffer(bytes).clear(), connect);
        return bytes;
    }

    /**
     * Decodes what {@link #encode} has made.
     *
     * @throws ProtocolViolation it is no CONNECT
     */
    public static Packet.Connect decode(byte[] bytes) {
        PacketReader reader = new PacketReader();
        reader.open(Unpooled.wrappedBuffer(bytes), 0, bytes.length);
        return ConnectDecoder.decode(reader, new InboundState(Integer.MAX_VALUE));
    }
}
