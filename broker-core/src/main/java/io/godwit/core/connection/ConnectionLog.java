package io.godwit.core.connection;

import io.godwit.core.load.GroupedLine;
import io.godwit.core.load.RepeatedEvents;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.session.Session;
import io.godwit.core.shard.Shard;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lines that the log has of one shard's connections. WARN and INFO: what an operator looks for
 * when clients complain, grouped when there is much of it; DEBUG: how each connection begins and
 * ends; TRACE: each packet, without what it carries.
 */
public final class ConnectionLog {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionLog.class);

    /** Whether packets are told. Looked up once, so that it costs nothing where they are not. */
    private static final boolean TRACES = LOG.isTraceEnabled();

    private final Shard shard;
    private final RepeatedEvents events;
    private final GroupedLine withoutMemory =
            new GroupedLine(LOG, "Closing {}: the Java heap has no room for its packet{}");

    private final GroupedLine failedAuthenticators =
            new GroupedLine(LOG, "Refusing clients with SERVER_UNAVAILABLE: authenticator {}{}");

    private final GroupedLine withoutReview =
            new GroupedLine(
                    LOG,
                    "Dropping a message to {}: extensions that were to see it have failed each"
                            + " time{}");

    public ConnectionLog(Shard shard) {
        this.shard = shard;
        this.events = new RepeatedEvents(LOG::info, shard);
    }

    // ---------------------------------------------------------------- WARN and INFO

    void noMemory(Wire wire) {
        withoutMemory.warn(
                shard.nowMs(), wire.remoteAddress() + " on listener " + wire.listener(), null);
    }

    /** Logs a fault of an authenticator; null: it has answered with nothing. */
    void authenticatorFailed(String name, @Nullable Throwable cause) {
        failedAuthenticators.warn(
                shard.nowMs(), name + (cause == null ? " has answered nothing" : " failed"), cause);
    }

    /** Logs that a session has lost subscriptions. */
    void filtersRevoked(ClientId clientId, int count) {
        String client = Printable.of(clientId.toString());
        events.add(
                "filters-revoked",
                "filters revoked " + client,
                "Removed %d subscriptions of %s: the rules do not allow them any more"
                        .formatted(count, client));
    }

    void authenticatorSilent(String name) {
        failedAuthenticators.warn(
                shard.nowMs(), name + " has not answered (security.authenticate-time)", null);
    }

    /** Logs that a message is kept from its client, since there was no answer about it. */
    void keptBack(ClientId clientId) {
        withoutReview.warn(shard.nowMs(), Printable.of(clientId.toString()), null);
    }

    void takenOver(Session session, Wire wire) {
        String client = Printable.of(session.clientId().toString());
        events.add(
                "connected-again",
                "connected again " + client,
                "Client %s has connected again: closed its connection from %s"
                        .formatted(client, wire.remoteAddress()));
    }

    /** Logs and counts a CONNECT that is refused. */
    void refused(@Nullable ClientId clientId, Wire wire, ReasonCode reason, String explanation) {
        String why = why(reason, explanation);
        reject(CloseCause.of(reason), clientId, wire, "Refused the CONNECT of", why);
    }

    /** Logs and counts a connection that is closed for what its client sent, or did not send. */
    void closed(@Nullable ClientId clientId, Wire wire, ReasonCode reason, String explanation) {
        reject(CloseCause.of(reason), clientId, wire, "Closed", why(reason, explanation));
    }

    /** Logs and counts a client that may not stay connected; all for one reason are one kind. */
    void mayNotStay(ClientId clientId, Wire wire, String reason) {
        shard.counters().increment(CloseCause.NOT_AUTHORIZED.metric());
        events.add(
                CloseCause.NOT_AUTHORIZED.toString(),
                reason,
                "Closed %s from %s on listener %s: %s"
                        .formatted(
                                Printable.of(clientId.toString()),
                                wire.remoteAddress(),
                                wire.listener(),
                                reason));
    }

    private static String why(ReasonCode reason, String explanation) {
        String words = reason.name().toLowerCase(Locale.ROOT).replace('_', ' ');
        return words + (explanation.isEmpty() ? "" : ", " + explanation);
    }

    /** Logs and counts a connection whose first bytes are no CONNECT. */
    void notMqtt(Wire wire, String explanation) {
        reject(CloseCause.NOT_MQTT, null, wire, "Closed", "no MQTT CONNECT, " + explanation);
    }

    private void reject(
            CloseCause cause, @Nullable ClientId clientId, Wire wire, String what, String why) {
        reject(cause, clientId, wire.remoteAddress(), wire.listener(), what + " ", why);
    }

    /** Logs and counts a connection that did not get as far as MQTT. */
    public void handshakeFailed(CloseCause cause, String address, String listener, String why) {
        reject(cause, null, address, listener, "Closed ", why);
    }

    private void reject(
            CloseCause cause,
            @Nullable ClientId clientId,
            String address,
            String listener,
            String what,
            String why) {
        shard.counters().increment(cause.metric());
        String client = clientId == null ? "" : Printable.of(clientId.toString());
        String from = address + " on listener " + listener;
        String reason = Printable.of(why);
        events.add(
                cause.toString(),
                reason + '\n' + (client.isEmpty() ? host(address) : client),
                what + (client.isEmpty() ? from : client + " from " + from) + ": " + reason);
    }

    /** An address without its port, by which the connections of one machine are grouped. */
    private static String host(String address) {
        int colon = address.lastIndexOf(':');
        return colon < 0 ? address : address.substring(0, colon);
    }

    // ---------------------------------------------------------------- DEBUG

    static void connected(Session session, Wire wire, int keepAliveSeconds) {
        LOG.debug(
                "Client {} connected from {} on listener {}: {}, session expiry {} s, keep alive"
                        + " {} s",
                session.clientId(),
                wire.remoteAddress(),
                wire.listener(),
                session.version(),
                session.life().expirySeconds(),
                keepAliveSeconds);
    }

    static void ended(Session session, Wire wire, Object why) {
        LOG.debug(
                "The connection of client {} from {} ended: {}",
                session.clientId(),
                wire.remoteAddress(),
                why);
    }

    static void elsewhere(ClientId clientId, Wire wire) {
        LOG.debug(
                "Client {} connected from {} on listener {}: another node serves it",
                clientId,
                wire.remoteAddress(),
                wire.listener());
    }

    static void endedBeforePlaced(ClientId clientId, Wire wire) {
        LOG.debug(
                "The connection of client {} from {} ended before the node that serves it was"
                        + " known: its socket is gone",
                clientId,
                wire.remoteAddress());
    }

    static void strayAck(Wire wire, PacketType type, int packetId) {
        LOG.debug(
                "{} for packet id {}, which is not in flight to {}",
                type,
                packetId,
                wire.remoteAddress());
    }

    // ---------------------------------------------------------------- TRACE

    static void came(Wire wire, Packet packet) {
        if (TRACES) {
            LOG.trace("{} sent {}", wire.remoteAddress(), packet.type());
        }
    }

    static void came(Wire wire, PacketType type, int packetId) {
        if (TRACES) {
            LOG.trace("{} sent {} of packet id {}", wire.remoteAddress(), type, packetId);
        }
    }

    /**
     * @param topic null when an alias stands for it
     */
    static void came(Wire wire, @Nullable Topic topic, int qos, int packetId, int payloadBytes) {
        if (TRACES) {
            LOG.trace(
                    "{} sent PUBLISH to {}, QoS {}, packet id {}, {} bytes",
                    wire.remoteAddress(),
                    topic == null ? "an alias" : topic,
                    qos,
                    packetId,
                    payloadBytes);
        }
    }

    /** Acknowledgements are told by the other method of this name, with their packet id. */
    static void left(Wire wire, Packet packet) {
        if (TRACES && !(packet instanceof Packet.Ack)) {
            LOG.trace("{} gets {}", wire.remoteAddress(), packet.type());
        }
    }

    static void left(Wire wire, PacketType type, int packetId) {
        if (TRACES) {
            LOG.trace("{} gets {} of packet id {}", wire.remoteAddress(), type, packetId);
        }
    }

    static void left(Wire wire, Topic topic, int qos, int packetId, int payloadBytes) {
        if (TRACES) {
            LOG.trace(
                    "{} gets PUBLISH to {}, QoS {}, packet id {}, {} bytes",
                    wire.remoteAddress(),
                    topic,
                    qos,
                    packetId,
                    payloadBytes);
        }
    }
}
