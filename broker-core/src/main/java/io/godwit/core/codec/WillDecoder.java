package io.godwit.core.codec;

import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;

/** The Will in the payload of CONNECT (MQTT 5.0, 3.1.3.2 to 3.1.3.4). */
final class WillDecoder {
    private WillDecoder() {}

    /**
     * @param flags the Connect Flags
     */
    static Will decode(PacketReader in, ProtocolVersion version, int flags) {
        Properties all =
                version.isV5() ? PropertiesDecoder.decode(in, PropertyScope.WILL) : Properties.NONE;
        byte[] topic = in.stringBytes();
        if (!TopicCheck.isTopicName(topic)) {
            throw ProtocolViolation.malformed("Will Topic is empty or has a wildcard");
        }
        in.admitCharacters(topic, ReasonCode.TOPIC_NAME_INVALID, "the Will Topic");
        int payloadAt = in.index() + 2;
        byte[] payload = in.binary();
        if (all.number(Property.PAYLOAD_FORMAT_INDICATOR, 0) == 1
                && !Utf8Check.isText(in.buffer(), payloadAt, payload.length)) {
            throw new ProtocolViolation(
                    ReasonCode.PAYLOAD_FORMAT_INVALID, "Will Payload is not UTF-8");
        }
        return new Will(
                new Topic(topic),
                flags >> 3 & 3,
                (flags & 0x20) != 0,
                payload,
                all.number(Property.WILL_DELAY_INTERVAL, 0),
                all.without(Property.WILL_DELAY_INTERVAL));
    }
}
