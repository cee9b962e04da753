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

    /** The properties whose value is 0 or 1. */
    private static final int BOOLEANS =
            bit(PAYLOAD_FORMAT_INDICATOR)
                    | bit(REQUEST_PROBLEM_INFORMATION)
                    | bit(REQUEST_RESPONSE_INFORMATION)
                    | bit(MAXIMUM_QOS)
                    | bit(RETAIN_AVAILABLE)
                    | bit(WILDCARD_SUBSCRIPTION_AVAILABLE)
                    | bit(SUBSCRIPTION_IDENTIFIER_AVAILABLE)
                    | bit(SHARED_SUBSCRIPTION_AVAILABLE);

    private static final int NEVER_ZERO =
            bit(SUBSCRIPTION_IDENTIFIER)
                    | bit(RECEIVE_MAXIMUM)
                    | bit(MAXIMUM_PACKET_SIZE)
                    | bit(TOPIC_ALIAS);

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
        int bit = bit(property);
        if ((value > 1 && (BOOLEANS & bit) != 0) || (value == 0 && (NEVER_ZERO & bit) != 0)) {
            // [MQTT-3.3.2-8] names a reason code of its own
            throw new ProtocolViolation(
                    property == TOPIC_ALIAS
                            ? ReasonCode.TOPIC_ALIAS_INVALID
                            : ReasonCode.PROTOCOL_ERROR,
                    property + " is " + value);
        }
    }
}
