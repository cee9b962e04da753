package io.godwit.cluster.stream;

import io.godwit.cluster.transport.MessageType;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.TopicFilter;
import java.util.ArrayList;
import java.util.List;

/**
 * What a node has done of a stream that it gets.
 *
 * <pre>
 * stream varint | upTo varint | count varint | [position varint | reason 1 ...]
 * | count varint | [full varint ...] | count varint | [eased varint ...]
 * | count varint | [position varint | taker 3 | group sized ...]
 * </pre>
 *
 * The third line is left out when it says nothing, and then the second one, too.
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

    /** Messages that shared groups do not have any more. */
    final List<GivenBack> givenBack;

    /**
     * A message that a shared group does not have any more.
     *
     * @param position of its record
     * @param taker server id of the node that leads the group's queue now
     * @param group whole filter
     */
    record GivenBack(long position, int taker, TopicFilter group) {
        private static final int OTHER_BYTES = 12;

        int bytes() {
            return OTHER_BYTES + group.length();
        }
    }

    Answers(int stream, long upTo, long[] positions, byte[] reasons, long[] full, long[] eased) {
        this(stream, upTo, positions, reasons, full, eased, List.of());
    }

    Answers(
            int stream,
            long upTo,
            long[] positions,
            byte[] reasons,
            long[] full,
            long[] eased,
            List<GivenBack> givenBack) {
        this.givenBack = givenBack;
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
        int bytes = 20 + (positions.length + full.length + eased.length) * 6;
        for (GivenBack each : givenBack) {
            bytes += each.bytes();
        }
        return bytes;
    }

    @Override
    public void write(ByteWriter to, int protocol) {
        to.varint(stream).varint(upTo).varint(positions.length);
        for (int i = 0; i < positions.length; i++) {
            to.varint(positions[i]).u8(reasons[i]);
        }
        if (full.length + eased.length + givenBack.size() > 0) {
            write(to, full);
            write(to, eased);
        }
        if (!givenBack.isEmpty()) {
            to.varint(givenBack.size());
            for (GivenBack each : givenBack) {
                to.varint(each.position).server3(each.taker).sized(each.group.bytes());
            }
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
        List<GivenBack> givenBack = new ArrayList<>(0);
        for (int left = from.isAtEnd() ? 0 : from.size(); left > 0; left--) {
            givenBack.add(
                    new GivenBack(from.varint(), from.server3(), new TopicFilter(from.sized())));
        }
        return new Answers(stream, upTo, positions, reasons, full, eased, givenBack);
    }

    private static long[] positions(ByteReader from) {
        long[] some = new long[from.size()];
        for (int i = 0; i < some.length; i++) {
            some[i] = from.varint();
        }
        return some;
    }
}
