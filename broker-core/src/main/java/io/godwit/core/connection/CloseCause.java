package io.godwit.core.connection;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ReasonCode;
import java.util.Locale;

/** Groups the reasons for which the broker refuses or closes a connection, for log and metrics. */
public enum CloseCause {
    MALFORMED_PACKET(Metric.CLIENTS_MALFORMED),
    PROTOCOL_ERROR(Metric.CLIENTS_PROTOCOL_ERROR),
    NOT_MQTT(Metric.CLIENTS_NOT_MQTT),
    PROTOCOL_VERSION(Metric.CLIENTS_PROTOCOL_VERSION),
    CLIENT_ID(Metric.CLIENTS_CLIENT_ID),
    NOT_AUTHORIZED(Metric.CLIENTS_NOT_AUTHORIZED),
    TOPIC(Metric.CLIENTS_TOPIC),
    LIMIT(Metric.CLIENTS_LIMIT),
    NOT_OFFERED(Metric.CLIENTS_NOT_OFFERED),
    UNAVAILABLE(Metric.CLIENTS_UNAVAILABLE),
    KEEP_ALIVE(Metric.CLIENTS_KEEP_ALIVE),
    TLS(Metric.CLIENTS_TLS),
    WEBSOCKET(Metric.CLIENTS_WEBSOCKET),
    PROXY(Metric.CLIENTS_PROXY),
    OTHER(Metric.CLIENTS_OTHER);

    private final Metric metric;

    CloseCause(Metric metric) {
        this.metric = metric;
    }

    /** The counter of this cause. */
    Metric metric() {
        return metric;
    }

    /** The cause that a reason code stands for. */
    static CloseCause of(ReasonCode reason) {
        return switch (reason) {
            case MALFORMED_PACKET, PAYLOAD_FORMAT_INVALID -> MALFORMED_PACKET;
            case PROTOCOL_ERROR, TOPIC_ALIAS_INVALID, RECEIVE_MAXIMUM_EXCEEDED -> PROTOCOL_ERROR;
            case UNSUPPORTED_PROTOCOL_VERSION -> PROTOCOL_VERSION;
            case CLIENT_IDENTIFIER_NOT_VALID -> CLIENT_ID;
            case NOT_AUTHORIZED, BAD_USER_NAME_OR_PASSWORD, BANNED, BAD_AUTHENTICATION_METHOD ->
                    NOT_AUTHORIZED;
            case TOPIC_NAME_INVALID, TOPIC_FILTER_INVALID -> TOPIC;
            case PACKET_TOO_LARGE,
                    QUOTA_EXCEEDED,
                    CONNECTION_RATE_EXCEEDED,
                    MESSAGE_RATE_TOO_HIGH ->
                    LIMIT;
            case QOS_NOT_SUPPORTED,
                    RETAIN_NOT_SUPPORTED,
                    SHARED_SUBSCRIPTIONS_NOT_SUPPORTED,
                    WILDCARD_SUBSCRIPTIONS_NOT_SUPPORTED,
                    SUBSCRIPTION_IDENTIFIERS_NOT_SUPPORTED ->
                    NOT_OFFERED;
            case SERVER_UNAVAILABLE, SERVER_BUSY, SERVER_SHUTTING_DOWN -> UNAVAILABLE;
            case KEEP_ALIVE_TIMEOUT -> KEEP_ALIVE;
            default -> OTHER;
        };
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
