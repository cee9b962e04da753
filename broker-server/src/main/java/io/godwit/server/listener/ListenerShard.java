package io.godwit.server.listener;

import io.godwit.server.config.ListenerConfig;
import io.godwit.server.logging.GroupedLog;
import io.godwit.server.loop.ShardEventLoop;
import io.netty.channel.WriteBufferWaterMark;
import org.jspecify.annotations.Nullable;

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
        Admission admission,
        WriteBufferWaterMark waterMark,
        OutboundBacklog backlog,
        GroupedLog faults,
        GroupedLog noMemory,
        GroupedLog foreignPages,
        @Nullable TlsClients tlsClients) {
    /** Whether the socket's bytes are MQTT's, with no TLS or WebSocket around. */
    boolean plain() {
        return type == ListenerConfig.Type.TCP;
    }
}
