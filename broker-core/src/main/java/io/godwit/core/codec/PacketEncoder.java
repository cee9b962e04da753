package io.godwit.core.codec;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.netty.buffer.ByteBuf;

/**
 * Packets to bytes, in the shortest form that the standard allows. What a version does not have
 * (properties and reason codes in 3.x) is left out. The message path uses {@link PublishEncoder}
 * and {@link #ack} instead of values.
 */
public final class PacketEncoder {
    private static final int PINGRESP = 0xD000;

    private PacketEncoder() {}

    /** Appends the packet. */
    public static void encode(Packet packet, ProtocolVersion version, ByteBuf out) {
        int body = bodyLength(packet, version);
        out.ensureWritable(1 + VarInt.length(body) + body);
        out.writeByte(packet.type().number() << 4 | flags(packet));
        VarInt.write(out, body);
        writeBody(packet, version, body, out);
    }

    /** Bytes of the whole packet, fixed header included. */
    public static int encodedLength(Packet packet, ProtocolVersion version) {
        int body = bodyLength(packet, version);
        return 1 + VarInt.length(body) + body;
    }

    /**
     * Appends PUBACK, PUBREC, PUBREL or PUBCOMP with reason code 0; 4 bytes in every version.
     *
     * @param packetId 1..65 535
     */
    public static void ack(ByteBuf out, PacketType type, int packetId) {
        out.writeInt(ackFirstByte(type) << 24 | 2 << 16 | packetId);
    }

    /** Appends PUBACK, PUBREC, PUBREL or PUBCOMP with a reason code, for 5.0; at most 5 bytes. */
    public static void ack(ByteBuf out, PacketType type, int packetId, int reasonCode) {
        if (reasonCode == 0) {
            ack(out, type, packetId);
        } else {
            out.writeInt(ackFirstByte(type) << 24 | 3 << 16 | packetId);
            out.writeByte(reasonCode);
        }
    }

    /** Appends PINGRESP; 2 bytes. */
    public static void pingResp(ByteBuf out) {
        out.writeShort(PINGRESP);
    }

    private static int ackFirstByte(PacketType type) {
        return type.number() << 4 | (type == PacketType.PUBREL ? 2 : 0);
    }

    private static int flags(Packet packet) {
        return switch (packet.type()) {
            case PUBREL, SUBSCRIBE, UNSUBSCRIBE -> 2;
            case PUBLISH -> {
                Packet.Publish publish = (Packet.Publish) packet;
                yield publish.qos() << 1 | (publish.dup() ? 8 : 0) | (publish.retain() ? 1 : 0);
            }
            case CONNECT,
                    CONNACK,
                    PUBACK,
                    PUBREC,
                    PUBCOMP,
                    SUBACK,
                    UNSUBACK,
                    PINGREQ,
                    PINGRESP,
                    DISCONNECT,
                    AUTH ->
                    0;
        };
    }

    private static int bodyLength(Packet packet, ProtocolVersion version) {
        boolean isV5 = version.isV5();
        return switch (packet) {
            case Packet.Connect connect -> ConnectEncoder.bodyLength(connect);
            case Packet.ConnAck connAck -> 2 + properties(connAck.properties(), isV5);
            case Packet.Publish publish -> {
                Topic topic = publish.topic();
                yield 2
                        + (topic == null ? 0 : topic.length())
                        + (publish.qos() == 0 ? 0 : 2)
                        + properties(publish.properties(), isV5)
                        + publish.payload().length;
            }
            case Packet.Ack ack -> 2 + reason(ack.reason(), ack.properties(), isV5);
            case Packet.Subscribe subscribe -> {
                int length = 2 + properties(subscribe.properties(), isV5);
                for (Packet.Subscription subscription : subscribe.subscriptions()) {
                    length += 2 + subscription.filter().length() + 1;
                }
                yield length;
            }
            case Packet.SubAck subAck ->
                    2 + properties(subAck.properties(), isV5) + subAck.codes().length;
            case Packet.Unsubscribe unsubscribe -> {
                int length = 2 + properties(unsubscribe.properties(), isV5);
                for (TopicFilter filter : unsubscribe.filters()) {
                    length += 2 + filter.length();
                }
                yield length;
            }
            case Packet.UnsubAck unsubAck ->
                    isV5
                            ? 2 + properties(unsubAck.properties(), true) + unsubAck.codes().length
                            : 2;
            case Packet.PingReq ping -> 0;
            case Packet.PingResp ping -> 0;
            case Packet.Disconnect disconnect ->
                    reason(disconnect.reason(), disconnect.properties(), isV5);
            case Packet.Auth auth -> authLength(auth);
        };
    }

