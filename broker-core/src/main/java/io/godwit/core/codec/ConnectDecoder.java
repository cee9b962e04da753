package io.godwit.core.codec;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** CONNECT of every version (MQTT 5.0, 3.1). */
final class ConnectDecoder {
    private static final int RESERVED = 0x01;
    private static final int CLEAN_START = 0x02;
    private static final int WILL = 0x04;
    private static final int WILL_BITS = 0x38;
    private static final int PASSWORD = 0x40;
    private static final int USER_NAME = 0x80;

    private static final byte[] MQTT = {'M', 'Q', 'T', 'T'};
    private static final byte[] MQISDP = {'M', 'Q', 'I', 's', 'd', 'p'};

    private ConnectDecoder() {}

    static Packet.Connect decode(PacketReader in, InboundState state) {
        ProtocolVersion version = version(in, state);
        int flags = in.u8();
        checkFlags(flags, version);
        int keepAlive = in.u16();
        Properties properties =
                version.isV5()
                        ? PropertiesDecoder.decode(in, PropertyScope.CONNECT)
                        : Properties.NONE;
        state.answerBytesMax = InboundState.answerBytesMax(properties);
        if (properties.has(Property.AUTHENTICATION_DATA)
                && !properties.has(Property.AUTHENTICATION_METHOD)) {
            throw ProtocolViolation.protocolError(
                    "Authentication Data without Authentication Method");
        }
        boolean cleanStart = (flags & CLEAN_START) != 0;
        ClientId clientId = new ClientId(in.stringBytes());
        if (clientId.length() == 0 && !mayBeAssigned(version, cleanStart)) {
            throw new ProtocolViolation(
                    ReasonCode.CLIENT_IDENTIFIER_NOT_VALID, "empty Client Identifier");
        }
        in.admitCharacters(
                clientId.bytes(), ReasonCode.CLIENT_IDENTIFIER_NOT_VALID, "the Client Identifier");
        var will = (flags & WILL) != 0 ? WillDecoder.decode(in, version, flags) : null;
        String userName = has(flags, USER_NAME, in, version) ? in.string() : null;
        if (userName != null) {
            in.admitCharacters(
                    userName.getBytes(StandardCharsets.UTF_8),
                    ReasonCode.BAD_USER_NAME_OR_PASSWORD,
                    "the User Name");
        }
        byte[] password = has(flags, PASSWORD, in, version) ? in.binary() : null;
        in.expectEnd();
        return new Packet.Connect(
                version,
                clientId,
                cleanStart,
                keepAlive,
                will,
                userName,
                password,
                state.isBridge,
                properties);
    }

    /** Reads name and level; {@link InboundState#version} then tells how to answer a refusal. */
    private static ProtocolVersion version(PacketReader in, InboundState state) {
        byte[] name = in.stringBytes();
        boolean isMqtt = Arrays.equals(name, MQTT);
        if (!isMqtt && !Arrays.equals(name, MQISDP)) {
            throw new ProtocolViolation(
                    ReasonCode.UNSUPPORTED_PROTOCOL_VERSION,
                    "unknown Protocol Name " + shown(name));
        }
        int level = in.u8();
        int plain = BridgeLevel.standard(level);
        ProtocolVersion version = find(isMqtt, plain);
        if (version != null) {
            state.version = version;
            state.isBridge = BridgeLevel.isBridge(level);
            return version;
        }
        state.version = isMqtt && plain >= 5 ? ProtocolVersion.MQTT_5 : ProtocolVersion.MQTT_3_1_1;
        throw new ProtocolViolation(
                ReasonCode.UNSUPPORTED_PROTOCOL_VERSION, "unknown Protocol Level " + level);
    }

    /** The name as a line of a log can have it. */
    private static String shown(byte[] name) {
        int length = Math.min(name.length, 20);
        String text = new String(name, 0, length, StandardCharsets.US_ASCII);
        return '"' + text.replaceAll("[^ -~]", "?") + '"';
    }

    private static @Nullable ProtocolVersion find(boolean isMqtt, int level) {
        if (!isMqtt) {
            return level == 3 ? ProtocolVersion.MQTT_3_1 : null;
        }
        return switch (level) {
            case 4 -> ProtocolVersion.MQTT_3_1_1;
            case 5 -> ProtocolVersion.MQTT_5;
            default -> null;
        };
    }

    private static void checkFlags(int flags, ProtocolVersion version) {
        // [MQTT-3.1.2-3]; 3.1 says nothing about this bit
        if ((flags & RESERVED) != 0 && version != ProtocolVersion.MQTT_3_1) {
            throw ProtocolViolation.malformed("reserved Connect Flag is set");
        }
        // [MQTT-3.1.2-11] [MQTT-3.1.2-13]
        if ((flags & WILL) == 0 && (flags & WILL_BITS) != 0) {
            throw ProtocolViolation.malformed("Will QoS or Will Retain without Will Flag");
        }
        // [MQTT-3.1.2-12]
        if ((flags >> 3 & 3) == 3) {
            throw ProtocolViolation.malformed("Will QoS 3");
        }
        // [MQTT-3.1.2-22] of 3.1.1; 5.0 allows it
        if ((flags & PASSWORD) != 0 && (flags & USER_NAME) == 0 && !version.isV5()) {
            throw ProtocolViolation.malformed("Password without User Name");
        }
    }

    /** [MQTT-3.1.3-6], in 3.1.1 with [MQTT-3.1.3-7]; 3.1 wants an identifier always. */
    private static boolean mayBeAssigned(ProtocolVersion version, boolean cleanStart) {
        return switch (version) {
            case MQTT_3_1 -> false;
            case MQTT_3_1_1 -> cleanStart;
            case MQTT_5 -> true;
        };
    }

    /** In 3.1 the Remaining Length takes precedence over the flags of user name and password. */
    private static boolean has(int flags, int flag, PacketReader in, ProtocolVersion version) {
        return (flags & flag) != 0 && !(version == ProtocolVersion.MQTT_3_1 && in.isAtEnd());
    }
}
