package io.godwit.cluster.stream;

import io.godwit.core.message.Message;
import io.godwit.core.message.PassingMessage;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.MessageCodec;
import io.godwit.core.packet.ClientId;
import java.util.concurrent.atomic.AtomicInteger;
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
 * What follows a publish of the same publisher on the same topic has no names of its own, unless
 * something has left between them.
 *
 * <p>The stream's shard writes; whoever sends reads what stood there before. When all of it is
 * answered it may be written anew, but not while a batch that was to leave with it may still be
 * read: one that was not read when its link ended keeps it from that for good.
 */
final class RecordChunk {
    /** A record that may be longer than this is kept as it is: others may have its message, too. */
    static final int RECORD_MAX = 1 << 10;

    /** What may stand in front of a message besides its names, and what a writer wants left. */
    private static final int OTHER_BYTES = 64;

    private static final int STEP = 1 << 1;

    /** Step and code. */
    private static final int HEAD_BYTES = 2;

    private static final int BYTES_LEAST = 4 << 10;
    static final int BYTES_MOST = 32 << 10;

    private final ByteWriter bytes;
    private final int capacity;

    /** Batches that have not been written yet. */
    private final AtomicInteger readers = new AtomicInteger();

    /** Positions of the first and the last in it; 0 while there is none. */
    long first;

    long last;

    @Nullable RecordChunk next;

    private RecordChunk(int capacity) {
        this.capacity = capacity;
        bytes = new ByteWriter(capacity);
    }

    static RecordChunk first() {
        return new RecordChunk(BYTES_LEAST);
    }

    /** One to follow: a stream that has much to send gets large ones. */
    RecordChunk larger() {
        return new RecordChunk(Math.min(BYTES_MOST, capacity * 2));
    }

    /** Whether every stream has one of this size, as long as it has nothing to keep. */
    boolean isSmall() {
        return capacity == BYTES_LEAST;
    }

    int capacity() {
        return capacity;
    }

    // ---------------------------------------------------------------- who reads it

    /** A batch is to leave that has some of it. */
    void read() {
        readers.incrementAndGet();
    }

    /** The batch was written, or does not leave. */
    void wasRead() {
        readers.decrementAndGet();
    }

    boolean isRead() {
        return readers.get() > 0;
    }

    /** Nothing of it is needed any more, and nobody reads it. */
    void clear() {
        bytes.clear();
        next = null;
        first = 0;
        last = 0;
    }

    // ---------------------------------------------------------------- what is in it

    static boolean mayTake(Message message) {
        return message.qos < 2 && most(message) <= RECORD_MAX;
    }

    /**
     * @param most that is to be added
     */
    boolean hasRoom(int most) {
        return bytes.length() + most <= capacity;
    }

    static int most(PassingMessage message) {
        return OTHER_BYTES + message.bytes();
    }

    /** Bytes of its record, at most. */
    static int most(Message message) {
        ClientId publisher = message.publisher;
        return OTHER_BYTES
                + message.payload.length
                + message.properties.length
                + message.topic.length()
                + (publisher == null ? 0 : publisher.bytes().length);
    }

    /**
     * @param follows with the names of the record before it, and without its own
     */
    void add(Message message, boolean follows, long position) {
        bytes.u8(STEP);
        if (follows) {
            RecordCodec.writeNext(bytes, message);
        } else {
            RecordCodec.write(bytes, message);
        }
        added(position);
    }

    void add(PassingMessage message, boolean follows, long position) {
        bytes.u8(STEP);
        if (follows) {
            RecordCodec.writeNext(bytes, message);
        } else {
            RecordCodec.write(bytes, message);
        }
        added(position);
    }

    /** The message of a record that has its names. */
    Message message(int from, int to) {
        return MessageCodec.read(new ByteReader(array(), from + HEAD_BYTES, to));
    }

    /**
     * The message of a record that follows others.
     *
     * @param named where the first of these begins, which has the names
     */
    Message message(int named, int from, int to) {
        Message first = MessageCodec.read(new ByteReader(array(), named + HEAD_BYTES, from));
        return MessageCodec.readNext(new ByteReader(array(), from + HEAD_BYTES, to), first);
    }

    private void added(long position) {
        first = first == 0 ? position : first;
        last = position;
    }

    int length() {
        return bytes.length();
    }

    byte[] array() {
        return bytes.array();
    }
}