    private static int properties(Properties properties, boolean isV5) {
        return isV5 ? PropertiesEncoder.length(properties) : 0;
    }

    /** Reason code and properties at the end of a packet, both left out where they may be. */
    private static int reason(ReasonCode reason, Properties properties, boolean isV5) {
        if (!isV5 || (reason == ReasonCode.SUCCESS && properties.isEmpty())) {
            return 0;
        }
        return properties.isEmpty() ? 1 : 1 + PropertiesEncoder.length(properties);
    }

    /** AUTH has no form with a reason code alone (3.15.2.1). */
    private static int authLength(Packet.Auth auth) {
        boolean isShort = auth.reason() == ReasonCode.SUCCESS && auth.properties().isEmpty();
        return isShort ? 0 : 1 + PropertiesEncoder.length(auth.properties());
    }

    private static void writeBody(Packet packet, ProtocolVersion version, int length, ByteBuf out) {
        boolean isV5 = version.isV5();
        switch (packet) {
            case Packet.Connect connect -> ConnectEncoder.writeBody(out, connect);
            case Packet.ConnAck connAck -> {
                // 3.1 has no such flag
                boolean hasFlag = version != ProtocolVersion.MQTT_3_1;
                out.writeByte(hasFlag && connAck.sessionPresent() ? 1 : 0);
                out.writeByte(connAck.code());
                writeProperties(out, connAck.properties(), isV5);
            }
            case Packet.Publish publish -> writePublish(out, publish, isV5);
            case Packet.Ack ack -> {
                out.writeShort(ack.packetId());
                writeReason(out, ack.reason(), ack.properties(), length - 2);
            }
            case Packet.Subscribe subscribe -> {
                out.writeShort(subscribe.packetId());
                writeProperties(out, subscribe.properties(), isV5);
                for (Packet.Subscription subscription : subscribe.subscriptions()) {
                    PropertiesEncoder.writeBinary(out, subscription.filter().bytes());
                    out.writeByte(isV5 ? subscription.options() : subscription.qos());
                }
            }
            case Packet.SubAck subAck -> {
                out.writeShort(subAck.packetId());
                writeProperties(out, subAck.properties(), isV5);
                out.writeBytes(subAck.codes());
            }
            case Packet.Unsubscribe unsubscribe -> {
                out.writeShort(unsubscribe.packetId());
                writeProperties(out, unsubscribe.properties(), isV5);
                for (TopicFilter filter : unsubscribe.filters()) {
                    PropertiesEncoder.writeBinary(out, filter.bytes());
                }
            }
            case Packet.UnsubAck unsubAck -> {
                out.writeShort(unsubAck.packetId());
                if (isV5) {
                    PropertiesEncoder.write(out, unsubAck.properties());
                    out.writeBytes(unsubAck.codes());
                }
            }
            case Packet.PingReq ping -> {}
            case Packet.PingResp ping -> {}
            case Packet.Disconnect disconnect ->
                    writeReason(out, disconnect.reason(), disconnect.properties(), length);
            case Packet.Auth auth -> writeReason(out, auth.reason(), auth.properties(), length);
        }
    }

    private static void writePublish(ByteBuf out, Packet.Publish publish, boolean isV5) {
        Topic topic = publish.topic();
        if (topic == null) {
            out.writeShort(0);
        } else {
            PropertiesEncoder.writeBinary(out, topic.bytes());
        }
        if (publish.qos() > 0) {
            out.writeShort(publish.packetId());
        }
        writeProperties(out, publish.properties(), isV5);
        out.writeBytes(publish.payload());
    }

    /**
     * @param length 0: neither; 1: the reason code alone; else both
     */
    private static void writeReason(
            ByteBuf out, ReasonCode reason, Properties properties, int length) {
        if (length > 0) {
            out.writeByte(reason.code());
        }
        if (length > 1) {
            PropertiesEncoder.write(out, properties);
        }
    }

    private static void writeProperties(ByteBuf out, Properties properties, boolean isV5) {
        if (isV5) {
            PropertiesEncoder.write(out, properties);
        }
    }
}
