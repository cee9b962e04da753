package io.godwit.core.connection;

import io.godwit.core.codec.ProtocolViolation;
import io.godwit.core.load.GroupedLine;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Topic;
import io.godwit.core.session.Session;
import io.godwit.core.shard.ShardClock;
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

    private final ShardClock clock;
    private final GroupedLine takeovers =
            new GroupedLine(LOG, "Client {} has connected again: closed its connection from {}{}");
    private final GroupedLine silences =
            new GroupedLine(
                    LOG, "Client {} from {} was closed: nothing came for 1.5 keep alives{}");
    private final GroupedLine refusals = new GroupedLine(LOG, "Refused the CONNECT of {}: {}{}");
    private final GroupedLine withoutMemory =
            new GroupedLine(LOG, "Closing {}: the Java heap has no room for its packet{}");

    public ConnectionLog(ShardClock clock) {
        this.clock = clock;
    }

    // ---------------------------------------------------------------- WARN and INFO

    void noMemory(Wire wire) {
        withoutMemory.warn(
                clock.nowMs(), wire.remoteAddress() + " on listener " + wire.listener(), null);
    }

    void takenOver(Session session, Wire wire) {
        takeovers.info(clock.nowMs(), session.clientId(), wire.remoteAddress());
    }

    void keepAliveEnded(Session session, Wire wire) {
        silences.info(clock.nowMs(), session.clientId(), wire.remoteAddress());
    }

    /**
     * @param clientId null when CONNECT could not be read
     */
    void refused(@Nullable ClientId clientId, Wire wire, Object why) {
        String from = wire.remoteAddress() + " on listener " + wire.listener();
        refusals.info(clock.nowMs(), clientId == null ? from : clientId + " from " + from, why);
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

    static void violation(Wire wire, ProtocolViolation violation) {
        LOG.debug(
                "Closing {} on listener {}: {} ({})",
                wire.remoteAddress(),
                wire.listener(),
                violation.reason(),
                violation.getMessage());
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
