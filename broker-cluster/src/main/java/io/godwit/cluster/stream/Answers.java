package io.godwit.cluster.stream;

import io.godwit.cluster.transport.MessageType;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;

/**
 * What a node has done of a stream that it gets.
 *
 * <pre>
 * stream varint | upTo varint | count varint | [position varint | reason 1 ...]
 * </pre>
 */
final class Answers implements StreamMessage {
    final int stream;

    /** Everything up to this position is done. */
    final long upTo;

    /** Done beyond it; and those, wherever, whose reason is not success. */
    final long[] positions;

    /** Reason codes of these. */
    final byte[] reasons;

    Answers(int stream, long upTo, long[] positions, byte[] reasons) {
        this.stream = stream;
        this.upTo = upTo;
        this.positions = positions;
        this.reasons = reasons;
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
        return 16 + positions.length * 6;
    }

    @Override
    public void write(ByteWriter to, int protocol) {
        to.varint(stream).varint(upTo).varint(positions.length);
        for (int i = 0; i < positions.length; i++) {
            to.varint(positions[i]).u8(reasons[i]);
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
        return new Answers(stream, upTo, positions, reasons);
    }
}
