package io.godwit.core.codec;

import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/** PUBACK, PUBREC, PUBREL and PUBCOMP (MQTT 5.0, 3.4 to 3.7). */
final class AckDecoder {
    private AckDecoder() {}

    /**
     * @param view the same bytes as {@code in}
     * @param index where the Packet Identifier stands
     * @param end the first byte behind the packet
     */
    static void decode(
            PacketType type,
            ByteBuf in,
            ByteBuffer view,
            int index,
            int end,
            boolean isV5,
            PacketReader reader,
            PacketSink sink) {
        int length = end - index;
        if (length < 2 || (length > 2 && !isV5)) {
            throw ProtocolViolation.malformed(type + " of " + length + " bytes");
        }
        int packetId = view.getShort(index) & 0xFFFF;
        if (packetId == 0) {
            throw ProtocolViolation.protocolError(type + " with Packet Identifier 0");
        }
        int code = 0;
        if (length > 2) {
            code = view.get(index + 2) & 0xFF;
            LegalReasons.check(LegalReasons.ofAck(type), code, type);
        }
        if (length > 3) {
            reader.open(in, index + 3, end);
            if (sink.wantsAckProperties()) {
                Properties properties = PropertiesDecoder.decode(reader, PropertyScope.ACK);
                reader.expectEnd();
                sink.onAck(type, packetId, code, properties);
                return;
            }
            PropertiesDecoder.skip(reader, PropertyScope.ACK);
            reader.expectEnd();
        }
        sink.onAck(type, packetId, code);
    }
}
