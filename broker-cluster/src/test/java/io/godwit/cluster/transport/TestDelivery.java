package io.godwit.cluster.transport;

import io.godwit.core.operation.ByteReader;
import java.util.Objects;

/** Brings messages to the rooms that handle them, as links do. */
public final class TestDelivery {
    private TestDelivery() {}

    /**
     * @return whether the room is done with the message
     */
    public static boolean deliver(Handlers to, PeerLink from, MessageType type, byte[] bytes) {
        ByteReader body = new ByteReader(bytes);
        Handlers.Entry entry = Objects.requireNonNull(to.of(type.code()), type::toString);
        boolean isDone = entry.handler().onMessage(from, type, body, bytes.length);
        if (!body.isAtEnd()) {
            throw new IllegalStateException(type + " is longer than what was read");
        }
        return isDone;
    }

    /** All that came together is delivered. */
    public static void delivered(Handlers to, PeerLink from) {
        to.handled(from);
    }
}
