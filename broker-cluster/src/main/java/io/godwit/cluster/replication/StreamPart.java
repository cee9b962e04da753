package io.godwit.cluster.replication;

import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.core.operation.ByteWriter;
import org.jspecify.annotations.Nullable;

/** A part at its position of a stream to one follower. */
final class StreamPart implements Outgoing {
    private static final int ENVELOPE_BYTES = 24;

    final int copySet;
    final byte[] body;

    /** Counts the confirmations that are missing; null when nobody waits for this part. */
    @Nullable AwaitedParts awaited;

    long start;
    long position;

    StreamPart(int copySet, byte[] body, @Nullable AwaitedParts awaited) {
        this.copySet = copySet;
        this.body = body;
        this.awaited = awaited;
    }

    @Override
    public MessageType type() {
        return CopyMessages.PART;
    }

    @Override
    public int bytes() {
        return body.length + ENVELOPE_BYTES;
    }

    @Override
    public void write(ByteWriter to, int protocol) {
        to.varint(start).varint(position).u8(copySet).raw(body);
    }
}
