package io.godwit.server.listener;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.Set;

/**
 * The connections of one shard whose sockets did not take everything, and how many bytes wait for
 * them: the transport's part of the memory that an alarm counts. Only slow connections are in here,
 * so keeping it costs the others nothing.
 */
final class OutboundBacklog {
    private final Set<ChannelWire> slow = Collections.newSetFromMap(new IdentityHashMap<>());
    private volatile long bytes;

    /** On the shard's thread, like {@link #recount}. */
    void add(ChannelWire wire) {
        slow.add(wire);
    }

    /** Call from time to time. */
    void recount() {
        if (slow.isEmpty()) {
            bytes = 0;
            return;
        }
        long sum = 0;
        for (Iterator<ChannelWire> wires = slow.iterator(); wires.hasNext(); ) {
            ChannelWire wire = wires.next();
            long pending = wire.pendingBytes();
            if (pending == 0) {
                wires.remove();
                wire.caughtUp();
            }
            sum += pending;
        }
        bytes = sum;
    }

    /** As of the last count; any thread. */
    long bytes() {
        return bytes;
    }
}
