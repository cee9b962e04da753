package io.godwit.core.queue;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.QueuedMessage;

/**
 * How far something has come in a queue: a whole message id that changes, without an object each.
 */
final class IdMark {
    private long clock;
    private int server;

    IdMark(HybridId id) {
        set(id);
    }

    long clock() {
        return clock;
    }

    int server() {
        return server;
    }

    HybridId id() {
        return new HybridId(clock, server);
    }

    void set(HybridId id) {
        set(id.clock(), id.server());
    }

    void set(QueuedMessage entry) {
        set(entry.messageId, entry.server);
    }

    void set(long toClock, int toServer) {
        clock = toClock;
        server = toServer;
    }

    boolean isBelow(long ofClock, int ofServer) {
        return HybridId.compare(clock, server, ofClock, ofServer) < 0;
    }

    boolean isBelow(HybridId id) {
        return isBelow(id.clock(), id.server());
    }
}
