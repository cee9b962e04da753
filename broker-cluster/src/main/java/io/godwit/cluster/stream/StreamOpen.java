package io.godwit.cluster.stream;

import io.godwit.cluster.leadership.SlotSet;
import io.godwit.cluster.membership.Slots;
import io.godwit.cluster.transport.MessageType;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import java.util.BitSet;

/**
 * A stream begins, or goes on, on this link.
 *
 * <pre>
 * stream varint | answered varint | entered slots | closed slots
 * </pre>
 *
 * Both sets are left out when they are empty.
 *
 * @param answered position up to which the sender has heard the answers
 * @param entered slots that the source had entered before the first record that is still kept: it
 *     does not send what is for them to another leader; not to be changed
 * @param closed slots that it enters by a record that is still kept; not to be changed
 */
record StreamOpen(int stream, long answered, BitSet entered, BitSet closed)
        implements StreamMessage {
    private static final BitSet NONE = new BitSet(0);

    StreamOpen(int stream, long answered) {
        this(stream, answered, NONE, NONE);
    }

    @Override
    public MessageType type() {
        return StreamMessages.open(stream);
    }

    @Override
    public int bytes() {
        return isPlain() ? 12 : 12 + SlotSet.bytes(entered) + SlotSet.bytes(closed);
    }

    private boolean isPlain() {
        return entered.isEmpty() && closed.isEmpty();
    }

    @Override
    public void write(ByteWriter to, int protocol) {
        to.varint(stream).varint(answered);
        if (!isPlain()) {
            SlotSet.write(to, entered);
            SlotSet.write(to, closed);
        }
    }

    static StreamOpen read(ByteReader from) {
        int stream = from.smallInt();
        long answered = from.varint();
        if (from.isAtEnd()) {
            return new StreamOpen(stream, answered);
        }
        BitSet entered = SlotSet.read(from, Slots.COUNT);
        return new StreamOpen(stream, answered, entered, SlotSet.read(from, Slots.COUNT));
    }
}
