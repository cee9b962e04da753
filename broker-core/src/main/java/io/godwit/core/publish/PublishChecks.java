package io.godwit.core.publish;

import io.godwit.core.auth.Access;
import io.godwit.core.codec.ProtocolViolation;
import io.godwit.core.codec.Utf8Check;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import org.jspecify.annotations.Nullable;

/** What a PUBLISH must be to be taken in. */
final class PublishChecks {
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
        return access.mayPublish(topic, frame.qos, frame.retain) ? null : ReasonCode.NOT_AUTHORIZED;
    }
}
