package io.godwit.cluster.replication;

import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.store.CopySets;
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

    /** Set of a mark, which has no content and no position of its own. */
    private final VerifyMessages.@Nullable Mark mark;

    StreamPart(int copySet, byte[] body, @Nullable AwaitedParts awaited) {
        this.copySet = copySet;
        this.body = body;
        this.awaited = awaited;
        mark = null;
    }

    /** Makes a mark, which stands behind a part and is lost with its link. */
    StreamPart(VerifyMessages.Mark mark) {
        copySet = CopySets.NONE;
        body = new byte[0];
        this.mark = mark;
    }

    boolean isMark() {
        return mark != null;
    }

    @Override
    public MessageType type() {
        return mark == null ? CopyMessages.PART : VerifyMessages.MARK;
    }

    @Override
    public int bytes() {
        return mark == null ? body.length + ENVELOPE_BYTES : VerifyMessages.Mark.BYTES;
    }

    @Override
    public void write(ByteWriter to, int protocol) {
        if (mark == null) {
            to.varint(start).varint(position).u8(copySet).raw(body);
        } else {
            mark.write(to, start, position);
        }
    }
}
