package io.godwit.cluster.stream;

import io.godwit.cluster.transport.MessageType;
import io.godwit.core.message.Message;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.KnownNames;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Records of one stream that come together; on its way out it is a {@link LeavingBatch}.
 *
 * <pre>
 * stream varint | answered varint | before varint | count varint | [distance*2 + again varint | record ...]
 * </pre>
 *
 * Each record's position is told as its distance from the one before it; the first one's from
 * {@code before}, which the receiver has to have seen.
 *
 * <p>The transport's thread reads what stands in front, and the shard that it is for each record
 * when it is that one's turn: a message that one core makes and another one uses has to be fetched
 * from there.
 */
final class StreamBatch implements StreamMessage {
    final int stream;

    /** Position up to which the sender has heard the answers. */
    final long answered;

    final long before;

    /** What follows. */
    private final ByteReader records;

    private final @Nullable KnownNames names;
    private final int count;

    /** Records that were read. */
    private int read;

    private long position;
    private boolean again;
    private @Nullable Message message;

    private StreamBatch(
            int stream,
            long answered,
            long before,
            int count,
            ByteReader records,
            @Nullable KnownNames names) {
        this.stream = stream;
        this.answered = answered;
        this.before = before;
        this.count = count;
        this.records = records;
        this.names = names;
        this.position = before;
    }

    @Override
    public int stream() {
        return stream;
    }

    @Override
    public MessageType type() {
        return StreamMessages.batch(stream);
    }

    /** Whether no record of it was read yet. */
    boolean isNew() {
        return read == 0;
    }

    boolean isEmpty() {
        return count == 0;
    }

    boolean isAtEnd() {
        return read == count;
    }

    /**
     * Reads the next record, of which there is one.
     *
     * @throws RuntimeException when it can't be read
     */
    StreamRecord next() {
        long step = records.varint();
        StreamRecord record = RecordCodec.read(records, message, names);
        message = RecordCodec.messageOf(record, message);
        again = (step & 1) != 0;
        position += step >>> 1;
        if (++read == count && !records.isAtEnd()) {
            throw new IndexOutOfBoundsException("more than " + count + " records");
        }
        return record;
    }

    /** Of the record that was read last. */
    long position() {
        return position;
    }

    /** Whether that one may have come before. */
    boolean isAgain() {
        return again;
    }

    /** The same once more, of which nothing was read yet. */
    StreamBatch copy() {
        if (!isNew()) {
            throw new IllegalStateException("a record was read");
        }
        return new StreamBatch(stream, answered, before, count, records.copy(), names);
    }

    @Override
    public int bytes() {
        return leaving().bytes();
    }

    @Override
    public void write(ByteWriter to, int protocol) {
        leaving().write(to, protocol);
    }

    private LeavingBatch leaving() {
        LeavingBatch batch = new LeavingBatch(stream, answered, before);
        StreamBatch from = copy();
        while (!from.isAtEnd()) {
            StreamRecord record = from.next();
            batch.add(from.position, from.again, record, record.bytes());
        }
        return batch;
    }

    /**
     * Takes over what the reader has: its array must not change.
     *
     * @param names that are known of a stream: used by whoever reads the records
     * @throws IndexOutOfBoundsException when it is none
     */
    static StreamBatch read(ByteReader from, IntFunction<@Nullable KnownNames> names) {
        int stream = from.smallInt();
        long answered = from.varint();
        long before = from.varint();
        int count = from.size();
        ByteReader records = from.copy();
        from.skipAll();
        return new StreamBatch(stream, answered, before, count, records, names.apply(stream));
    }
}
