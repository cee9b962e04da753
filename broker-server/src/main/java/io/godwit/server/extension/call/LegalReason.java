package io.godwit.server.extension.call;

import io.godwit.core.packet.ReasonCode;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Turns reasons of extensions into those that the answer to a packet may carry (MQTT 5.0, 3.2.2.2,
 * 3.4.2.1, 3.9.3, 3.11.3); any other becomes NOT_AUTHORIZED.
 */
enum LegalReason {
    CONNACK(
            EnumSet.of(
                    ReasonCode.UNSPECIFIED_ERROR,
                    ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR,
                    ReasonCode.CLIENT_IDENTIFIER_NOT_VALID,
                    ReasonCode.BAD_USER_NAME_OR_PASSWORD,
                    ReasonCode.SERVER_UNAVAILABLE,
                    ReasonCode.SERVER_BUSY,
                    ReasonCode.BANNED,
                    ReasonCode.BAD_AUTHENTICATION_METHOD,
                    ReasonCode.TOPIC_NAME_INVALID,
                    ReasonCode.PACKET_TOO_LARGE,
                    ReasonCode.QUOTA_EXCEEDED,
                    ReasonCode.PAYLOAD_FORMAT_INVALID,
                    ReasonCode.RETAIN_NOT_SUPPORTED,
                    ReasonCode.QOS_NOT_SUPPORTED,
                    ReasonCode.USE_ANOTHER_SERVER,
                    ReasonCode.SERVER_MOVED,
                    ReasonCode.CONNECTION_RATE_EXCEEDED)),
    PUBACK(
            EnumSet.of(
                    ReasonCode.UNSPECIFIED_ERROR,
                    ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR,
                    ReasonCode.TOPIC_NAME_INVALID,
                    ReasonCode.QUOTA_EXCEEDED,
                    ReasonCode.PAYLOAD_FORMAT_INVALID)),
    SUBACK(
            EnumSet.of(
                    ReasonCode.UNSPECIFIED_ERROR,
                    ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR,
                    ReasonCode.TOPIC_FILTER_INVALID,
                    ReasonCode.QUOTA_EXCEEDED)),
    UNSUBACK(
            EnumSet.of(
                    ReasonCode.UNSPECIFIED_ERROR,
                    ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR,
                    ReasonCode.TOPIC_FILTER_INVALID));

    private final Set<ReasonCode> legal;

    LegalReason(Set<ReasonCode> legal) {
        this.legal = legal;
    }

    ReasonCode of(io.godwit.extension.packet.@Nullable ReasonCode given) throws BadAnswer {
        if (given == null) {
            throw new BadAnswer("the reason is null");
        }
        ReasonCode reason = ReasonCode.of(given.code());
        return reason != null && legal.contains(reason) ? reason : ReasonCode.NOT_AUTHORIZED;
    }
}
