package io.godwit.cluster.stream;

import io.godwit.cluster.transport.MessageType;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;

/**
 * A stream begins, or goes on, on this link.
 *
 * <pre>
 * stream varint | answered varint
 * </pre>
 *
 * @param answered position up to which the sender has heard the answers
 */
record StreamOpen(int stream, long answered) implements StreamMessage {
    @Override
    public MessageType type() {
        return StreamMessages.open(stream);
    }

    @Override
    public int bytes() {
        return 12;
    }

    @Override
    public void write(ByteWriter to, int protocol) {
        to.varint(stream).varint(answered);
    }

    static StreamOpen read(ByteReader from) {
        int stream = from.smallInt();
        return new StreamOpen(stream, from.varint());
    }
}
