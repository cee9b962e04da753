package io.godwit.core.connection;

import io.godwit.core.codec.ProtocolViolation;
import io.godwit.core.packet.PacketType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The lines that the log has of a connection at DEBUG. */
final class ConnectionLog {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionLog.class);

    private ConnectionLog() {}

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
}
