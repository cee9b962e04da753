package io.godwit.core.codec;

import static io.godwit.core.packet.Property.*;

import io.godwit.core.packet.Property;
import io.godwit.core.packet.ReasonCode;

/** Where properties stand, and which ones may stand there (MQTT 5.0, 2.2.2.2). */
enum PropertyScope {
    CONNECT(
            SESSION_EXPIRY_INTERVAL,
            AUTHENTICATION_METHOD,
            AUTHENTICATION_DATA,
            REQUEST_PROBLEM_INFORMATION,
            REQUEST_RESPONSE_INFORMATION,
            RECEIVE_MAXIMUM,
            TOPIC_ALIAS_MAXIMUM,
            MAXIMUM_PACKET_SIZE),
    WILL(
            PAYLOAD_FORMAT_INDICATOR,
            MESSAGE_EXPIRY_INTERVAL,
            CONTENT_TYPE,
            RESPONSE_TOPIC,
            CORRELATION_DATA,
            WILL_DELAY_INTERVAL),
    CONNACK(
            SESSION_EXPIRY_INTERVAL,
            ASSIGNED_CLIENT_IDENTIFIER,
            SERVER_KEEP_ALIVE,
            AUTHENTICATION_METHOD,
            AUTHENTICATION_DATA,
            RESPONSE_INFORMATION,
            SERVER_REFERENCE,
            REASON_STRING,
            RECEIVE_MAXIMUM,
            TOPIC_ALIAS_MAXIMUM,
            MAXIMUM_QOS,
            RETAIN_AVAILABLE,
            MAXIMUM_PACKET_SIZE,
            WILDCARD_SUBSCRIPTION_AVAILABLE,
            SUBSCRIPTION_IDENTIFIER_AVAILABLE,
            SHARED_SUBSCRIPTION_AVAILABLE),
    PUBLISH(
            PAYLOAD_FORMAT_INDICATOR,
            MESSAGE_EXPIRY_INTERVAL,
            CONTENT_TYPE,
            RESPONSE_TOPIC,
            CORRELATION_DATA,
            SUBSCRIPTION_IDENTIFIER,
            TOPIC_ALIAS),
    /** PUBACK, PUBREC, PUBREL, PUBCOMP, SUBACK and UNSUBACK. */
    ACK(REASON_STRING),
    SUBSCRIBE(SUBSCRIPTION_IDENTIFIER),
    UNSUBSCRIBE(),
    DISCONNECT(SESSION_EXPIRY_INTERVAL, SERVER_REFERENCE, REASON_STRING),
    AUTH(AUTHENTICATION_METHOD, AUTHENTICATION_DATA, REASON_STRING);

    private final int allowed;

    PropertyScope(Property... properties) {
        int mask = bit(USER_PROPERTY);
        for (Property property : properties) {
            mask |= bit(property);
        }
        allowed = mask;
    }

    static int bit(Property property) {
        return 1 << property.ordinal();
    }

    /**
     * The property with this identifier, which may stand here and has not stood yet.
     *
     * @param seen bits of those that came before in the same packet
     * @throws ProtocolViolation MALFORMED_PACKET for one that may not stand here, PROTOCOL_ERROR
     *     for a second one that may stand once
     */
    Property admit(int id, int seen) {
        Property property = Property.of(id);
        if (property == null || (allowed & bit(property)) == 0) {
            throw ProtocolViolation.malformed("property " + id + " may not stand in " + this);
        }
        if ((seen & bit(property)) != 0 && property != USER_PROPERTY) {
            throw ProtocolViolation.protocolError(property + " stands twice");
        }
        return property;
    }

    /** Checks the range that MQTT 5.0 gives to the values of an integer property. */
    static void checkValue(Property property, long value) {
        switch (property) {
            case PAYLOAD_FORMAT_INDICATOR,
                    REQUEST_PROBLEM_INFORMATION,
                    REQUEST_RESPONSE_INFORMATION,
                    MAXIMUM_QOS,
                    RETAIN_AVAILABLE,
                    WILDCARD_SUBSCRIPTION_AVAILABLE,
                    SUBSCRIPTION_IDENTIFIER_AVAILABLE,
                    SHARED_SUBSCRIPTION_AVAILABLE -> {
                if (value > 1) {
                    throw ProtocolViolation.protocolError(property + " is " + value);
                }
            }
            case SUBSCRIPTION_IDENTIFIER, RECEIVE_MAXIMUM, MAXIMUM_PACKET_SIZE -> {
                if (value == 0) {
                    throw ProtocolViolation.protocolError(property + " is 0");
                }
            }
            case TOPIC_ALIAS -> {
                if (value == 0) {
                    // [MQTT-3.3.2-8]
                    throw new ProtocolViolation(ReasonCode.TOPIC_ALIAS_INVALID, "Topic Alias is 0");
                }
            }
            default -> {}
        }
    }
}
