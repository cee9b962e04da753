package io.godwit.cluster.simulation;

import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.operation.ByteWriter;
import java.util.EnumMap;
import java.util.Map;

/**
 * Says where it stands among those of its class and link.
 *
 * @param kind what the receiver does: see the constants
 * @param filling bytes behind
 */
record TestMessage(MessageType type, long link, long number, int kind, int filling)
        implements Outgoing {
    /** Nothing. */
    static final int PLAIN = 0;

    /** Keeps it, and answers GOT. */
    static final int KEEP = 1;

    /** Answers RELEASE. */
    static final int GOT = 2;

    /** Gives up the one that it has kept longest. */
    static final int RELEASE = 3;

    static final Map<TrafficClass, MessageType> TYPES = new EnumMap<>(TrafficClass.class);

    static {
        for (TrafficClass each : TrafficClass.values()) {
            TYPES.put(each, new MessageType(100 + each.ordinal(), each, "test." + each));
        }
    }

    @Override
    public int bytes() {
        return 20 + filling;
    }

    @Override
    public void write(ByteWriter to, int protocol) {
        to.varint(link).varint(number).u8(kind).raw(new byte[filling]);
    }
}
