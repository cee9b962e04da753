package io.godwit.cluster.stream;

import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.core.message.Message;
import io.godwit.core.operation.ByteWriter;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A {@link StreamBatch} on its way out: records, and runs of those that are written already, of
 * which each follows the one before it.
 */
final class LeavingBatch implements Outgoing {
    /** Bytes after which it is full: with any last one two of them fit into a frame. */
    private static final int BYTES_MAX = 30 * 1024;

    private static final int RECORDS_MAX = 512;

    /** Before the records, at most. */
    private static final int HEAD_BYTES = 24;

    /** A record and its position, at most. */
    private static final int STEP_BYTES = 3;

    private final int stream;
    private final long answered;
    private final long before;

    /** Of each part the first and the last position. */
    private long[] positions = new long[4];

    /** {@link StreamRecord}, or the chunk of a run. */
    private @Nullable Object[] parts = new Object[2];

    /** Of a run: where it begins behind the step of its first record, and where it ends. */
    private int[] ranges = new int[4];

    private boolean[] again = new boolean[2];
    private int partCount;
    private int records;
    private int bytes = HEAD_BYTES;
    private boolean released;

    /** Where the last record ends, if it is of a chunk. */
    private @Nullable RecordChunk chunk;

    private int chunkEnd;

    /**
     * @param answered position up to which the sender has heard the answers
     * @param before the last position that was sent
     */
    LeavingBatch(int stream, long answered, long before) {
        this.stream = stream;
        this.answered = answered;
        this.before = before;
    }

    boolean isEmpty() {
        return records == 0;
    }

    boolean isFull() {
        return records >= RECORDS_MAX || bytes >= BYTES_MAX;
    }

    int recordsLeft() {
        return RECORDS_MAX - records;
    }

    int bytesLeft() {
        return BYTES_MAX - bytes;
    }

    /** Whether what begins there in a chunk comes right behind what is before it there. */
    boolean isAt(RecordChunk of, int from) {
        return chunk == of && chunkEnd == from;
    }

    /** Position of the last record. */
    long last() {
        return positions[2 * partCount - 1];
    }

    void add(long position, boolean isAgain, StreamRecord record, int length) {
        part(position, position, isAgain, record);
        chunk = null;
        records++;
        bytes += length + STEP_BYTES;
    }

    /** Adds the message of a record of a chunk. */
    void add(long position, boolean isAgain, Message message, RecordChunk of, int end) {
        add(position, isAgain, new StreamRecord.Publish(message), RecordChunk.most(message));
        chunk = of;
        chunkEnd = end;
    }

    /**
     * Adds a run.
     *
     * @param from where it begins in its chunk, with the step of the first
     * @param count records, of positions that follow each other
     */
    void add(long position, boolean isAgain, RecordChunk of, int from, int to, int count) {
        of.read();
        chunk = of;
        chunkEnd = to;
        int at = part(position, position + count - 1, isAgain, of);
        ranges[2 * at] = from + 1;
        ranges[2 * at + 1] = to;
        records += count;
        bytes += to - from + STEP_BYTES;
    }

    private int part(long from, long to, boolean isAgain, Object part) {
        if (partCount == parts.length) {
            parts = Arrays.copyOf(parts, partCount * 2);
            again = Arrays.copyOf(again, partCount * 2);
            positions = Arrays.copyOf(positions, partCount * 4);
            ranges = Arrays.copyOf(ranges, partCount * 4);
        }
        parts[partCount] = part;
        again[partCount] = isAgain;
        positions[2 * partCount] = from;
        positions[2 * partCount + 1] = to;
        return partCount++;
    }

    @Override
    public MessageType type() {
        return StreamMessages.batch(stream);
    }

    @Override
    public int bytes() {
        return bytes;
    }

    @Override
    public void write(ByteWriter to, int protocol) {
        to.varint(stream).varint(answered).varint(before).varint(records);
        long last = before;
        for (int i = 0; i < partCount; i++) {
            to.varint((positions[2 * i] - last) << 1 | (again[i] ? 1 : 0));
            last = positions[2 * i + 1];
            if (parts[i] instanceof StreamRecord record) {
                RecordCodec.write(to, record);
            } else if (parts[i] instanceof RecordChunk of) {
                to.range(of.array(), ranges[2 * i], ranges[2 * i + 1]);
            }
        }
        release();
    }

    /** It was written, or is not to leave: by whoever had it last. */
    void release() {
        for (int i = 0; i < partCount && !released; i++) {
            if (parts[i] instanceof RecordChunk of) {
                of.wasRead();
            }
        }
        released = true;
    }
}
