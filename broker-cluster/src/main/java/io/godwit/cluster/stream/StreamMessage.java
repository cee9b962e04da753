package io.godwit.cluster.stream;

import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.KnownNames;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** A message of a stream, as it came. */
public sealed interface StreamMessage extends Outgoing permits StreamOpen, StreamBatch, Answers {
    /** Number of the stream: the sender's, or for answers the receiver's own. */
    int stream();

    /**
     * Reads one.
     *
     * @param names that are known of a stream; null for none
     * @throws IndexOutOfBoundsException when it is none
     */
    static StreamMessage read(
            MessageType type, ByteReader body, IntFunction<@Nullable KnownNames> names) {
        if (type.equals(StreamMessages.ANSWERS)) {
            return Answers.read(body);
        }
        return type.equals(StreamMessages.PUBLISH_OPEN) || type.equals(StreamMessages.SHARED_OPEN)
                ? StreamOpen.read(body)
                : StreamBatch.read(body, names);
    }

    /** Whether it is about a stream that this node sends. */
    default boolean isAnswer() {
        return this instanceof Answers;
    }
}
