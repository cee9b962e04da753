package io.godwit.server.extension.call;

import io.godwit.core.codec.LegalReasons;
import io.godwit.core.codec.PacketEncoder;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.extension.packet.AckPacket;
import io.godwit.extension.packet.AuthPacket;
import io.godwit.extension.packet.Bytes;
import io.godwit.extension.packet.ConnAckPacket;
import io.godwit.extension.packet.DisconnectPacket;
import io.godwit.extension.packet.PingPacket;
import io.godwit.extension.packet.SubAckPacket;
import io.godwit.extension.packet.UnsubAckPacket;
import io.godwit.extension.packet.UserProperty;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Turns the packets of points into those that extensions see, and back: then they are checked. */
final class PointPackets {
    private static final int ERRORS = 0x80;

    private PointPackets() {}

    /** Returns a packet as extensions see it. */
    static Object shown(Packet packet) {
        return switch (packet) {
            case Packet.ConnAck it ->
                    new ConnAckPacket(
                            it.code(),
                            it.sessionPresent(),
                            it.properties().text(Property.REASON_STRING),
                            it.properties().text(Property.RESPONSE_INFORMATION),
                            it.properties().text(Property.SERVER_REFERENCE),
                            Packets.users(it.properties()));
            case Packet.SubAck it ->
                    new SubAckPacket(
                            it.packetId(),
                            codes(it.codes()),
                            it.properties().text(Property.REASON_STRING),
                            Packets.users(it.properties()));
            case Packet.UnsubAck it ->
                    new UnsubAckPacket(
                            it.packetId(),
                            codes(it.codes()),
                            it.properties().text(Property.REASON_STRING),
                            Packets.users(it.properties()));
            case Packet.Ack it ->
                    new AckPacket(
                            it.packetId(),
                            it.reason().code(),
                            it.properties().text(Property.REASON_STRING),
                            Packets.users(it.properties()));
            case Packet.Disconnect it ->
                    new DisconnectPacket(
                            it.reason().code(),
                            it.properties().number(Property.SESSION_EXPIRY_INTERVAL, -1),
                            it.properties().text(Property.REASON_STRING),
                            it.properties().text(Property.SERVER_REFERENCE),
                            Packets.users(it.properties()));
            case Packet.Auth it -> auth(it);
            case Packet.PingReq ping -> new PingPacket();
            case Packet.PingResp ping -> new PingPacket();
            case Packet.Connect other -> throw noPoint(other);
            case Packet.Publish other -> throw noPoint(other);
            case Packet.Subscribe other -> throw noPoint(other);
            case Packet.Unsubscribe other -> throw noPoint(other);
        };
    }

    private static AuthPacket auth(Packet.Auth it) {
        byte[] data = it.properties().binary(Property.AUTHENTICATION_DATA);
        String method = it.properties().text(Property.AUTHENTICATION_METHOD);
        return new AuthPacket(
                it.reason().code(),
                method == null ? "" : method,
                data == null ? null : Bytes.copyOf(data),
                it.properties().text(Property.REASON_STRING),
                Packets.users(it.properties()));
    }

    private static IllegalStateException noPoint(Packet packet) {
        return new IllegalStateException("no point for " + packet.type());
    }

    private static List<Integer> codes(byte[] codes) {
        List<Integer> shown = new ArrayList<>(codes.length);
        for (byte each : codes) {
            shown.add(each & 0xFF);
        }
        return shown;
    }

    /**
     * Returns what an extension has made of a packet.
     *
     * @param bytesMax of the packet
     */
    static Packet made(
            Object made, Packet given, boolean isOut, ProtocolVersion version, int bytesMax)
            throws BadAnswer {
        Packet checked = made(made, given, isOut, version);
        int length = PacketEncoder.encodedLength(checked, version);
        if (length > bytesMax) {
            throw new BadAnswer(
                    "a packet of " + length + " bytes; " + bytesMax + " are allowed in a packet");
        }
        return checked;
    }

    private static Packet made(Object made, Packet given, boolean isOut, ProtocolVersion version)
            throws BadAnswer {
        if (given instanceof Packet.ConnAck before && made instanceof ConnAckPacket it) {
            return connAck(it, before, version);
        }
        if (given instanceof Packet.SubAck before && made instanceof SubAckPacket it) {
            return new Packet.SubAck(
                    before.packetId(),
                    codes(it.reasonCodes(), before.codes(), PacketType.SUBACK, version),
                    said(it.reasonString(), it.userProperties(), before.properties()));
        }
        if (given instanceof Packet.UnsubAck before && made instanceof UnsubAckPacket it) {
            return new Packet.UnsubAck(
                    before.packetId(),
                    codes(it.reasonCodes(), before.codes(), PacketType.UNSUBACK, version),
                    said(it.reasonString(), it.userProperties(), before.properties()));
        }
        if (given instanceof Packet.Ack before && made instanceof AckPacket it && isOut) {
            return new Packet.Ack(
                    before.type(),
                    before.packetId(),
                    reason(it.reasonCode(), before.reason(), before.type(), version),
                    said(it.reasonString(), it.userProperties(), before.properties()));
        }
        if (given instanceof Packet.Disconnect before && made instanceof DisconnectPacket it) {
            return isOut
                    ? disconnect(it, before, version)
                    : disconnectOfClient(it, before, version);
        }
        if (given instanceof Packet.Auth before && made instanceof AuthPacket it) {
            return auth(it, before);
        }
        throw new BadAnswer("a packet of this point can't be changed");
    }

