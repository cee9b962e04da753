package io.godwit.core.publish;

import io.godwit.core.auth.Access;
import io.godwit.core.codec.ProtocolViolation;
import io.godwit.core.codec.PublishEncoder;
import io.godwit.core.codec.TopicCheck;
import io.godwit.core.codec.Utf8Check;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.review.ReviewedPublish;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/** What a PUBLISH must be to be taken in. */
public final class PublishChecks {
    private static final int TOPIC_BYTES_MAX = 65_535;
    private static final long EXPIRY_MAX = 0xFFFF_FFFFL;
    private static final int[] NO_IDS = new int[0];

    private PublishChecks() {}

    /**
     * Checks what CONNACK has said.
     *
     * @throws ProtocolViolation the connection is to be closed
     */
    static void offered(MqttSettings mqtt, PublishFrame frame) {
        if (frame.qos > mqtt.maximumQos()) {
            throw new ProtocolViolation(
                    ReasonCode.QOS_NOT_SUPPORTED, "QoS " + frame.qos + " is not offered");
        }
        if (frame.retain && !mqtt.retainAvailable()) {
            throw new ProtocolViolation(ReasonCode.RETAIN_NOT_SUPPORTED, "RETAIN is not offered");
        }
    }

    /** Whether what a reviewer has made is a PUBLISH that a client could have sent. */
    public static boolean isSound(MqttSettings mqtt, LimitSettings limits, ReviewedPublish made) {
        byte[] topic = made.topic().bytes();
        return made.qos() >= 0
                && made.qos() <= mqtt.maximumQos()
                && (mqtt.retainAvailable() || !made.retain())
                && topic.length <= TOPIC_BYTES_MAX
                && TopicCheck.isTopicName(topic)
                && (mqtt.controlCharacters() || !TopicCheck.hasControlCharacter(topic))
                && !made.topic().hasMoreLevels(limits.topicLevels())
                && made.expirySeconds() >= -1
                && made.expirySeconds() <= EXPIRY_MAX
                && length(made) <= mqtt.maximumPacketSize()
                && (!made.payloadIsText()
                        || Utf8Check.isText(
                                Unpooled.wrappedBuffer(made.payload()), 0, made.payload().length));
    }

    private static long length(ReviewedPublish made) {
        long most = (long) made.properties().length + made.payload().length;
        return most > Integer.MAX_VALUE / 2
                ? most
                : PublishEncoder.length(
                        ProtocolVersion.MQTT_5,
                        made.qos(),
                        made.topic().length(),
                        0,
                        made.expirySeconds(),
                        NO_IDS,
                        made.properties().length,
                        made.payload().length);
    }

    /**
     * @return null when the client may publish it, else why not
     * @throws ProtocolViolation the connection is to be closed: there is no acknowledgement that
     *     could say it, or the packet is bad
     */
    static @Nullable ReasonCode refusal(
            LimitSettings limits, Access access, PublishFrame frame, Topic topic) {
        if (frame.payloadIsText
                && !Utf8Check.isText(frame.buffer, frame.payloadIndex, frame.payloadLength)) {
            if (frame.qos == 0) {
                throw new ProtocolViolation(
                        ReasonCode.PAYLOAD_FORMAT_INVALID, "payload is not UTF-8");
            }
            return ReasonCode.PAYLOAD_FORMAT_INVALID;
        }
        if (topic.hasMoreLevels(limits.topicLevels())) {
            throw new ProtocolViolation(
                    ReasonCode.TOPIC_NAME_INVALID,
                    "more than " + limits.topicLevels() + " topic levels");
        }
        return access.mayPublish(topic, frame.routedQos, frame.retain)
                ? null
                : ReasonCode.NOT_AUTHORIZED;
    }
}
