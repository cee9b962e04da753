package io.godwit.cluster.stream;

import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.core.operation.ByteReader;

/** A message of a stream, as it came. */
public sealed interface StreamMessage extends Outgoing permits StreamOpen, StreamBatch, Answers {
    /** Number of the stream: the sender's, or for answers the receiver's own. */
    int stream();

    /**
     * Reads one.
     *
     * @throws IndexOutOfBoundsException when it is none
     */
    static StreamMessage read(MessageType type, ByteReader body) {
        if (type.equals(StreamMessages.ANSWERS)) {
            return Answers.read(body);
        }
        return type.equals(StreamMessages.PUBLISH_OPEN) || type.equals(StreamMessages.SHARED_OPEN)
                ? StreamOpen.read(body)
                : StreamBatch.read(body);
    }

    /** Whether it is about a stream that this node sends. */
    default boolean isAnswer() {
        return this instanceof Answers;
    }
}