    private static Packet connAck(
            ConnAckPacket made, Packet.ConnAck before, ProtocolVersion version) throws BadAnswer {
        if (made.sessionPresent() != before.sessionPresent()) {
            throw new BadAnswer("Session Present can't be changed");
        }
        Properties.Builder to =
                from(
                        before.properties()
                                .without(Property.RESPONSE_INFORMATION)
                                .without(Property.SERVER_REFERENCE));
        add(Property.RESPONSE_INFORMATION, made.responseInformation(), to);
        add(Property.SERVER_REFERENCE, made.serverReference(), to);
        return new Packet.ConnAck(
                before.sessionPresent(),
                code(made.reasonCode(), before.code(), PacketType.CONNACK, version),
                said(made.reasonString(), made.userProperties(), to));
    }

    private static Packet disconnect(
            DisconnectPacket made, Packet.Disconnect before, ProtocolVersion version)
            throws BadAnswer {
        if (made.sessionExpirySeconds() >= 0) {
            throw new BadAnswer("a session expiry in a DISCONNECT to a client");
        }
        Properties.Builder to = from(before.properties().without(Property.SERVER_REFERENCE));
        add(Property.SERVER_REFERENCE, made.serverReference(), to);
        return new Packet.Disconnect(
                reason(made.reasonCode(), before.reason(), PacketType.DISCONNECT, version),
                said(made.reasonString(), made.userProperties(), to));
    }

    private static Packet disconnectOfClient(
            DisconnectPacket made, Packet.Disconnect before, ProtocolVersion version)
            throws BadAnswer {
        if (made.reasonCode() != before.reason().code()) {
            throw new BadAnswer("the reason of a client's DISCONNECT can't be changed");
        }
        if (!version.isV5()) {
            return before;
        }
        long expiry = made.sessionExpirySeconds();
        MadeConnect.checkRange("session expiry", expiry, -1, MadeConnect.SECONDS_MAX);
        Properties.Builder to = from(before.properties().without(Property.SESSION_EXPIRY_INTERVAL));
        if (expiry >= 0) {
            to.add(Property.SESSION_EXPIRY_INTERVAL, expiry);
        }
        return new Packet.Disconnect(
                before.reason(), said(made.reasonString(), made.userProperties(), to));
    }

    private static Packet auth(AuthPacket made, Packet.Auth before) throws BadAnswer {
        String method = before.properties().text(Property.AUTHENTICATION_METHOD);
        if (made.reasonCode() != before.reason().code()
                || !made.method().equals(method == null ? "" : method)) {
            throw new BadAnswer("reason and Authentication Method of an AUTH can't be changed");
        }
        Properties.Builder to = from(before.properties().without(Property.AUTHENTICATION_DATA));
        Bytes data = made.data();
        if (data != null) {
            to.add(Property.AUTHENTICATION_DATA, Packets.binary(data, "authentication data"));
        }
        return new Packet.Auth(
                before.reason(), said(made.reasonString(), made.userProperties(), to));
    }

    /** Begins with what stands in a packet beside Reason String and User Properties. */
    private static Properties.Builder from(Properties before) {
        return Properties.builder().addAll(before.without(Property.REASON_STRING).withoutUsers());
    }

    private static Properties said(
            @Nullable String reasonString, List<UserProperty> users, Properties before)
            throws BadAnswer {
        return said(reasonString, users, from(before));
    }

    private static Properties said(
            @Nullable String reasonString, List<UserProperty> users, Properties.Builder to)
            throws BadAnswer {
        add(Property.REASON_STRING, reasonString, to);
        MadeConnect.addUsers(users, to);
        return to.build();
    }

    private static void add(Property property, @Nullable String text, Properties.Builder to)
            throws BadAnswer {
        if (text != null) {
            Utf8Text.of(text, property.toString());
            to.add(property, text);
        }
    }

    private static byte[] codes(
            List<Integer> made, byte[] before, PacketType type, ProtocolVersion version)
            throws BadAnswer {
        if (made.size() != before.length) {
            throw new BadAnswer(made.size() + " codes; it must have those " + before.length);
        }
        byte[] codes = new byte[before.length];
        for (int i = 0; i < codes.length; i++) {
            codes[i] = (byte) code(made.get(i), before[i] & 0xFF, type, version);
        }
        return codes;
    }

    private static ReasonCode reason(
            int made, ReasonCode before, PacketType type, ProtocolVersion version)
            throws BadAnswer {
        ReasonCode reason = ReasonCode.of(code(made, before.code(), type, version));
        if (reason == null) {
            throw new BadAnswer("reason code " + made);
        }
        return reason;
    }

    /** Returns a code that the packet may have: a success stays one, and so does a failure. */
    private static int code(int made, int before, PacketType type, ProtocolVersion version)
            throws BadAnswer {
        if (made == before) {
            return made;
        }
        if (!LegalReasons.mayBeSent(type, made, version)
                || (made >= ERRORS) != (before >= ERRORS)) {
            throw new BadAnswer(
                    type
                            + " with code 0x"
                            + Integer.toHexString(made)
                            + " in place of 0x"
                            + Integer.toHexString(before));
        }
        return made;
    }
}
