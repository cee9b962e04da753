package io.godwit.server.client;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ReasonCode;
import java.util.Locale;
import java.util.Set;

/** Reason codes of a broker as sentences. */
final class Reasons {
    /** Refusals that may be over when the client tries again. */
    private static final Set<ReasonCode> TEMPORARY =
            Set.of(
                    ReasonCode.UNSPECIFIED_ERROR,
                    ReasonCode.SERVER_UNAVAILABLE,
                    ReasonCode.SERVER_BUSY,
                    ReasonCode.SERVER_SHUTTING_DOWN,
                    ReasonCode.KEEP_ALIVE_TIMEOUT,
                    ReasonCode.QUOTA_EXCEEDED,
                    ReasonCode.CONNECTION_RATE_EXCEEDED,
                    ReasonCode.MAXIMUM_CONNECT_TIME);

    private Reasons() {}

    /** The failure that a CONNACK with an error means. */
    static ClientFailed refused(Packet.ConnAck answer, String address, boolean isV5) {
        if (!isV5) {
            return new ClientFailed(
                    "the broker at " + address + " refused the connection: " + of3x(answer.code()),
                    answer.code() == 3);
        }
        return new ClientFailed(
                "the broker at "
                        + address
                        + " refused the connection: "
                        + text(answer.code(), answer.properties()),
                isTemporary(answer.code()));
    }

    /** The failure that a DISCONNECT of the broker means. */
    static ClientFailed disconnected(Packet.Disconnect packet) {
        return new ClientFailed(
                "the broker closed the connection: "
                        + text(packet.reason().code(), packet.properties()),
                isTemporary(packet.reason().code()));
    }

    private static boolean isTemporary(int code) {
        ReasonCode reason = ReasonCode.of(code);
        return reason != null && TEMPORARY.contains(reason);
    }

    /** {@code not authorized (0x87): security.anonymous ...}. */
    static String text(int code, Properties properties) {
        String detail = properties.text(Property.REASON_STRING);
        return name(code) + (detail == null || detail.isBlank() ? "" : ": " + detail);
    }

    /** {@code not authorized (0x87)}. */
    static String name(int code) {
        ReasonCode reason = ReasonCode.of(code);
        String name =
                reason == null
                        ? "an unknown reason"
                        : reason.name()
                                .toLowerCase(Locale.ROOT)
                                .replace('_', ' ')
                                .replace("qos", "QoS");
        return "%s (0x%02X)".formatted(name, code);
    }

    private static String of3x(int code) {
        return switch (code) {
            case 1 -> "it does not speak this version of MQTT (-V names another)";
            case 2 -> "the client id is not allowed (-i names another)";
            case 3 -> "it is not available now";
            case 4 -> "wrong user name or password (-u, -P)";
            case 5 -> "not authorized";
            default -> "return code " + code;
        };
    }
}
