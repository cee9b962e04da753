package io.godwit.core.codec;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;

/** DISCONNECT and AUTH (MQTT 5.0, 3.14 and 3.15). */
final class DisconnectDecoder {
    private static final Packet.Disconnect NORMAL =
            new Packet.Disconnect(ReasonCode.SUCCESS, Properties.NONE);

    private DisconnectDecoder() {}

    static Packet.Disconnect disconnect(PacketReader in, ProtocolVersion version, Role receiver) {
        if (!version.isV5()) {
            in.expectEnd();
        }
        if (in.isAtEnd()) {
            return NORMAL;
        }
        boolean[] legal = LegalReasons.ofDisconnect(receiver);
        ReasonCode reason = LegalReasons.reason(legal, in.u8(), PacketType.DISCONNECT);
        Properties properties =
                in.isAtEnd()
                        ? Properties.NONE
                        : PropertiesDecoder.decode(in, PropertyScope.DISCONNECT);
        in.expectEnd();
        if (receiver == Role.CLIENT && properties.has(Property.SESSION_EXPIRY_INTERVAL)) {
            // [MQTT-3.14.2-2]
            throw ProtocolViolation.protocolError("Session Expiry Interval from a server");
        }
        return new Packet.Disconnect(reason, properties);
    }

    static Packet.Auth auth(PacketReader in, Role receiver) {
        boolean[] legal = LegalReasons.ofAuth(receiver);
        if (in.isAtEnd()) {
            LegalReasons.check(legal, 0, PacketType.AUTH);
            return new Packet.Auth(ReasonCode.SUCCESS, Properties.NONE);
        }
        ReasonCode reason = LegalReasons.reason(legal, in.u8(), PacketType.AUTH);
        Properties properties = PropertiesDecoder.decode(in, PropertyScope.AUTH);
        in.expectEnd();
        if (!properties.has(Property.AUTHENTICATION_METHOD)) {
            throw ProtocolViolation.protocolError("AUTH without Authentication Method");
        }
        return new Packet.Auth(reason, properties);
    }
}
