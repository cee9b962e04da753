package io.godwit.server.listener;

import io.godwit.core.connection.CloseCause;
import io.godwit.core.metrics.Metric;
import io.godwit.server.config.ListenerConfig;
import io.godwit.server.logging.GroupedLog;
import io.godwit.server.loop.ShardEventLoop;
import io.netty.channel.Channel;
import io.netty.channel.WriteBufferWaterMark;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the connections of one listener on one shard have in common, so that none of them carries it
 * itself.
 *
 * @param listener name, as in {@code listeners.<name>}
 * @param tlsClients null unless the listener is encrypted
 */
record ListenerShard(
        String listener,
        ListenerConfig.Type type,
        ShardEventLoop loop,
        Inlet shard,
        ListenerAdmission admission,
        WriteBufferWaterMark waterMark,
        OutboundBacklog backlog,
        GroupedLog faults,
        GroupedLog noMemory,
        GroupedLog foreignPages,
        GroupedLog refusals,
        @Nullable TlsClients tlsClients) {
    private static final Logger log = LoggerFactory.getLogger(ListenerShard.class);

    /** Logs and counts a connection that is not admitted. */
    void refused(Channel child, Admission.Verdict verdict) {
        boolean isTooFast = verdict.isTooFast();
        shard.counters()
                .increment(
                        isTooFast ? Metric.REFUSED_CONNECT_RATE : Metric.REFUSED_CONNECTIONS_LIMIT);
        long count = refusals.due();
        if (count > 0) {
            log.warn(
                    "Listener {}: refused a connection from {} ({} since the last such line): {}",
                    listener,
                    Addresses.text(child.remoteAddress()),
                    count,
                    isTooFast
                            ? "listeners." + listener + ".connect-rate is reached"
                            : "limits.connections, listeners."
                                    + listener
                                    + ".connections or the limit on open files is reached");
        }
    }

    /** Whether the socket's bytes are MQTT's, with no TLS or WebSocket around. */
    boolean plain() {
        return type == ListenerConfig.Type.TCP;
    }

    /**
     * Logs and counts a connection that ended before MQTT began, unless that is no client's
     * failure; on the shard's thread.
     *
     * @param metric counts it, beside the metric of the cause
     */
    void handshakeFailed(Channel channel, Metric metric, CloseCause cause, String why) {
        String address = Addresses.text(ProxiedPeer.addressOf(channel));
        ProxiedPeer peer = ProxiedPeer.of(channel);
        if (peer != null && peer.quiet()) {
            log.debug("Listener {}: a check by {} ended: {}", listener, address, why);
            return;
        }
        shard.counters().increment(metric);
        shard.handshakeFailed(cause, address, listener, why);
    }
}
