package io.godwit.server.listener;

import io.godwit.server.loop.ShardEventLoop;
import io.godwit.server.tls.ListenerTls;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of one encrypted listener on one shard that showed a certificate, kept only where
 * revocation lists may have to find them again. On the shard's thread.
 */
final class TlsClients {
    private static final Logger log = LoggerFactory.getLogger(TlsClients.class);
    private static final int CHECKED_PER_TURN = 500;

    private final String listener;
    private final ListenerTls tls;
    private final ShardEventLoop loop;
    private final Set<ChannelWire> wires = new HashSet<>();
    private int closed;

    TlsClients(String listener, ListenerTls tls, ShardEventLoop loop) {
        this.listener = listener;
        this.tls = tls;
        this.loop = loop;
    }

    ListenerTls tls() {
        return tls;
    }

    void add(ChannelWire wire) {
        if (tls.revokes()) {
            wires.add(wire);
        }
    }

    void remove(ChannelWire wire) {
        wires.remove(wire);
    }

    /** Closes the connections whose certificates are revoked now, some in each turn. Any thread. */
    void closeRevoked() {
        loop.execute(() -> check(new ArrayDeque<>(wires)));
    }

    private void check(ArrayDeque<ChannelWire> unchecked) {
        for (int i = 0; i < CHECKED_PER_TURN && !unchecked.isEmpty(); i++) {
            if (unchecked.remove().closeIfRevoked()) {
                closed++;
            }
        }
        if (!unchecked.isEmpty()) {
            loop.executeAfterEventLoopIteration(() -> loop.execute(() -> check(unchecked)));
        } else if (closed > 0) {
            log.info(
                    "Listener {}: closed {} connections whose certificates were revoked",
                    listener,
                    closed);
            closed = 0;
        }
    }
}
