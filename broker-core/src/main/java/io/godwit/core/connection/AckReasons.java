package io.godwit.core.connection;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ReasonCode;
import java.util.EnumMap;
import java.util.Map;

/**
 * What an acknowledgement that is not a plain success says to the person who looks at it: its
 * Reason String. The sentences are made once, since a client may cause any number of them.
 */
final class AckReasons {
    private static final Map<ReasonCode, Properties> TEXTS = new EnumMap<>(ReasonCode.class);

    static {
        put(ReasonCode.NO_MATCHING_SUBSCRIBERS, "nobody has subscribed to this topic");
        put(ReasonCode.NOT_AUTHORIZED, "this client may not publish to this topic");
        put(ReasonCode.QUOTA_EXCEEDED, "a queue or the broker's memory is full: try again later");
        put(ReasonCode.TOPIC_NAME_INVALID, "the topic has more levels than are allowed here");
        put(ReasonCode.PAYLOAD_FORMAT_INVALID, "the payload is not UTF-8, as it is said to be");
        put(
                ReasonCode.PACKET_IDENTIFIER_NOT_FOUND,
                "no QoS 2 message is under way with this packet identifier");
    }

    private AckReasons() {}

    private static void put(ReasonCode reason, String text) {
        TEXTS.put(reason, Properties.builder().add(Property.REASON_STRING, text).build());
    }

    /** PUBACK, PUBREC, PUBREL or PUBCOMP; nothing where the code says all. */
    static Properties of(ReasonCode reason) {
        return TEXTS.getOrDefault(reason, Properties.NONE);
    }

    /**
     * The packet without what it explains: that gives way to Maximum Packet Size and to Request
     * Problem Information [MQTT-3.1.2-29]. What else it says, such as a Server Reference, stays.
     */
    static Packet without(Packet packet) {
        return switch (packet) {
            case Packet.Disconnect it ->
                    new Packet.Disconnect(
                            it.reason(), it.properties().without(Property.REASON_STRING));
            case Packet.ConnAck it when it.code() >= 0x80 ->
                    new Packet.ConnAck(it.sessionPresent(), it.code(), Properties.NONE);
            case Packet.Ack it ->
                    new Packet.Ack(it.type(), it.packetId(), it.reason(), Properties.NONE);
            case Packet.SubAck it -> new Packet.SubAck(it.packetId(), it.codes(), Properties.NONE);
            case Packet.UnsubAck it ->
                    new Packet.UnsubAck(it.packetId(), it.codes(), Properties.NONE);
            case Packet.Auth it ->
                    new Packet.Auth(
                            it.reason(),
                            it.properties().without(Property.REASON_STRING).withoutUsers());
            default -> packet;
        };
    }
}
