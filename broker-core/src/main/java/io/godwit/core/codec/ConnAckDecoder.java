package io.godwit.core.codec;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;

/** CONNACK, for clients (MQTT 5.0, 3.2). */
final class ConnAckDecoder {
    private ConnAckDecoder() {}

    static Packet.ConnAck decode(PacketReader in, ProtocolVersion version) {
        int flags = in.u8();
        if (version == ProtocolVersion.MQTT_3_1) {
            flags = 0; // a byte without meaning there
        }
        if (flags > 1) {
            throw ProtocolViolation.malformed("reserved Connect Acknowledge Flags"); // 3.2.2-1
        }
        int code = in.u8();
        if (version.isV5()) {
            LegalReasons.check(LegalReasons.CONNACK, code, PacketType.CONNACK);
        } else if (code > 5) {
            throw ProtocolViolation.protocolError("CONNACK with return code " + code);
        }
        if (code != 0 && flags != 0) {
            throw ProtocolViolation.protocolError("Session Present in a refusal"); // 3.2.2-6
        }
        Properties properties =
                version.isV5()
                        ? PropertiesDecoder.decode(in, PropertyScope.CONNACK)
                        : Properties.NONE;
        in.expectEnd();
        return new Packet.ConnAck(flags == 1, code, properties);
    }
}
