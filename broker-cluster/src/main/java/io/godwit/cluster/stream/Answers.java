package io.godwit.cluster.stream;

import io.godwit.cluster.transport.MessageType;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;

/**
 * What a node has done of a stream that it gets.
 *
 * <pre>
 * stream varint | upTo varint | count varint | [position varint | reason 1 ...]
 * | count varint | [full varint ...] | count varint | [eased varint ...]
 * </pre>
 *
 * The second line is left out when it says nothing.
 */
final class Answers implements StreamMessage {
    static final long[] NONE = {};

    final int stream;

    /** Everything up to this position is done. */
    final long upTo;

    /** Done beyond it; and those, wherever, whose reason is not success. */
    final long[] positions;

    /** Reason codes of these. */
    final byte[] reasons;

    /** Of those that went to a target which holds more than its part: their publishers wait. */
    final long[] full;

    /** Of those whose target was told of as full, and no longer is. */
    final long[] eased;

    Answers(int stream, long upTo, long[] positions, byte[] reasons, long[] full, long[] eased) {
        this.stream = stream;
        this.upTo = upTo;
        this.positions = positions;
        this.reasons = reasons;
        this.full = full;
        this.eased = eased;
    }

    @Override
    public int stream() {
        return stream;
    }

    @Override
    public MessageType type() {
        return StreamMessages.ANSWERS;
    }

    @Override
    public int bytes() {
        return 18 + (positions.length + full.length + eased.length) * 6;
    }

    @Override
    public void write(ByteWriter to, int protocol) {
        to.varint(stream).varint(upTo).varint(positions.length);
        for (int i = 0; i < positions.length; i++) {
            to.varint(positions[i]).u8(reasons[i]);
        }
        if (full.length + eased.length > 0) {
            write(to, full);
            write(to, eased);
        }
    }

    private static void write(ByteWriter to, long[] some) {
        to.varint(some.length);
        for (long position : some) {
            to.varint(position);
        }
    }

    static Answers read(ByteReader from) {
        int stream = from.smallInt();
        long upTo = from.varint();
        int count = from.size();
        long[] positions = new long[count];
        byte[] reasons = new byte[count];
        for (int i = 0; i < count; i++) {
            positions[i] = from.varint();
            reasons[i] = (byte) from.u8();
        }
        long[] full = from.isAtEnd() ? NONE : positions(from);
        long[] eased = from.isAtEnd() ? NONE : positions(from);
        return new Answers(stream, upTo, positions, reasons, full, eased);
    }

    private static long[] positions(ByteReader from) {
        long[] some = new long[from.size()];
        for (int i = 0; i < some.length; i++) {
            some[i] = from.varint();
        }
        return some;
    }
}
