package io.godwit.cluster.stream;

import io.godwit.core.message.Message;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.ClientId;
import org.jspecify.annotations.Nullable;

/**
 * Small publishes of a stream as they are written, one behind the other, from before they leave
 * until they are answered: nothing else is kept of their messages, and what leaves together is
 * copied together.
 *
 * <pre>
 * [step 1: as in a batch, of one that follows the one before it and did not come before | record ...]
 * </pre>
 *
 * The stream's shard writes; whoever sends reads what stood there before.
 */
final class RecordChunk {
    /** A record that may be longer than this is kept as it is: others may have its message, too. */
    static final int RECORD_MAX = 1 << 10;

    /** What may stand in front of a message besides its names, and what a writer wants left. */
    private static final int OTHER_BYTES = 64;

    private static final int STEP = 1 << 1;
    private static final int BYTES_LEAST = 4 << 10;
    private static final int BYTES_MOST = 32 << 10;

    private final ByteWriter bytes;
    private final int capacity;

    /** Position of the last in it. */
    long last;

    @Nullable RecordChunk next;

    private RecordChunk(int capacity) {
        this.capacity = capacity;
        bytes = new ByteWriter(capacity);
    }

    static RecordChunk first() {
        return new RecordChunk(BYTES_LEAST);
    }

    /** One that follows: a stream that has much to send gets large ones. */
    RecordChunk follow() {
        RecordChunk made = new RecordChunk(Math.min(BYTES_MOST, capacity * 2));
        next = made;
        return made;
    }

    static boolean mayTake(Message message) {
        return message.qos < 2 && most(message) <= RECORD_MAX;
    }

    boolean hasRoom(Message message) {
        return bytes.length() + most(message) <= capacity;
    }

    private static int most(Message message) {
        ClientId publisher = message.publisher;
        return OTHER_BYTES
                + message.payload.length
                + message.properties.length
                + message.topic.length()
                + (publisher == null ? 0 : publisher.bytes().length);
    }

    void add(StreamRecord.Publish publish, long position) {
        bytes.u8(STEP);
        RecordCodec.write(bytes, publish);
        last = position;
    }

    int length() {
        return bytes.length();
    }

    byte[] array() {
        return bytes.array();
    }
}
