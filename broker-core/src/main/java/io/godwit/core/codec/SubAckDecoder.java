package io.godwit.core.codec;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;

/** SUBACK and UNSUBACK, for clients (MQTT 5.0, 3.9 and 3.11). */
final class SubAckDecoder {
    private static final byte[] NO_CODES = new byte[0];

    private SubAckDecoder() {}

    static Packet.SubAck subAck(PacketReader in, ProtocolVersion version) {
        int packetId = in.packetId();
        Properties properties = properties(in, version);
        boolean[] legal = version.isV5() ? LegalReasons.SUBACK : LegalReasons.SUBACK_3X;
        return new Packet.SubAck(packetId, codes(in, legal, PacketType.SUBACK), properties);
    }

    static Packet.UnsubAck unsubAck(PacketReader in, ProtocolVersion version) {
        int packetId = in.packetId();
        if (!version.isV5()) {
            in.expectEnd();
            return new Packet.UnsubAck(packetId, NO_CODES, Properties.NONE);
        }
        Properties properties = properties(in, version);
        byte[] codes = codes(in, LegalReasons.UNSUBACK, PacketType.UNSUBACK);
        return new Packet.UnsubAck(packetId, codes, properties);
    }

    private static Properties properties(PacketReader in, ProtocolVersion version) {
        return version.isV5() ? PropertiesDecoder.decode(in, PropertyScope.ACK) : Properties.NONE;
    }

    private static byte[] codes(PacketReader in, boolean[] legal, PacketType type) {
        byte[] codes = in.rest();
        if (codes.length == 0) {
            throw ProtocolViolation.protocolError(type + " without a reason code");
        }
        for (byte code : codes) {
            LegalReasons.check(legal, code & 0xFF, type);
        }
        return codes;
    }
}
